#include "scoring/packedtable.h"

#include <cmath>
#include <numeric>

#include "common/index.h"

namespace forebear {

std::vector<double> entropies(const Table& table, int64_t copies, Team& team) {
    std::vector<double> result(index(table.n_variables()));
    for_each_item(team, table.n_variables(), [&](int v) {
        std::vector<int64_t> counts(index(table.arities[index(v)]) + 1);
        table.codes.visit(v, [&](const auto* column) {
            for (int64_t row = 0; row < table.codes.rows; ++row) ++counts[column[row]];
        });
        const auto observed = static_cast<double>(table.codes.rows - counts.back());
        counts.pop_back();
        double entropy = 0.0;
        for (const int64_t count : counts)
            if (count > 0)
                entropy -=
                    static_cast<double>(count) * std::log(static_cast<double>(count) / observed);
        const double rows = static_cast<double>(table.codes.rows) / static_cast<double>(copies);
        result[index(v)] = observed > 0.0 ? entropy * (rows / observed) : 0.0;
    });
    return result;
}

PackedTable::PackedTable(Table table, int64_t copies, Team& team)
    : table_(std::move(table)),
      copies_(copies),
      entropies_(forebear::entropies(table_, copies, team)) {}

const Items& PackedTable::items(Team& team) const {
    const std::lock_guard lock(mutex_);
    if (!items_) {
        std::vector<int> everything(index(table_.n_variables()));
        std::iota(everything.begin(), everything.end(), 0);
        items_ = std::make_unique<const Items>(table_, everything, team);
    }
    return *items_;
}

}  // namespace forebear
