// One thread's share of a level: prefixes, one after another.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "scoring/engine.h"

namespace forebear {

class Worker {
public:
    Worker(Engine& engine, std::vector<RecordList>& lists);

    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Makes and prunes all sets base + c + z with first <= c < last and c < z, where c lies past
    /// the base. Tells how many they are.
    int64_t run(std::span<const int> base, int first, int last);
    /// Makes the sets of one variable.
    void run_singletons();

private:
    struct Sums {  // the term of sets of so many cells, and what they add besides
        const Term* term;
        int64_t constant;
    };

    // The walk (worker.cpp).
    void prepare(std::span<const int> prefix);
    void run_group(std::span<const int> base, std::span<const int> lasts);
    void finish(int z_begin, int z_end, bool by_bits);
    std::pair<int, int> z_range(std::span<const int> base, int last) const;

    // Counting (worker_counts.cpp).
    void count_base(std::span<const int> base);
    void combine_items(std::span<const int> base);
    void count_items(std::span<const int> base, std::span<const int> lasts);
    void store_items(std::span<const int> base, std::span<const int> lasts);
    void locate_cells(std::span<const int> prefix, const std::vector<int32_t>* own_rows);
    void count_own_cells(int last);
    void partition_own();

    // Summing (worker_counts.cpp).
    void sum_binary(int z_begin, int z_end);
    void sum_by_bits(int z_begin, int z_end);
    void sum_by_groups(int z);
    void sum_cells(int z);
    int64_t total(const Term& term) const;
    Sums sums(double cells);
    const Term& dirichlet(double cells);

    // Pruning and keeping (worker.cpp).
    void locate_subsets();
    void locate_lattice();
    void prune(int z_begin, int z_end);
    void keep(int z_begin, int z_end);
    template <class Visit>
    void for_each_kept(int child, int count, const Visit& visit);
    void restrict(int z_begin, int z_end);
    bool all_allowed(int x, int z) const;
    bool beats_required(int child, int x, int z) const;

    // What this thread holds, told to the control.
    void account();

    int p() const { return static_cast<int>(prefix_.size()); }
    unsigned subsets() const { return 1u << p(); }
    bool single_sum() const;

    Engine& e_;
    std::vector<RecordList>& lists_;
    const Kernels& kernels_;

    // The prefix at hand, and the rows being made for it, indexed by z.
    std::vector<int> prefix_;
    std::vector<int32_t> radices_;
    double n_cells_ = 1;
    bool stored_ = false;
    std::vector<int64_t*> f_out_, g_out_;
    int32_t* occupied_out_ = nullptr;
    std::vector<std::vector<int64_t>> scratch_;  // the rows of a level that is not kept
    std::unordered_map<double, Sums> sums_;
    std::unordered_map<double, const Term*> dirichlets_;
    std::vector<const Term*> configurations_;  // by class of the child's arity

    // Bits. Rows of counts are indexed by item.
    std::vector<uint64_t> combined_,
        anded_;  // the base's item combinations; these and one item more
    std::vector<std::vector<int32_t>>
        item_rows_;                          // those of a group of prefixes, one after another
    std::vector<const int32_t*> cell_rows_;  // by cell of the prefix, digit 0 meaning any state
    std::vector<int32_t> base_cells_, base_values_, own_cells_, values_;
    int base_items_ = 0;  // the first item past the base

    // Groups of rows, for tables too large for bits.
    std::vector<Partition> partitions_;
    std::vector<int> partitioned_;  // members that partitions_ stands for
    bool partition_ready_ = false;
    CellCounts cells_;

    // The lattice of subsets.
    std::vector<int> subset_;
    std::vector<int64_t> row_at_,
        set_at_;  // by subset of the prefix: where subset + z and subset lie
    std::vector<const int64_t*> f_, g_, f_last_;
    std::vector<int64_t> floor_, g_last_, without_z_;
    std::vector<std::vector<int64_t>> scores_;
    std::vector<std::vector<uint8_t>> keep_;
    std::vector<int64_t*> score_rows_;
    std::vector<uint8_t*> keep_rows_;

    int64_t bytes_ = 0;  // accounted for
};

}  // namespace forebear
