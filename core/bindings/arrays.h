// Orders and ranks on their way between Python and the core: checked coming in, copied going out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <span>
#include <vector>

#include "search/ordersets.h"

namespace forebear {

using Numbers =
    nanobind::ndarray<const int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Array = nanobind::ndarray<nanobind::numpy, int32_t, nanobind::ndim<1>>;

inline Array to_numpy(std::span<const int32_t> values) {
    auto* copy = new int32_t[values.size()];
    std::copy(values.begin(), values.end(), copy);
    nanobind::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<int32_t*>(p); });
    return {copy, {values.size()}, owner};
}

/// An order, checked.
inline std::span<const int32_t> as_order(const OrderSets& sets, const Numbers& order) {
    std::vector<bool> seen(static_cast<size_t>(sets.n()));
    bool good = order.size() == seen.size();
    for (size_t i = 0; good && i < order.size(); ++i) {
        const int32_t v = order.data()[i];
        good = v >= 0 && v < sets.n() && !seen[static_cast<size_t>(v)];
        if (good) seen[static_cast<size_t>(v)] = true;
    }
    if (!good) throw nanobind::value_error("an order lists every variable once");
    return {order.data(), order.size()};
}

/// A rank of every variable, checked.
inline std::span<const int32_t> as_ranks(const OrderSets& sets, const Numbers& ranks) {
    bool good = ranks.size() == static_cast<size_t>(sets.n());
    for (int v = 0; good && v < sets.n(); ++v)
        good = ranks.data()[v] >= 0 && ranks.data()[v] < sets.count(v);
    if (!good)
        throw nanobind::value_error("there is one rank a variable, not past the end of its list");
    return {ranks.data(), ranks.size()};
}

}  // namespace forebear
