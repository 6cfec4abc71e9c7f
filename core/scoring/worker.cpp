// The walk over prefixes, pruning and keeping.
#include "scoring/worker.h"

#include <algorithm>
#include <bit>

#include "common/index.h"

namespace forebear {

namespace {

// Sets times rows between two checks of the clock and the memory: about a tenth of a millisecond.
constexpr int64_t kCheckWork = 1 << 20;
constexpr int kBinaryPrefix = 7;  // the largest prefix that the kernel binary_sums takes

/// Removes bit `bit`, which is clear, from a subset; higher bits move down.
unsigned without(unsigned subset, int bit) {
    const unsigned low = (1u << bit) - 1;
    return (subset & low) | (subset >> 1 & ~low);
}

}  // namespace

Worker::Worker(Engine& engine, std::vector<RecordList>& lists)
    : engine_(engine),
      lists_(lists),
      kernels_(kernels()),
      terms_(engine.score_),
      single_(engine.score_),
      several_(engine.score_),
      observed_(engine.table_) {
    if (engine_.shape_ == Shape::by_arity && !missing())
        for (const int32_t arity : engine_.classes_)
            configurations_.push_back(&engine_.score_.configurations(arity));
}

Worker::~Worker() { engine_.control_.bytes -= bytes_; }

void Worker::account() {
    const auto sum = [](const auto&... vectors) {
        return (... + static_cast<int64_t>(vectors.capacity() * sizeof(vectors[0])));
    };
    int64_t bytes = sum(combined_, anded_, cell_rows_, base_cells_, base_values_, own_cells_,
                        values_, cells_.counts);
    for (const auto& row : item_rows_) bytes += sum(row);
    for (const auto& row : scratch_) bytes += sum(row);
    for (const auto& row : scores_) bytes += sum(row);
    for (const Partition& partition : partitions_) bytes += partition.bytes();
    bytes += single_.bytes() + several_.bytes() + observed_.bytes();
    if (bytes == bytes_) return;
    engine_.control_.bytes += bytes - bytes_;
    bytes_ = bytes;
}

void Worker::run_singletons() {
    prepare({});
    if (missing()) {
        finish_available(0, engine_.n_, nullptr);
        return;
    }
    own_cells_.assign(1, static_cast<int32_t>(engine_.table_.total));
    locate_cells(nullptr);
    finish(0, engine_.n_, true);
}

int64_t Worker::run(std::span<const int> base, int first, int last) {
    int64_t sets = 0;
    std::vector<int> members(base.begin(), base.end());
    std::vector<int> group;
    int rows_in_group = 0;
    bool base_counted = false;
    const auto flush = [&] {
        if (group.empty()) return;
        if (!base_counted && missing()) combine_items(base);
        else if (!base_counted) count_base(base);
        base_counted = true;
        run_group(base, group);
        group.clear();
        rows_in_group = 0;
    };
    const auto stop = [&] {
        if (unchecked_ < kCheckWork) return engine_.control_.stopped();
        unchecked_ = 0;
        return engine_.control_.check();
    };
    for (int c = first; c < last && !stop(); ++c) {
        const auto [z_begin, z_end] = z_range(base, c);
        if (z_begin >= z_end) continue;
        sets += z_end - z_begin;
        unchecked_ += (z_end - z_begin) * engine_.table_.codes.rows;
        members.push_back(c);
        if (engine_.counted_by_bits(members)) {
            int rows = 1;
            for (const int m : members)
                rows *= engine_.items_.first(m + 1) - engine_.items_.first(m);
            group.push_back(c);
            rows_in_group += rows;
            if (index(rows_in_group) >= kRowsAtOnce) flush();
        } else {
            prepare(members);
            if (missing()) finish_available(z_begin, z_end, nullptr);
            else finish(z_begin, z_end, false);
        }
        members.pop_back();
    }
    flush();
    account();
    return sets;
}

void Worker::run_group(std::span<const int> base, std::span<const int> last_members) {
    count_items(base, last_members);
    const std::vector<int32_t>* rows = item_rows_.data();
    std::vector<int> members(base.begin(), base.end());
    for (const int c : last_members) {
        members.push_back(c);
        prepare(members);
        members.pop_back();
        const auto [z_begin, z_end] = z_range(base, c);
        int combinations = 1;
        for (const int32_t radix : radices_) combinations *= missing() ? radix : radix - 1;
        if (missing()) {
            finish_available(z_begin, z_end, rows);
        } else {
            count_own_cells(c);
            locate_cells(rows);
            finish(z_begin, z_end, true);
        }
        rows += combinations;
    }
}

std::pair<int, int> Worker::z_range(std::span<const int> base, int last) const {
    // Of the largest sets, only those that contain an only child are needed. If values are missing,
    // this holds for all sizes, because every family has its own value.
    const bool needed =
        !only_first() || (base.empty() ? last : base[0]) == 0 ||
        (!missing() && static_cast<int>(base.size()) + 1 < engine_.options_.max_parents);
    return {last + 1, needed ? engine_.n_ : last + 1};
}

void Worker::prepare(std::span<const int> prefix) {
    prefix_.assign(prefix.begin(), prefix.end());
    radices_.clear();
    n_cells_ = 1;
    for (const int m : prefix) {
        radices_.push_back(engine_.arities_[index(m)]);
        n_cells_ *= engine_.arities_[index(m)];
    }
    partition_ready_ = false;
    locate_subsets();
    const int level = p() + 1;
    stored_ = level <= engine_.options_.max_parents;
    prior_ = engine_.score_.prior_of_set(index(level));
    f_out_.clear();
    g_out_.clear();
    occupied_out_ = nullptr;
    if (stored_) {
        const Level& kept = engine_.levels_[index(level)];
        const int64_t row = row_at_[subsets() - 1];
        for (const auto& f : kept.f) f_out_.push_back(f.get() + row);
        for (const auto& g : kept.g) g_out_.push_back(g.get() + row);
        if (kept.occupied) occupied_out_ = kept.occupied.get() + row;
    } else {
        const size_t n_f = engine_.shape_ == Shape::by_child || missing() ? index(level) : 1;
        while (scratch_.size() < n_f) scratch_.emplace_back(index(engine_.n_ + kLanes));
        for (size_t i = 0; i < n_f; ++i) f_out_.push_back(scratch_[i].data());
    }
}

void Worker::finish(int z_begin, int z_end, bool by_bits) {
    if (z_begin >= z_end) return;
    if (!by_bits) {
        for (int z = z_begin; z < z_end; ++z) sum_by_groups(z);
    } else if (engine_.all_binary_ && engine_.shape_ == Shape::set_function &&
               p() <= kBinaryPrefix) {
        sum_binary(z_begin, z_end);
    } else {
        sum_by_bits(z_begin, z_end);
    }
    if (children() == 0) return;
    locate_lattice();
    prune(z_begin, z_end);
    keep(z_begin, z_end);
}

void Worker::finish_available(int z_begin, int z_end, const std::vector<int32_t>* rows) {
    if (z_begin >= z_end) return;
    locate_lattice();  // the values of smaller families
    sum_available(z_begin, z_end, rows);
    prune(z_begin, z_end);
    keep(z_begin, z_end);
}

// ---- the lattice ---------------------------------------------------------------

void Worker::locate_subsets() {
    const Subsets& all = engine_.subsets_;
    size_of_.assign(subsets(), 0);
    row_at_.assign(subsets(), 0);
    set_at_.assign(subsets(), 0);
    // First the number of sets that follow each one: those of its members without the first, and
    // those that the first adds.
    for (unsigned m = 1; m < subsets(); ++m) {
        const unsigned others = m & (m - 1);
        const int larger = engine_.n_ - 1 - prefix_[index(std::countr_zero(m))];
        const int size = size_of_[m] = size_of_[others] + 1;
        set_at_[m] = set_at_[others] + all.choose(larger, size);
        row_at_[m] = row_at_[others] + all.choose(larger, size + 1);
    }
    for (unsigned m = 0; m < subsets(); ++m) {
        set_at_[m] = all.count(size_of_[m]) - 1 - set_at_[m];
        row_at_[m] = all.count(size_of_[m] + 1) - row_at_[m] - engine_.n_;
    }
}

void Worker::locate_lattice() {
    const unsigned whole = subsets() - 1;
    const bool by_child = engine_.shape_ == Shape::by_child || missing(),
               by_arity = engine_.shape_ == Shape::by_arity && !missing();
    const auto level = [&](unsigned m) -> const Level& {
        return engine_.levels_[index(size_of_[m])];
    };
    const auto next = [&](unsigned m) -> const Level& {
        return engine_.levels_[index(size_of_[m] + 1)];
    };
    const auto f_row = [&](unsigned m, int position) -> const int64_t* {
        const size_t variant = by_child ? index(position) : 0;
        return m == whole ? f_out_[variant] : next(m).f[variant].get() + row_at_[m];
    };
    // G is F unless it depends on the child.
    const auto g_of = [&](const Level& at, size_t c) {
        return engine_.shape_ == Shape::set_function ? at.f[0].get() : at.g[c].get();
    };
    const unsigned half = subsets() / 2;
    f_.resize(index(p()) * half);
    g_.resize(index(p()) * half);
    without_z_.resize(index(p()) * half);
    floor_.assign(index(p()), INT64_MIN);
    for (int i = 0; i < std::min(children(), p()); ++i) {
        const size_t c = by_arity ? index(engine_.class_of_[index(prefix_[index(i)])]) : 0;
        for (unsigned m = 0; m <= whole; ++m) {
            if (m >> i & 1) continue;
            const unsigned with = m | 1u << i;
            const int position = size_of_[m & ((1u << i) - 1)];
            const size_t at = index(i) * half + without(m, i);
            f_[at] = f_row(with, position);
            g_[at] = missing()       ? engine_.zeros_.data()
                     : m == whole ? nullptr
                                  : g_of(next(m), c) + row_at_[m];
            const int64_t own = level(with).f[by_child ? index(position) : 0][set_at_[with]] -
                                (missing() ? 0 : g_of(level(m), c)[set_at_[m]]);
            without_z_[at] = own;
            floor_[index(i)] = std::max(floor_[index(i)], own);
        }
    }
    if (children() <= p()) return;
    const size_t classes = engine_.classes_.size();
    f_last_.resize(subsets());
    g_last_.resize(subsets() * classes);
    for (unsigned m = 0; m <= whole; ++m) {
        f_last_[m] = f_row(m, size_of_[m]);
        for (size_t c = 0; c < classes; ++c)
            g_last_[m * classes + c] = missing() ? 0 : g_of(level(m), c)[set_at_[m]];
    }
}

void Worker::prune(int z_begin, int z_end) {
    const size_t width = index(z_end - z_begin + kLanes);
    if (scores_.size() <= index(p())) {
        scores_.resize(index(p()) + 1);
        keep_.resize(index(p()) + 1);
    }
    score_rows_.clear();
    keep_rows_.clear();
    for (int child = 0; child < children(); ++child) {
        if (scores_[index(child)].size() < width) {
            scores_[index(child)].resize(width);
            keep_[index(child)].resize(width / kLanes + 1);
        }
        score_rows_.push_back(scores_[index(child)].data());
        keep_rows_.push_back(keep_[index(child)].data());
    }
    Lattice lattice;
    lattice.prefix = p();
    lattice.children = children();
    lattice.f = f_.data();
    lattice.g = g_.data();
    lattice.floor = floor_.data();
    lattice.f_last = f_last_.data();
    lattice.g_last = g_last_.data();
    lattice.classes = static_cast<int>(engine_.classes_.size());
    lattice.class_of = engine_.class_of_.data();
    kernels_.prune(lattice, z_begin, z_end, score_rows_.data(), keep_rows_.data());
}

// ---- keeping ---------------------------------------------------------------------

void Worker::keep(int z_begin, int z_end) {
    if (engine_.constrained_) apply_constraints(z_begin, z_end);
    const Packing& packing = engine_.packing_;
    const auto id = [&](int i) { return engine_.universe_[index(i)]; };
    for (int i = 0; i < std::min(children(), p()); ++i) {
        uint64_t others = packing.empty(p());
        for (int j = 0, slot = 0; j < p(); ++j)
            if (j != i) others |= packing.place(id(prefix_[index(j)]), slot++);
        RecordList& list = lists_[index(id(prefix_[index(i)]))];
        const int64_t* scores = score_rows_[index(i)];
        for_each_kept(i, z_end - z_begin, [&](int at) {
            list.push({scores[at], others | packing.place(id(z_begin + at), p() - 1)});
        });
    }
    if (children() <= p()) return;
    uint64_t whole = packing.empty(p());
    for (int i = 0; i < p(); ++i) whole |= packing.place(id(prefix_[index(i)]), i);
    const int64_t* scores = score_rows_[index(p())];
    for_each_kept(p(), z_end - z_begin, [&](int at) {
        if (!only_first() || z_begin + at == 0)
            lists_[index(id(z_begin + at))].push({scores[at], whole});
    });
}

template <class Visit>
void Worker::for_each_kept(int child, int count, const Visit& visit) {
    const uint8_t* bits = keep_rows_[index(child)];
    for (int at = 0; at < count; at += kLanes)
        for (unsigned left = bits[at / kLanes]; left != 0; left &= left - 1)
            visit(at + std::countr_zero(left));
}

void Worker::apply_constraints(int z_begin, int z_end) {
    for (int child = 0; child < children(); ++child)
        for (int z = z_begin; z < z_end; ++z) {
            const int x = child < p() ? prefix_[index(child)] : z;
            uint8_t& bits = keep_rows_[index(child)][(z - z_begin) / kLanes];
            const auto bit = static_cast<uint8_t>(1u << (z - z_begin) % kLanes);
            const bool kept =
                all_allowed(x, z) &&
                (engine_.pruned_simply(x) ? (bits & bit) != 0 : beats_rivals(child, x, z));
            bits = static_cast<uint8_t>(kept ? bits | bit : bits & ~bit);
        }
}

bool Worker::all_allowed(int x, int z) const {
    const int n = engine_.table_.n_variables();
    const auto allowed = [&](int parent) {
        return parent == x || engine_.constraints_.allows(n, engine_.universe_[index(x)],
                                                          engine_.universe_[index(parent)]);
    };
    return allowed(z) && std::all_of(prefix_.begin(), prefix_.end(), allowed);
}

bool Worker::beats_rivals(int child, int x, int z) {
    // The parents as bits: the members of the prefix, then z unless it is the child.
    const bool child_is_z = child == p();
    const unsigned whole = subsets() - 1, half = subsets() / 2;
    unsigned needed = 0, useful = 0;
    size_t found = 0;
    const auto& required = engine_.required(x);
    for (int bit = 0; bit < p(); ++bit) {
        const int member = child_is_z || bit < child ? bit : bit + 1;  // p() stands for z
        const int parent = engine_.universe_[index(member < p() ? prefix_[index(member)] : z)];
        if (std::find(required.begin(), required.end(), parent) != required.end()) {
            needed |= 1u << bit;
            ++found;
        } else if (engine_.useful(x, parent)) {
            useful |= 1u << bit;
        }
    }
    if (found != required.size()) return false;
    rivals_.resize(subsets());
    if (child_is_z) {
        const size_t classes = engine_.classes_.size(), c = index(engine_.class_of_[index(z)]);
        for (unsigned m = 0; m <= whole; ++m) rivals_[m] = f_last_[m][z] - g_last_[m * classes + c];
        if (f_last_[whole][z] <= kNeverKept) return false;
    } else {
        const size_t first = index(child) * half;
        for (unsigned m = 0; m < half; ++m) {
            rivals_[m] = without_z_[first + m];
            rivals_[m + half] = f_[first + m][z] - g_[first + m][z];
        }
        if (f_[first + half - 1][z] <= kNeverKept) return false;
    }
    const int64_t own = rivals_[whole] + engine_.margin_;
    rivals_[whole] = INT64_MIN;
    if ((needed | useful) == 0) return own > *std::max_element(rivals_.begin(), rivals_.end());
    // The best of the proper subsets that contain each set.
    for (int bit = 0; bit < p(); ++bit)
        for (unsigned m = 0; m <= whole; ++m)
            if (!(m >> bit & 1)) rivals_[m] = std::max(rivals_[m], rivals_[m | 1u << bit]);
    // Only subsets with all required parents and the chosen useful parents are compared.
    for (unsigned chosen = useful;; chosen = (chosen - 1) & useful) {
        if (std::popcount(chosen) <= engine_.constraints_.most_useful &&
            own > rivals_[needed | chosen])
            return true;
        if (chosen == 0) return false;
    }
}

}  // namespace forebear
