// One thread's part of a level: counts, sums and prunes the sets prefix + z of one prefix at a
// time.
#pragma once

#include <span>
#include <vector>

#include "scoring/available.h"
#include "scoring/engine.h"

namespace forebear {

class Worker {
public:
    Worker(Engine& engine, std::vector<RecordList>& lists);

    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Makes and prunes all sets base + c + z with first <= c < last and c < z, where c is larger
    /// than all of the base. Returns their number.
    int64_t run(std::span<const int> base, int first, int last);
    /// Makes and prunes the sets of one variable.
    void run_singletons();

private:
    struct CellLocation {  // of the prefix: the members with a digit, and their states
        unsigned members;
        ptrdiff_t combination, combinations;
    };

    // The walk (worker.cpp).
    void prepare(std::span<const int> prefix);
    void run_group(std::span<const int> base, std::span<const int> last_members);
    void finish(int z_begin, int z_end, bool by_bits);
    void finish_available(int z_begin, int z_end, const std::vector<int32_t>* rows);
    bool missing() const { return engine_.table_.missing; }
    std::pair<int, int> z_range(std::span<const int> base, int last) const;

    // Counting (worker_counts.cpp).
    void count_base(std::span<const int> base);
    void combine_items(std::span<const int> base);
    void count_items(std::span<const int> base, std::span<const int> last_members);
    void store_items(std::span<const int> base, std::span<const int> last_members);
    void locate_cells(const std::vector<int32_t>* own_rows);
    void count_own_cells(int last);
    void partition_own();

    // Summing (worker_counts.cpp).
    void sum_binary(int z_begin, int z_end);
    void sum_by_bits(int z_begin, int z_end);
    void sum_by_groups(int z);
    void sum_cells(int z);
    int64_t total(const Term& term) const;

    // Summing where values are missing (worker_counts.cpp).
    void sum_available(int z_begin, int z_end, const std::vector<int32_t>* rows);
    void count_observed(int z);
    template <int Lanes>
    void fill(AvailableSums<Lanes>& sums, int z, int many, const std::vector<int32_t>* rows);
    template <int Lanes>
    void find_values(AvailableSums<Lanes>& sums, int z, int many);

    // Pruning and keeping (worker.cpp).
    void locate_subsets();
    void locate_lattice();
    void prune(int z_begin, int z_end);
    void keep(int z_begin, int z_end);
    template <class Visit>
    void for_each_kept(int child, int count, const Visit& visit);
    void apply_constraints(int z_begin, int z_end);
    bool all_allowed(int x, int z) const;
    bool beats_rivals(int child, int x, int z);

    // Reports the memory of this thread to the control.
    void account();

    /// The size of the prefix.
    int p() const { return static_cast<int>(prefix_.size()); }
    unsigned subsets() const { return 1u << p(); }
    bool only_first() const { return engine_.only_first(); }
    /// Whether the sets prefix + z of an only child are families of the child (F is needed), or
    /// sets of parents (G is needed).
    bool needs_f() const { return !only_first() || p() == 0 || prefix_[0] == 0; }
    bool needs_g() const { return stored_ && (!only_first() || p() == 0 || prefix_[0] != 0); }
    /// The number of members of prefix + z, from the first, whose families as children are needed.
    int children() const { return !only_first() || p() == 0 ? p() + 1 : prefix_[0] == 0; }

    Engine& engine_;
    std::vector<RecordList>& lists_;
    const Kernels& kernels_;

    // The current prefix, and the rows being made for it, indexed by z.
    std::vector<int> prefix_;
    std::vector<int32_t> radices_;
    double n_cells_ = 1;
    bool stored_ = false;
    int64_t prior_ = 0;  // that F adds for prefix + z
    std::vector<int64_t*> f_out_, g_out_;
    int32_t* occupied_out_ = nullptr;
    std::vector<std::vector<int64_t>> scratch_;  // the rows of a level that is not kept
    std::vector<std::vector<int64_t>> size_sums_;  // by equivalent sample size, of sum_binary
    TermCache terms_;
    std::vector<const Term*> configurations_;  // by class of the child's arity

    // Bits. Rows of counts are indexed by item.
    std::vector<uint64_t> combined_,
        anded_;  // the item combinations of the base; one of them AND one more item
    std::vector<std::vector<int32_t>> item_rows_;  // of a group of prefixes, one after another
    std::vector<CellLocation> locations_;    // by cell of the prefix; digit 0 means any state
    std::vector<const int32_t*> cell_rows_;  // as above
    std::vector<int32_t> base_cells_, base_values_, own_cells_, values_;
    int base_items_ = 0;  // the first item past the base

    // Groups of rows, for tables too large for bits.
    std::vector<Partition> partitions_;
    std::vector<int> partition_members_;  // the members that partitions_ belongs to
    bool partition_ready_ = false;
    CellCounts cells_;

    // Tables with missing values.
    AvailableSums<1> single_;
    AvailableSums<kLanes> several_;
    ObservedRows observed_;
    std::vector<int> prefix_variables_;  // the prefix, as variables of the table

    // The lattice of subsets.
    // By subset of the prefix: its size, row(subset) and rank(subset) of Subsets.
    std::vector<int> size_of_;
    std::vector<int64_t> row_at_, set_at_;
    std::vector<const int64_t*> f_, g_, f_last_;
    std::vector<int64_t> floor_, g_last_, without_z_;
    std::vector<std::vector<int64_t>> scores_;
    std::vector<std::vector<uint8_t>> keep_;
    std::vector<int64_t*> score_rows_;
    std::vector<uint8_t*> keep_rows_;
    std::vector<int64_t> rivals_;  // of beats_rivals: scores of the subsets of a set

    int64_t bytes_ = 0;      // accounted for
    int64_t unchecked_ = 0;  // work since the last check
};

}  // namespace forebear
