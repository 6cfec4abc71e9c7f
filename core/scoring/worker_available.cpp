// Values of the families of prefix + z in tables with missing values.
#include <algorithm>

#include "common/index.h"
#include "scoring/worker.h"

namespace forebear {

namespace {

// Cells of a table that is summed for several sets at once: 128 KB, which stay in the cache.
constexpr double kMostLaneCells = 4096;

}  // namespace

void Worker::sum_available(int z_begin, int z_end, const std::vector<int32_t>* rows) {
    counted_.clear();
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
    if (counted_.empty()) {  // once for all z
        for (const int m : prefix_) counted_.push_back(engine_.universe_[index(m)]);
        observed_.prepare(counted_);
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
