// Contingency tables of prefix + z, and the sums over their cells.
#include <algorithm>
#include <bit>

#include "common/index.h"
#include "scoring/worker.h"

namespace forebear {

namespace {

// Items whose cells are computed at once: a few vectors, so that the working memory stays small.
constexpr int kItemsAtOnce = 64;
// Cells of a table that is summed for several sets at once: 128 KB, which stay in the cache.
constexpr double kMostLaneCells = 4096;

}  // namespace

void Worker::count_base(std::span<const int> base) {
    combine_items(base);
    // The cells of the base itself, one member after another.
    base_cells_.assign(1, static_cast<int32_t>(engine_.table_.total));
    for (size_t i = 0; i <= base.size(); ++i) {
        prefix_.assign(base.begin(), base.begin() + static_cast<ptrdiff_t>(i));
        radices_.clear();
        for (const int m : prefix_) radices_.push_back(engine_.arities_[index(m)]);
        locate_subsets();
        locate_cells(nullptr);
        const bool whole = i == base.size();
        base_items_ = whole ? (base.empty() ? 0 : engine_.items_.first(base.back() + 1))
                            : engine_.items_.first(base[i]);
        const int end = whole ? engine_.items_.count() : engine_.items_.first(base[i] + 1);
        const int count = end - base_items_;
        base_values_.resize(base_cells_.size() * index(count));
        kernels_.cell_counts(cell_rows_.data(), radices_.data(), p(),
                             static_cast<int>(base_cells_.size()), base_items_, count,
                             base_values_.data(), count);
        if (whole) break;
        own_cells_.clear();
        count_own_cells(base[i]);
        base_cells_ = own_cells_;
    }
}

void Worker::combine_items(std::span<const int> base) {
    const size_t words = engine_.items_.words();
    combined_.assign(words, ~uint64_t{0});
    std::vector<uint64_t> wider;
    for (const int m : base) {
        const size_t count = combined_.size() / words;
        wider.clear();
        for (int item = engine_.items_.first(m); item < engine_.items_.first(m + 1); ++item)
            for (size_t i = 0; i < count; ++i)
                for (size_t w = 0; w < words; ++w)
                    wider.push_back(combined_[i * words + w] & engine_.items_.column(item)[w]);
        combined_.swap(wider);
    }
}

void Worker::count_items(std::span<const int> base, std::span<const int> last_members) {
    const Items& items = engine_.items_;
    const size_t words = items.words();
    const size_t width = index(items.n_blocks() * kLanes);
    struct Task {
        const uint64_t* combination;
        const uint64_t* column;
    };
    std::vector<Task> tasks;
    for (const int c : last_members)
        for (int item = items.first(c); item < items.first(c + 1); ++item)
            for (size_t at = 0; at < combined_.size(); at += words)
                tasks.push_back({&combined_[at], items.column(item)});
    while (item_rows_.size() < tasks.size()) item_rows_.emplace_back(width);
    const int first_block = items.first(last_members.front() + 1) / kLanes;
    anded_.resize(kRowsAtOnce * words);
    for (size_t start = 0; start < tasks.size(); start += kRowsAtOnce) {
        const size_t count = std::min(kRowsAtOnce, tasks.size() - start);
        const uint64_t* vectors[kRowsAtOnce];
        int32_t* rows[kRowsAtOnce];
        for (size_t t = 0; t < count; ++t) {
            const Task& task = tasks[start + t];
            uint64_t* both = anded_.data() + t * words;
            for (size_t w = 0; w < words; ++w) both[w] = task.combination[w] & task.column[w];
            vectors[t] = both;
            rows[t] = item_rows_[start + t].data();
        }
        items.count(vectors, count, first_block, rows);
    }
    if (static_cast<int>(base.size()) + 2 <= engine_.options_.max_parents && !missing())
        store_items(base, last_members);
}

void Worker::store_items(std::span<const int> base, std::span<const int> last_members) {
    const Items& items = engine_.items_;
    const Level& kept = engine_.levels_[base.size() + 2];
    const size_t combinations = combined_.size() / items.words();
    std::vector<int> members(base.begin(), base.end());
    const std::vector<int32_t>* row = item_rows_.data();
    for (const int c : last_members) {
        members.push_back(c);
        int32_t* place =
            kept.item_counts.get() + kept.item_rows[index(engine_.subsets_.rank(members))];
        members.pop_back();
        const size_t rows = combinations * index(items.first(c + 1) - items.first(c));
        for (size_t i = 0; i < rows; ++i, ++row)
            place = std::copy(row->data() + items.first(c + 1), row->data() + items.count(), place);
    }
}

void Worker::locate_cells(const std::vector<int32_t>* own_rows) {
    // Digit 0 of a cell stands for "any state" until the kernel subtracts the other states. The
    // count of a cell therefore starts as that of its members with another digit.
    size_t n_cells = 1;
    for (const int32_t radix : radices_) n_cells *= index(radix);
    locations_.resize(n_cells);
    locations_[0] = {0, 0, 1};
    size_t next = 1;
    for (int i = 0; i < p(); ++i) {
        const int32_t radix = radices_[index(i)];
        const size_t count = next;
        for (int32_t digit = 1; digit < radix; ++digit)
            for (size_t at = 0; at < count; ++at, ++next) {
                const CellLocation& cell = locations_[at];
                locations_[next] = {cell.members | 1u << i,
                                  cell.combination + (digit - 1) * cell.combinations,
                                  cell.combinations * (radix - 1)};
            }
    }
    const Items& items = engine_.items_;
    const unsigned whole = subsets() - 1;
    cell_rows_.resize(locations_.size());
    for (size_t at = 0; at < locations_.size(); ++at) {
        const auto& [members, combination, combinations] = locations_[at];
        if (members == 0) {
            cell_rows_[at] = items.totals();
        } else if (members == whole && own_rows) {
            cell_rows_[at] = own_rows[combination].data();
        } else {
            const Level& kept = engine_.levels_[index(size_of_[members] + 1)];
            const int first = items.first(prefix_[index(std::bit_width(members) - 1)] + 1);
            cell_rows_[at] = kept.item_counts.get() + kept.item_rows[index(set_at_[members])] +
                             combination * (items.count() - first) - first;
        }
    }
}

void Worker::count_own_cells(int last) {
    const size_t n_base = base_cells_.size();
    const int arity = engine_.arities_[index(last)];
    const int stride = static_cast<int>(base_values_.size() / n_base);
    const int offset = engine_.items_.first(last) - base_items_;
    own_cells_.resize(n_base * index(arity));
    for (size_t cell = 0; cell < n_base; ++cell) {
        int32_t rest = base_cells_[cell];
        for (int state = 1; state < arity; ++state) {
            const int32_t count = base_values_[cell * index(stride) + index(offset + state - 1)];
            own_cells_[cell + n_base * index(state)] = count;
            rest -= count;
        }
        own_cells_[cell] = rest;
    }
}

// ---- sums ------------------------------------------------------------------------

void Worker::sum_binary(int z_begin, int z_end) {
    int64_t* const out = f_out_[0];
    const size_t sizes = engine_.score_.sizes();
    if (size_sums_.empty() && sizes > 1)
        size_sums_.assign(sizes, std::vector<int64_t>(index(engine_.n_ + kLanes)));
    TermCache::Sum s;
    for (size_t size = 0; size < sizes; ++size) {
        s = terms_.of_cells(2 * n_cells_, size);
        if (static_cast<int64_t>(s.term->length()) <=
            engine_.table_.total) {  // the table is cut short
            sum_by_bits(z_begin, z_end);
            return;
        }
        kernels_.binary_sums(cell_rows_.data(), p(), own_cells_.data(), s.term->table(), z_begin,
                             z_end, sizes == 1 ? out : size_sums_[size].data());
    }
    if (sizes > 1) {
        int64_t own[Score::kMostSizes];
        for (int z = z_begin; z < z_end; ++z) {
            for (size_t size = 0; size < sizes; ++size) own[size] = size_sums_[size][index(z)];
            out[z] = engine_.score_.mean(own, s.constant, engine_.table_.total) + prior_;
        }
    } else if (s.constant == kNeverKept) std::fill(out + z_begin, out + z_end, kNeverKept);
    else if (s.constant + prior_ != 0)
        for (int z = z_begin; z < z_end; ++z) out[z] += s.constant + prior_;
}

void Worker::sum_by_bits(int z_begin, int z_end) {
    const Items& items = engine_.items_;
    const size_t n_cells = own_cells_.size();
    values_.resize(n_cells * kItemsAtOnce);
    for (int z = z_begin; z < z_end;) {
        int stop = z + 1;
        while (stop < z_end && items.first(stop + 1) - items.first(z) <= kItemsAtOnce) ++stop;
        const int first = items.first(z), count = items.first(stop) - first;
        kernels_.cell_counts(cell_rows_.data(), radices_.data(), p(), static_cast<int>(n_cells),
                             first, count, values_.data(), kItemsAtOnce);
        for (; z < stop; ++z) {
            if (!items.has(z)) {
                sum_by_groups(z);
                continue;
            }
            const int states = engine_.arities_[index(z)] - 1, at = items.first(z) - first;
            cells_.ones = 0;
            cells_.counts.resize(n_cells * index(states + 1));
            int32_t* out = cells_.counts.data();
            for (size_t cell = 0; cell < n_cells; ++cell) {
                int32_t rest = own_cells_[cell];
                for (int s = 0; s < states; ++s) {
                    const int32_t count_here = values_[cell * kItemsAtOnce + index(at + s)];
                    rest -= count_here;
                    *out++ = count_here;
                }
                *out++ = rest;
            }
            sum_cells(z);
        }
    }
}

void Worker::partition_own() {
    // The partitions of unchanged members are kept.
    size_t same = 0;
    while (same < partition_members_.size() && same < prefix_.size() &&
           partition_members_[same] == prefix_[same])
        ++same;
    partition_members_.assign(prefix_.begin(), prefix_.end());
    if (partitions_.size() < prefix_.size() + 1) partitions_.resize(prefix_.size() + 1);
    if (same == 0) partitions_[0].reset(engine_.table_.codes);
    for (size_t i = same; i < prefix_.size(); ++i)
        partitions_[i + 1].refine(partitions_[i], engine_.table_.codes,
                                  engine_.universe_[index(prefix_[i])], radices_[i]);
    partition_ready_ = true;
}

void Worker::sum_by_groups(int z) {
    if (!partition_ready_) partition_own();
    partitions_[prefix_.size()].count(engine_.table_.codes, engine_.universe_[index(z)],
                                      engine_.arities_[index(z)], cells_);
    sum_cells(z);
}

int64_t Worker::total(const Term& term) const {
    int64_t sum = cells_.ones * term(1);
    if (static_cast<int64_t>(term.length()) > engine_.table_.total) {
        const int64_t* table = term.table();
        for (const int32_t count : cells_.counts) sum += table[count];
    } else {
        for (const int32_t count : cells_.counts) sum += term(count);
    }
    return sum;
}

void Worker::sum_cells(int z) {
    const double n_cells = n_cells_ * engine_.arities_[index(z)];
    if (engine_.shape_ != Shape::by_child) {
        const bool one = engine_.shape_ == Shape::set_function;  // G is F
        if (one || needs_f()) {
            const int64_t f = terms_.sum(n_cells, engine_.table_.total,
                                         [&](const Term& term) { return total(term); });
            f_out_[0][z] = f == kNeverKept ? kNeverKept : f + prior_;
        }
        if (one || !needs_g()) return;
        radices_.push_back(engine_.arities_[index(z)]);
        for (size_t c = 0; c < engine_.classes_.size(); ++c)
            g_out_[c][z] =
                total(*configurations_[c]) + engine_.score_.penalty(engine_.classes_[c], radices_);
        radices_.pop_back();
        return;
    }
    // BDs (Scutari, 2016): the prior is spread over the parent configurations that occur.
    const unsigned whole = subsets() - 1;
    for (int child = 0; child < children(); ++child) {
        const bool last = child == p();
        const unsigned others = last ? whole : whole & ~(1u << child);
        const int32_t configurations =
            last ? engine_.levels_[index(p())].occupied[set_at_[whole]]
                 : engine_.levels_[index(p())].occupied[row_at_[others] + z];
        const int32_t arity = engine_.arities_[index(last ? z : prefix_[index(child)])];
        f_out_[index(child)][z] =
            total(terms_.dirichlet(static_cast<double>(configurations) * arity)) + prior_;
    }
    if (!stored_) return;
    const auto occupied = cells_.ones + std::count_if(cells_.counts.begin(), cells_.counts.end(),
                                                      [](int32_t c) { return c > 0; });
    occupied_out_[z] = static_cast<int32_t>(occupied);
    g_out_[0][z] = total(terms_.dirichlet(static_cast<double>(occupied)));
}

// ---- missing values --------------------------------------------------------------

void Worker::sum_available(int z_begin, int z_end, const std::vector<int32_t>* rows) {
    prefix_variables_.clear();
    for (int z = z_begin; z < z_end;) {
        const int32_t states = engine_.arities_[index(z)];
        int many = 1;  // sets that are summed at once
        if (!engine_.items_.has(z) || (!rows && p() > 0)) {
            count_observed(z);
            find_values(single_, z, many);
        } else if (n_cells_ * states > kMostLaneCells) {
            fill(single_, z, many, rows);
            find_values(single_, z, many);
        } else {
            while (many < kLanes && z + many < z_end &&
                   engine_.arities_[index(z + many)] == states)
                ++many;
            fill(several_, z, many, rows);
            find_values(several_, z, many);
        }
        z += many;
    }
}

/// Takes the tables of several sets from the counts by bits.
template <int Lanes>
void Worker::fill(AvailableSums<Lanes>& sums, int z, int many, const std::vector<int32_t>* rows) {
    const Items& items = engine_.items_;
    const int32_t states = engine_.arities_[index(z)];
    const auto n_cells = static_cast<size_t>(n_cells_);
    radices_.push_back(states);
    int32_t* out = sums.make_table(radices_).data();
    radices_.pop_back();
    for (int s = 0; s < states; ++s)
        for (size_t cell = 0; cell < n_cells; ++cell) {
            const int32_t* const counts =
                (p() == 0 ? items.totals() : rows[cell].data()) + items.first(z) + s;
            for (int lane = 0; lane < Lanes; ++lane)
                *out++ = lane < many ? counts[lane * states] : 0;
        }
    sums.table_filled();
}

void Worker::count_observed(int z) {
    if (prefix_variables_.empty()) {  // once for all z
        for (const int m : prefix_) prefix_variables_.push_back(engine_.universe_[index(m)]);
        observed_.prepare(prefix_variables_);
    }
    observed_.count(engine_.universe_[index(z)], single_);
}

template <int Lanes>
void Worker::find_values(AvailableSums<Lanes>& sums, int z, int many) {
    const unsigned whole = subsets() - 1;
    int64_t values[Lanes];
    for (int child = 0; child < children(); ++child) {
        const unsigned low = (1u << child) - 1;
        sums.find_values(
            child,
            [&](int u) -> typename AvailableSums<Lanes>::Values {
                if (child == p()) return {f_last_[whole & ~(1u << u)] + z};
                // Where the values of a child of the prefix without parent u are; p() stands for z.
                unsigned m = whole & ~(1u << child);
                if (u < p()) m &= ~(1u << u);
                const size_t at = index(child) * (subsets() / 2) + ((m & low) | (m >> 1 & ~low));
                if (u == p()) return {&without_z_[at], 0};
                return {f_[at] + z};
            },
            values);
        std::copy(values, values + many, f_out_[index(child)] + z);
    }
}

}  // namespace forebear
