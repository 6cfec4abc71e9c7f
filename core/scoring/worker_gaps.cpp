// Values of the families of prefix + z in tables with gaps.
#include <algorithm>

#include "common/index.h"
#include "scoring/worker.h"

namespace forebear {

void Worker::sum_available(int z_begin, int z_end, const std::vector<int32_t>* rows) {
    counted_.clear();
    for (int z = z_begin; z < z_end;) {
        const int many = rows ? sum_lanes_available(z, z_end, rows) : 0;
        if (many == 0) sum_one_available(z, rows);
        z += std::max(many, 1);
    }
}

/// Where the values of a child of the prefix without parent u are in f_ and without_z_; u = p()
/// stands for z.
size_t Worker::smaller_at(int child, int u) const {
    const unsigned low = (1u << child) - 1;
    unsigned m = (subsets() - 1) & ~(1u << child);
    if (u < p()) m &= ~(1u << u);
    return index(child) * (subsets() / 2) + index((m & low) | (m >> 1 & ~low));
}

void Worker::sum_one_available(int z, const std::vector<int32_t>* rows) {
    fill_available(z, rows);
    for (int child = 0; child < std::min(children(), p()); ++child)
        f_out_[index(child)][z] = available_.value(child, [&](int u) {
            const size_t at = smaller_at(child, u);
            return u == p() ? without_z_[at] : f_[at][z];
        });
    if (children() <= p()) return;
    const unsigned whole = subsets() - 1;
    f_out_[index(p())][z] =
        available_.value(p(), [&](int u) { return f_last_[whole & ~(1u << u)][z]; });
}

/// Sums the sets of several z at once; returns how many, or 0 if they must be summed one by one.
int Worker::sum_lanes_available(int z, int z_end, const std::vector<int32_t>* rows) {
    const Items& items = engine_.items_;
    const int32_t states = engine_.arities_[index(z)];
    int many = 0;
    while (many < kLanes && z + many < z_end && engine_.arities_[index(z + many)] == states) ++many;
    if (!items.has(z)) return 0;
    radices_.push_back(states);
    const bool possible = lanes_.takes(radices_);
    radices_.pop_back();
    if (!possible) return 0;
    int32_t* out = lanes_.table();
    const auto n_cells = static_cast<size_t>(n_cells_);
    for (int s = 0; s < states; ++s)
        for (size_t cell = 0; cell < n_cells; ++cell) {
            const int32_t* const counts = rows[cell].data() + items.first(z) + s;
            for (int lane = 0; lane < kLanes; ++lane)
                *out++ = lane < many ? counts[lane * states] : 0;
        }
    lanes_.sum();
    const unsigned whole = subsets() - 1;
    for (int child = 0; child < children(); ++child) {
        lanes_.begin(child);
        for (int u = 0; u <= p(); ++u) {
            if (u == child) continue;
            if (child == p()) {
                lanes_.rival(u, f_last_[whole & ~(1u << u)] + z, false);
            } else {
                const size_t at = smaller_at(child, u);
                lanes_.rival(u, u == p() ? &without_z_[at] : f_[at] + z, u == p());
            }
        }
        std::copy(lanes_.values(), lanes_.values() + many, f_out_[index(child)] + z);
    }
    return many;
}

void Worker::fill_available(int z, const std::vector<int32_t>* rows) {
    const Items& items = engine_.items_;
    if (!items.has(z) || (!rows && p() > 0)) {
        if (counted_.empty() && p() > 0) {  // once for all z
            for (const int m : prefix_) counted_.push_back(engine_.universe_[index(m)]);
            gap_counts_.prepare(counted_);
        } else if (p() == 0) {
            gap_counts_.prepare({});
        }
        gap_counts_.count(engine_.universe_[index(z)], available_);
        return;
    }
    const auto n_cells = static_cast<size_t>(n_cells_);
    const int first = items.first(z), states = items.first(z + 1) - first;
    radices_.push_back(states);
    int32_t* out = available_.make_table(radices_).data();
    radices_.pop_back();
    const int32_t* const totals = items.totals();
    for (int s = 0; s < states; ++s)
        for (size_t cell = 0; cell < n_cells; ++cell)
            *out++ = p() == 0 ? totals[first + s] : rows[cell][index(first + s)];
    available_.table_filled();
}

}  // namespace forebear
