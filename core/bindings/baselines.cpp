// Python bindings of the searches by swaps, by arcs, and ASOBS.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings/arrays.h"
#include "common/index.h"
#include "common/topology.h"
#include "search/dagclimb.h"
#include "search/selection.h"
#include "search/swapclimb.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

void bind_selection(nb::module_& m) {
    m.def("best_sets", [](const OrderSets& sets, Numbers order) {
        const auto places = as_order(sets, order);
        std::vector<int32_t> ranks(places.size());
        int64_t score;
        {
            const nb::gil_scoped_release release;
            score = best_sets(sets, places, ranks);
        }
        return std::pair(score, to_numpy(ranks));
    });
    m.def("order_of", [](const OrderSets& sets, Numbers ranks, Numbers preference) {
        const auto chosen = as_ranks(sets, ranks);
        const auto places = as_order(sets, preference);
        const auto slots = index(sets.slots());
        std::vector<int32_t> parents(chosen.size() * slots);
        for (size_t v = 0; v < chosen.size(); ++v)
            write_parents(sets, static_cast<int>(v), chosen[v], parents.data() + v * slots);
        const auto order = topological_order(parents, sets.slots(), places, Next::ready_longest);
        if (order.size() != places.size()) throw nb::value_error("these sets make a cycle");
        return to_numpy(order);
    });
}

void bind_swaps(nb::module_& m) {
    nb::class_<SwapClimber>(m, "SwapClimber", "Greedy search over orders by swaps of neighbours.")
        .def(nb::init<std::shared_ptr<const OrderSets>, int, int>(), nb::arg("sets"),
             nb::arg("tabu_length"), nb::arg("patience"), nb::keep_alive<1, 2>())
        .def("start",
             [](SwapClimber& self, Numbers order) {
                 const auto places = as_order(self.sets(), order);
                 const nb::gil_scoped_release release;
                 self.start(places);
             })
        .def("climb", &SwapClimber::climb, nb::arg("steps"),
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "best_order", [](const SwapClimber& self) { return to_numpy(self.best_order()); },
            nb::rv_policy::move)
        .def_prop_ro("best_score", &SwapClimber::best_score);
}

void bind_arcs(nb::module_& m) {
    nb::class_<DagClimber>(m, "DagClimber", "Greedy search over networks by single arcs.")
        .def(nb::init<std::shared_ptr<const OrderSets>, int, int>(), nb::arg("sets"),
             nb::arg("tabu_length"), nb::arg("patience"), nb::keep_alive<1, 2>(),
             nb::call_guard<nb::gil_scoped_release>())
        .def("start",
             [](DagClimber& self, Numbers ranks) {
                 const auto chosen = as_ranks(self.sets(), ranks);
                 const nb::gil_scoped_release release;
                 self.start(chosen);
             })
        .def("perturb", &DagClimber::perturb, nb::arg("random"), nb::arg("moves"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("climb", &DagClimber::climb, nb::arg("steps"),
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro(
            "best_ranks", [](const DagClimber& self) { return to_numpy(self.best_ranks()); },
            nb::rv_policy::move)
        .def_prop_ro("best_score", &DagClimber::best_score);
}

}  // namespace

void bind_baselines(nb::module_& m) {
    bind_selection(m);
    bind_swaps(m);
    bind_arcs(m);
}
