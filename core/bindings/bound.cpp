// The bound, as Python sees it.
#include "bound/bound.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bindings/arrays.h"
#include "bound/exactcost.h"
#include "common/budget.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

using Offsets = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Parents = nb::ndarray<const uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A bound and the sets that it is about.
struct BoundRun {
    BoundSets sets;
    Bound bound;
    // What Python holds is kept alive by the binding.
    BoundRun(Offsets offsets, Scores scores, Parents parents, int largest_exact)
        : sets({offsets.data(), offsets.size()}, scores.data(), parents.data(),
               static_cast<int>(parents.shape(0)), static_cast<int64_t>(scores.size())),
          bound(sets, largest_exact) {}

    /// Those of the bound, and the empty sets, which every variable has.
    std::vector<std::vector<int32_t>> survivors(int threads) const {
        auto ranks = sets.possible()
                         ? bound.survivors(threads)
                         : std::vector<std::vector<int32_t>>(static_cast<size_t>(sets.n()));
        for (int v = 0; v < sets.n(); ++v) {
            auto& own = ranks[static_cast<size_t>(v)];
            if (own.empty() || own.back() != sets.empty_rank(v)) own.push_back(sets.empty_rank(v));
        }
        return ranks;
    }
};

/// Ranks of every variable, found while others may use Python.
template <class Find>
std::vector<Array> to_arrays(const Find& find) {
    std::vector<std::vector<int32_t>> ranks;
    {
        const nb::gil_scoped_release release;
        ranks = find();
    }
    std::vector<Array> arrays;
    for (const auto& own : ranks) arrays.push_back(to_numpy(own));
    return arrays;
}

}  // namespace

void bind_bound(nb::module_& m) {
    nb::class_<BoundRun>(m, "Bound", "A score that no network exceeds, round by round.")
        .def(nb::init<Offsets, Scores, Parents, int>(), nb::arg("offsets"), nb::arg("scores"),
             nb::arg("parents"), nb::arg("largest_exact"), nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 4>())
        .def(
            "know",
            [](BoundRun& self, int64_t cost, int64_t rounding) { self.bound.know(cost, rounding); },
            nb::arg("cost"), nb::arg("rounding"))
        .def(
            "advance",
            [](BoundRun& self, const SharedBudget& budget, int threads) {
                self.bound.advance(budget.budget, std::max(1, threads));
            },
            nb::arg("budget"), nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("ticks_per_nat",
                     [](const BoundRun& self) { return self.sets.ticks_per_nat(); })
        .def_prop_ro("least_cost",
                     [](const BoundRun& self) -> std::optional<int64_t> {
                         if (self.bound.least_cost() >= kNoNetwork) return std::nullopt;
                         return self.bound.least_cost();
                     })
        .def_prop_ro("closed", [](const BoundRun& self) { return self.bound.closed(); })
        .def(
            "survivors",
            [](const BoundRun& self, int threads) {
                return to_arrays([&] { return self.survivors(std::max(1, threads)); });
            },
            nb::arg("threads"))
        .def(
            "by_reduced_cost",
            [](const BoundRun& self, int threads) {
                return to_arrays([&] { return self.bound.by_reduced_cost(std::max(1, threads)); });
            },
            nb::arg("threads"))
        .def_prop_ro("clusters", [](const BoundRun& self) { return self.bound.clusters(); });
}
