// Python bindings of the bound.
#include "bound/bound.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/exclusive.h"
#include "bound/exactcost.h"
#include "common/budget.h"
#include "common/index.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// A bound and its parent sets.
struct BoundRun {
    BoundSets sets;
    Bound bound;
    InUse in_use;
    // The binding keeps the arrays alive.
    BoundRun(const Offsets& offsets, const Scores& scores, const Parents<uint16_t>& parents,
             int largest_exact, bool local_cuts)
        : sets(as_view(offsets, scores, parents)), bound(sets, largest_exact, local_cuts) {}

    /// The survivors of the bound, and the empty set of every variable.
    std::vector<std::vector<int32_t>> survivors(int threads) const {
        Team team(threads);
        auto ranks = sets.possible() ? bound.survivors(team)
                                     : std::vector<std::vector<int32_t>>(index(sets.n()));
        for (int v = 0; v < sets.n(); ++v) {
            auto& own = ranks[index(v)];
            if (own.empty() || own.back() != sets.empty_rank(v)) own.push_back(sets.empty_rank(v));
        }
        return ranks;
    }
};

/// Members, level, multiplier, shortfalls and what is due.
using Proven = std::tuple<std::vector<int32_t>, int, int64_t, std::vector<int32_t>, int>;

nb::ndarray<nb::numpy, int64_t, nb::ndim<1>> to_numpy64(const std::vector<int64_t>& values) {
    auto* copy = new int64_t[values.size()];
    std::copy(values.begin(), values.end(), copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<int64_t*>(p); });
    return {copy, {values.size()}, owner};
}

}  // namespace

void bind_bound(nb::module_& m) {
    nb::class_<BoundRun>(m, "Bound",
                         "A lower bound on the cost of every network, improved in rounds.")
        .def(nb::init<const Offsets&, const Scores&, const Parents<uint16_t>&, int, bool>(),
             nb::arg("offsets"), nb::arg("scores"), nb::arg("parents"), nb::arg("largest_exact"),
             nb::arg("local_cuts"), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
        .def(
            "know",
            [](BoundRun& self, int64_t cost, int64_t rounding) {
                const Exclusive use(self.in_use);
                self.bound.know(cost, rounding);
            },
            nb::arg("cost"), nb::arg("rounding"))
        .def(
            "advance",
            [](BoundRun& self, const Budget& budget, int threads) {
                const Exclusive use(self.in_use);
                Team team(threads);
                self.bound.advance(budget, team);
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
        .def_prop_ro("solved", [](const BoundRun& self) { return self.bound.solved(); })
        .def(
            "survivors",
            [](const BoundRun& self, int threads) {
                const Exclusive use(self.in_use);
                std::vector<std::vector<int32_t>> ranks;
                {
                    const nb::gil_scoped_release release;
                    ranks = self.survivors(threads);
                }
                std::vector<Array> arrays;
                for (const auto& own : ranks) arrays.push_back(to_numpy(own));
                return arrays;
            },
            nb::arg("threads"))
        .def("proofs",
             [](const BoundRun& self) {
                 const Exclusive use(self.in_use);
                 std::vector<std::vector<Proven>> proofs;
                 for (const auto& proof : self.bound.proofs()) {
                     proofs.emplace_back();
                     for (const auto& [cut, ticks] : proof)
                         proofs.back().emplace_back(
                             cut.members, cut.level, ticks,
                             std::vector<int32_t>(cut.shortfalls.begin(), cut.shortfalls.end()),
                             cut.due);
                 }
                 return proofs;
             })
        .def(
            "avoided",
            [](const BoundRun& self, size_t proof, int threads) {
                const Exclusive use(self.in_use);
                std::vector<int64_t> sums;
                {
                    const nb::gil_scoped_release release;
                    Team team(threads);
                    sums = self.bound.avoided(self.bound.proofs().at(proof), team);
                }
                return to_numpy64(sums);
            },
            nb::arg("proof"), nb::arg("threads"))
        .def_prop_ro("clusters", [](const BoundRun& self) { return self.bound.clusters(); });
}
