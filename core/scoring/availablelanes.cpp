#include "scoring/availablelanes.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"

namespace forebear {

namespace {

// Cells of a table: with eight lanes 128 KB, which stay in the cache.
constexpr double kMostLaneCells = 4096;

}  // namespace

size_t AvailableLanes::place(int a, int b) const {
    if (a > b) std::swap(a, b);
    const size_t m = arities_.size();
    return b < 0 ? 0 : a < 0 ? 1 + index(b) : 1 + m + index(a) * m + index(b);
}

double AvailableLanes::cells_without(int a, int b) const {
    double cells = 1.0;
    for (int i = 0; i < static_cast<int>(arities_.size()); ++i)
        if (i != a && i != b) cells *= arities_[index(i)];
    return cells;
}

bool AvailableLanes::takes(std::span<const int32_t> arities) {
    arities_.assign(arities.begin(), arities.end());
    const double cells = cells_without(-1, -1);
    if (score_.shape() != Shape::set_function || cells > kMostLaneCells) return false;
    const size_t m = arities_.size(), places = 1 + m + m * m;
    if (terms_.size() <= static_cast<size_t>(cells)) terms_.resize(static_cast<size_t>(cells) + 1);
    const auto tabulated = [&](int a, int b) {
        Sums& sums = terms_[static_cast<size_t>(cells_without(a, b))];
        if (!sums.term) {
            const double own = cells_without(a, b);
            sums = {&score_.cells(own), score_.constant(own)};
        }
        return static_cast<int64_t>(sums.term->length()) > score_.counts() &&
               sums.constant > kNeverKept;
    };
    if (!tabulated(-1, -1)) return false;
    for (int a = 0; a < static_cast<int>(m); ++a) {
        if (!tabulated(-1, a)) return false;
        for (int b = a + 1; b < static_cast<int>(m); ++b)
            if (!tabulated(a, b)) return false;
    }
    if (margins_.size() < places) margins_.resize(places);
    sums_.resize(places * kLanes);
    margins_[0].resize(static_cast<size_t>(cells) * kLanes);
    return true;
}

void AvailableLanes::sum_out(const std::vector<int32_t>& from, int axis,
                             std::vector<int32_t>& to) const {
    size_t below = kLanes;
    for (int i = 0; i < axis; ++i) below *= index(arities_[index(i)]);
    const size_t states = index(arities_[index(axis)]), block = below * states;
    to.resize(from.size() / states);
    int32_t* out = to.data();
    for (size_t start = 0; start < from.size(); start += block, out += below) {
        const int32_t* in = from.data() + start;
        std::copy(in, in + below, out);
        for (size_t s = 1; s < states; ++s) {
            in += below;
            for (size_t i = 0; i < below; ++i) out[i] += in[i];
        }
    }
}

void AvailableLanes::add_up(size_t place, int a, int b) {
    const Sums& sums = terms_[static_cast<size_t>(cells_without(a, b))];
    const int64_t* const table = sums.term->table();
    const std::vector<int32_t>& cells = margins_[place];
    int64_t total[kLanes];
    for (int64_t& lane : total) lane = sums.constant;
    for (size_t at = 0; at < cells.size(); at += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) total[lane] += table[cells[at + lane]];
    std::copy(total, total + kLanes, sums_.begin() + static_cast<ptrdiff_t>(place * kLanes));
}

void AvailableLanes::sum() {
    const int m = static_cast<int>(arities_.size());
    std::fill(counts_, counts_ + kLanes, 0);
    for (size_t at = 0; at < margins_[0].size(); at += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) counts_[lane] += margins_[0][at + lane];
    for (size_t lane = 0; lane < kLanes; ++lane)
        ratios_[lane] = counts_[lane] > 0 ? static_cast<double>(score_.counts()) /
                                                static_cast<double>(counts_[lane])
                                          : 0.0;
    add_up(0, -1, -1);
    for (int b = 0; b < m; ++b) {
        const size_t without_b = place(-1, b);
        sum_out(margins_[0], b, margins_[without_b]);
        add_up(without_b, -1, b);
        for (int a = 0; a < b; ++a) {
            // Without b the axes before it, a among them, are where they were.
            sum_out(margins_[without_b], a, margins_[place(a, b)]);
            add_up(place(a, b), a, b);
        }
    }
}

void AvailableLanes::begin(int child) {
    child_ = child;
    const int64_t* const without = sums_.data() + place(-1, child) * kLanes;
    for (size_t lane = 0; lane < kLanes; ++lane) {
        gains_[lane] = sums_[lane] - without[lane];
        // The scores of complete rows compare as they are.
        const bool complete = counts_[lane] == score_.counts();
        values_[lane] = counts_[lane] == 0 ? kNeverKept : complete ? gains_[lane] : INT64_MAX;
    }
}

void AvailableLanes::rival(int u, const int64_t* smaller, bool same_for_all) {
    const int64_t* const family = sums_.data() + place(-1, u) * kLanes;
    const int64_t* const configurations = sums_.data() + place(child_, u) * kLanes;
    constexpr auto limit = -static_cast<double>(kNeverKept);
    for (size_t lane = 0; lane < kLanes; ++lane) {
        if (counts_[lane] == 0 || counts_[lane] == score_.counts()) continue;
        const int64_t before = smaller[same_for_all ? 0 : lane];
        const int64_t gain = gains_[lane] - (family[lane] - configurations[lane]);
        const double scaled = static_cast<double>(gain) * ratios_[lane];
        if (before <= kNeverKept || !(scaled > -limit)) {
            values_[lane] = kNeverKept;
            continue;
        }
        const int64_t rounded = scaled < limit
                                    ? static_cast<int64_t>(scaled + (scaled < 0.0 ? -0.5 : 0.5))
                                    : -kNeverKept;
        values_[lane] = std::min(values_[lane], before + rounded);
    }
}

int64_t AvailableLanes::bytes() const {
    size_t total = 8 * sums_.capacity() + sizeof(Sums) * terms_.capacity();
    for (const auto& margin : margins_) total += 4 * margin.capacity();
    return static_cast<int64_t>(total);
}

}  // namespace forebear
