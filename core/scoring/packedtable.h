// A table as the kernels read it. It is packed once, and shared by all that score the table.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/parallel.h"
#include "scoring/items.h"
#include "scoring/table.h"

namespace forebear {

/// The number of rows times the entropy of every variable where it is observed, in nats. A row of
/// the table stands for 1 / copies rows.
std::vector<double> entropies(const Table& table, int64_t copies, Team& team);

class PackedTable {
public:
    /// A row of the table stands for 1 / copies rows. `team` is needed only while this is made.
    PackedTable(Table table, int64_t copies, Team& team);

    const Table& table() const { return table_; }
    int64_t copies() const { return copies_; }
    const std::vector<double>& entropies() const { return entropies_; }
    /// The bit vectors of all variables. They are made when they are first needed.
    const Items& items(Team& team) const;

private:
    Table table_;
    int64_t copies_;
    std::vector<double> entropies_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const Items> items_;
};

}  // namespace forebear
