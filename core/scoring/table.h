// A data set: its codes, and the bit vectors that the kernels read.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/index.h"
#include "common/parallel.h"
#include "scoring/kernels.h"
#include "scoring/logrising.h"

namespace forebear {

/// How often a row counts: once ...
struct CountOnce {
    static constexpr bool always_one = true;
    int shift(uint32_t) const { return 0; }
    uint32_t operator()(uint32_t) const { return 1; }
};

/// ... or 2^shift times.
struct CountByShift {
    static constexpr bool always_one = false;
    const uint8_t* shifts;
    int shift(uint32_t row) const { return shifts[row]; }
    uint32_t operator()(uint32_t row) const { return uint32_t{1} << shifts[row]; }
};

/// The codes of all variables, one column after another, of one or two bytes each.
struct Codes {
    const uint8_t* narrow = nullptr;
    const uint16_t* wide = nullptr;
    int64_t rows = 0;
    const uint8_t* shifts = nullptr;  ///< row r counts 2^shifts[r] times; null: every row once

    template <class Visit>
    decltype(auto) visit(int variable, Visit&& visitor) const {
        const int64_t start = variable * rows;
        return narrow ? visitor(narrow + start) : visitor(wide + start);
    }
    /// As above, by visitor(column, count), where count(row) is how often a row counts.
    template <class Visit>
    decltype(auto) visit_counted(int variable, Visit&& visitor) const {
        return visit(variable, [&](const auto* column) {
            return shifts ? visitor(column, CountByShift{shifts}) : visitor(column, CountOnce{});
        });
    }
    int shift(uint32_t row) const { return shifts ? shifts[row] : 0; }
};

/// The codes of each variable, and the number of its states.
struct Table {
    Codes codes;
    std::vector<int32_t> arities;
    /// The number of rows that the rows stand for.
    int64_t total = 0;
    /// Where the rows that count 2^k times end, for k = 0, 1, ...; those that count more often come
    /// first. All but the last end are multiples of 64, so that the rows of a word count alike.
    std::vector<int64_t> ends;
    /// Whether a code equal to the arity stands for a missing value. Then families are scored on
    /// the rows where they are observed.
    bool missing = false;

    int n_variables() const { return static_cast<int>(arities.size()); }
};

/// The data as bit vectors: one item for each variable and each of its states but the first. The
/// count of the first state follows by subtraction. With missing values it does not, so there is an
/// item for every state.
class Items {
public:
    /// Variables with more states than this are counted by groups of rows (partition.h), since they
    /// would need as many bit vectors.
    static constexpr int kMostStates = 16;

    Items(const Table& table, std::span<const int> variables, Team& team);

    int count() const { return first_.back(); }
    /// The first item of the i-th variable. Its items end at first(i + 1).
    int first(int i) const { return first_[index(i)]; }
    bool has(int i) const { return narrow_[index(i)]; }
    size_t words() const { return words_; }
    const uint64_t* column(int item) const { return columns_.data() + index(item) * words_; }
    /// out[t][item] = the rows in vectors[t] and in that item, for the items from a block on.
    /// There are at most kRowsAtOnce vectors.
    void count(const uint64_t* const* vectors, size_t n_vectors, int first_block,
               int32_t* const* out) const;
    int n_blocks() const { return (count() + kLanes - 1) / kLanes; }
    /// The number of rows in each item.
    const int32_t* totals() const { return totals_.data(); }
    int64_t bytes() const { return static_cast<int64_t>(8 * (columns_.size() + blocks_.size())); }

private:
    std::vector<int> first_;
    std::vector<bool> narrow_;
    size_t words_;
    std::vector<size_t> word_ends_;  // as Table::ends, in words
    std::vector<uint64_t> columns_, blocks_;
    std::vector<int32_t> totals_;
};

/// Masks of some rows, and how many of them every item has: the counts of all variables at once.
/// One thread's working memory.
class MaskCounts {
public:
    /// Whether this many masks are faster than reading this many rows for each candidate.
    static bool pay(const Items& items, double masks, size_t rows, size_t candidates);

    explicit MaskCounts(const Items& items) : items_(items) {}
    /// Makes empty masks.
    void reset(size_t masks);
    void add(size_t mask, uint32_t row) {
        masks_[mask * items_.words() + (row >> 6)] |= uint64_t{1} << (row & 63);
    }
    /// Counts all masks. Returns false if the budget ended before.
    bool count(BudgetOfRows& budget);
    /// The counts of a mask, by item.
    const int32_t* operator[](size_t mask) const { return counts_[mask].data(); }

private:
    const Items& items_;
    size_t size_ = 0;
    std::vector<uint64_t> masks_;
    std::vector<std::vector<int32_t>> counts_;
};

/// The number of rows times the entropy of every variable where it is observed, in nats. A row of
/// the table stands for 1 / copies rows.
std::vector<double> entropies(const Table& table, int64_t copies, Team& team);

struct StoredRows;

/// A table in the form that the kernels read. It is packed once and shared.
///
/// A family is scored on the rows in which its child was not set by intervention. Children that were
/// set in some rows therefore have tables of their own; those that were set in the same rows share
/// one.
class PackedTable {
public:
    /// A row of the table stands for 1 / copies rows. `weights` is empty, or has the number of
    /// times that each row counts. Equal rows are merged if that saves half of the rows. `team` is
    /// used only by the constructor.
    PackedTable(Table table, std::span<const int64_t> weights, int64_t copies, Team& team);

    const Table& table() const { return table_; }
    int64_t copies() const { return copies_; }
    const std::vector<double>& entropies() const { return entropies_; }
    /// The bit vectors of all variables, created on first use.
    const Items& items(Team& team) const;
    /// The log-gammas of all counts, created on first use.
    const LogGammas& log_gammas() const;

    /// Scores the families of these children on another table of the same variables.
    void use_for(std::span<const int> children, std::shared_ptr<const PackedTable> other);
    /// The number of tables that families are scored on, and each of them; this one comes first.
    size_t n_tables() const { return 1 + others_.size(); }
    const PackedTable& at(size_t place) const { return place == 0 ? *this : *others_[place - 1]; }
    /// Which of them the families of a child are scored on.
    size_t place_of(int child) const { return places_.empty() ? 0 : places_[index(child)]; }
    const PackedTable& of(int child) const { return at(place_of(child)); }

private:
    /// Replaces the rows of the table by some of them.
    void store(const StoredRows& stored, Team& team);
    template <class Code>
    const Code* store_codes(const Code* from, std::span<const uint32_t> rows,
                            std::vector<Code>& to, Team& team) const;

    Table table_;
    int64_t copies_;
    // The rows that are stored, unless they are those of the caller.
    std::vector<uint8_t> narrow_, shifts_;
    std::vector<uint16_t> wide_;
    std::vector<double> entropies_;
    std::vector<std::shared_ptr<const PackedTable>> others_;
    std::vector<size_t> places_;  // by child; empty: 0
    mutable std::mutex mutex_;
    mutable std::unique_ptr<const Items> items_;
    mutable std::unique_ptr<const LogGammas> log_gammas_;
};

}  // namespace forebear
