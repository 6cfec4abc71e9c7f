// Arrays between Python and the core: checked on the way in, copied on the way out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "common/index.h"
#include "common/mappedarray.h"
#include "common/parentsets.h"
#include "search/ordersets.h"

namespace forebear {

template <class Value>
using Vector =
    nanobind::ndarray<Value, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class Value>
using Matrix =
    nanobind::ndarray<Value, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

using Offsets = Vector<const int64_t>;
using Scores = Vector<const double>;
template <class Id>
using Parents = Matrix<const Id>;
using Numbers = Vector<const int32_t>;

/// The arrays of ParentSets, which have one column of `parents` per score.
template <class Id>
ParentSetsView<Id> as_view(const Offsets& offsets, const Scores& scores,
                           const Parents<Id>& parents) {
    return {{offsets.data(), offsets.size()},
            {scores.data(), scores.size()},
            parents.data(),
            static_cast<int>(parents.shape(0))};
}

/// An array that owns these values, one after another in this shape; in one row without a shape.
template <class Value>
nanobind::ndarray<nanobind::numpy, Value> owned(std::vector<Value>&& values,
                                                std::vector<size_t> shape = {}) {
    auto* held = new std::vector<Value>(std::move(values));
    nanobind::capsule owner(
        held, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    if (shape.empty()) shape.push_back(held->size());
    return {held->data(), shape.size(), shape.data(), owner};
}

inline auto to_numpy(std::span<const int32_t> values) {
    return owned(std::vector<int32_t>(values.begin(), values.end()));
}

/// An array of this shape in mapped memory, which is not initialized.
template <class Value>
nanobind::ndarray<nanobind::numpy, Value> unfilled(std::vector<size_t> shape) {
    size_t size = 1;
    for (const size_t axis : shape) size *= axis;
    auto* held = new MappedArray<Value>(std::max<size_t>(1, size));
    nanobind::capsule owner(
        held, [](void* p) noexcept { delete static_cast<MappedArray<Value>*>(p); });
    return {held->data(), shape.size(), shape.data(), owner};
}

/// The arrays of ranked sets: offsets, scores and parents. There are `counts[v]` sets of variable
/// v; write(offsets, scores, parents) fills the arrays without the GIL.
template <class Id, class Write>
nanobind::tuple ranked_arrays(const std::vector<int64_t>& counts, int slots, const Write& write) {
    std::vector<int64_t> offsets(1, 0);
    for (const int64_t count : counts) offsets.push_back(offsets.back() + count);
    const size_t total = index(offsets.back());
    auto scores = unfilled<double>({total});
    auto parents = unfilled<Id>({index(slots), total});
    {
        const nanobind::gil_scoped_release release;
        write(std::span<const int64_t>(offsets), scores.data(), parents.data());
    }
    return nanobind::make_tuple(owned(std::move(offsets)), scores, parents);
}

/// Calls `find` without the GIL and returns the numbers that it finds as an array.
template <class Find>
auto find_array(const Find& find) {
    auto found = [&] {
        const nanobind::gil_scoped_release release;
        return find();
    }();
    return owned(std::move(found));
}

inline void check_permutation(std::span<const int32_t> order) {
    std::vector<bool> seen(order.size());
    for (const int32_t v : order) {
        if (v < 0 || index(v) >= seen.size() || seen[index(v)])
            throw nanobind::value_error("an order lists every variable once");
        seen[index(v)] = true;
    }
}

inline void check_ranks(const OrderSets& sets, std::span<const int32_t> ranks) {
    bool good = ranks.size() == index(sets.n());
    for (int v = 0; good && v < sets.n(); ++v)
        good = ranks[index(v)] >= 0 && ranks[index(v)] < sets.count(v);
    if (!good)
        throw nanobind::value_error("there must be one valid rank per variable");
}

/// An order, checked.
inline std::span<const int32_t> as_order(const OrderSets& sets, const Numbers& order) {
    const std::span<const int32_t> result(order.data(), order.size());
    if (result.size() != index(sets.n()))
        throw nanobind::value_error("an order lists every variable once");
    check_permutation(result);
    return result;
}

/// One rank per variable, checked.
inline std::span<const int32_t> as_ranks(const OrderSets& sets, const Numbers& ranks) {
    const std::span<const int32_t> result(ranks.data(), ranks.size());
    check_ranks(sets, result);
    return result;
}

}  // namespace forebear
