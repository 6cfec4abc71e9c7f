// Python bindings of the searches: their parent sets, climbing by insertion, by swaps and by arcs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "common/budget.h"
#include "common/index.h"
#include "common/topology.h"
#include "search/climber.h"
#include "search/dagclimber.h"
#include "search/crossover.h"
#include "search/selection.h"
#include "search/swapclimber.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// Ranks of sets that there are, also of those that a search would never choose.
void check_any_ranks(const OrderSets& sets, const Numbers& ranks) {
    if (ranks.size() != index(sets.n()))
        throw nb::value_error("there must be one rank per variable");
    for (int v = 0; v < sets.n(); ++v)
        if (ranks.data()[v] < 0 || ranks.data()[v] >= sets.size(v))
            throw nb::value_error("a rank is not that of a set");
}

using Earlier = std::vector<std::vector<int32_t>>;

void check_variables(const std::vector<int32_t>& variables, int n) {
    for (const int32_t v : variables)
        if (v < 0 || v >= n) throw nb::index_error("no such variable");
}

void check_earlier(const Earlier& earlier, int n) {
    if (!earlier.empty() && earlier.size() != index(n))
        throw nb::value_error("there must be one list per variable");
    for (const auto& own : earlier) check_variables(own, n);
}

std::shared_ptr<OrderSets> make_sets(const Offsets& offsets, const Scores& scores,
                                     const Parents<uint16_t>& parents, int largest_square,
                                     int threads, Earlier earlier) {
    if (offsets.size() < 2 || parents.shape(0) > kMaxSlots)
        throw nb::value_error("no variables, or too many parents");
    const auto sets = as_view(offsets, scores, parents);
    check_earlier(earlier, sets.n());
    const nb::gil_scoped_release release;
    return std::make_shared<OrderSets>(sets, largest_square, std::max(1, threads),
                                       std::move(earlier));
}

void check_sample(const OrderSets& all, const Offsets& starts, const Numbers& ranks) {
    if (starts.size() != index(all.n()) + 1 || starts.data()[0] != 0 ||
        starts.data()[all.n()] != static_cast<int64_t>(ranks.size()))
        throw nb::value_error("a sample must have one list of ranks per variable");
    for (int v = 0; v < all.n(); ++v) {
        const int64_t begin = starts.data()[v], end = starts.data()[v + 1];
        if (begin >= end || end > static_cast<int64_t>(ranks.size()) ||
            ranks.data()[end - 1] != all.count(v) - 1)
            throw nb::value_error("a sample must contain every empty set");
        for (int64_t i = begin; i < end; ++i)
            if (ranks.data()[i] < 0 || ranks.data()[i] >= all.size(v) ||
                (i > begin && ranks.data()[i] <= ranks.data()[i - 1]))
                throw nb::value_error("ranks of a sample must be in ascending order");
    }
}

std::shared_ptr<OrderSets> make_sample(const OrderSets& all, Offsets starts, Numbers ranks) {
    check_sample(all, starts, ranks);
    const nb::gil_scoped_release release;
    return std::make_shared<OrderSets>(all, std::span(starts.data(), starts.size()),
                                       std::span(ranks.data(), ranks.size()));
}

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
        if (order.size() != places.size()) throw nb::value_error("these sets contain a cycle");
        return to_numpy(order);
    });
}

void bind_swaps(nb::module_& m) {
    nb::class_<SwapClimber>(m, "SwapClimber", "Greedy search over orders by swaps of adjacent variables.")
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

void bind_order_sets(nb::module_& m) {
    nb::class_<OrderSets>(m, "OrderSets", "Ranked parent sets in the form that the search reads.")
        .def(nb::new_(&make_sets), nb::arg("offsets"), nb::arg("scores"), nb::arg("parents"),
             nb::arg("largest_square") = kSquareVariables, nb::arg("threads") = 1,
             nb::arg("earlier") = Earlier{},
             // The class is the first argument of nb::new_, so these are scores and parents. Jobs
             // that were dropped may still read them.
             nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>())
        .def("sample", &make_sample, nb::arg("starts"), nb::arg("ranks"), nb::keep_alive<0, 1>())
        .def("total",
             [](const OrderSets& self, Numbers ranks) {
                 check_any_ranks(self, ranks);
                 int64_t sum = 0;
                 for (int v = 0; v < self.n(); ++v) sum += self.ticks(v, ranks.data()[v]);
                 return sum;
             })
        .def_prop_ro_static("square_variables", [](nb::handle) { return kSquareVariables; })
        .def_prop_ro_static("most_parents", [](nb::handle) { return kMaxSlots; })
        .def_prop_ro("n", &OrderSets::n)
        .def_prop_ro("bytes", &OrderSets::bytes)
        .def_prop_ro("ticks_per_nat", &OrderSets::ticks_per_nat)
        .def_prop_ro(
            "counts",
            [](const OrderSets& self) {
                std::vector<int32_t> counts;
                for (int v = 0; v < self.n(); ++v) counts.push_back(self.count(v));
                return to_numpy(counts);
            },
            nb::rv_policy::move)
        .def("full_ranks",
             [](const OrderSets& self, Numbers ranks) {
                 check_any_ranks(self, ranks);
                 std::vector<int32_t> result;
                 for (int v = 0; v < self.n(); ++v)
                     result.push_back(self.full_rank(v, ranks.data()[v]));
                 return to_numpy(result);
             })
        .def("repair_order",
             [](const OrderSets& self, Numbers order) {
                 return to_numpy(self.repair_order(as_order(self, order)));
             })
        .def("cross",
             [](const OrderSets& self, const Individual& x, const Individual& y, Random& random) {
                 check_ranks(self, x.ranks);
                 check_ranks(self, y.ranks);
                 return find_array([&] { return cross_networks(self, x, y, random); });
             });
}

void bind_climber(nb::module_& m) {
    nb::class_<Climber>(m, "Climber", "Hill climbing over orders by insertion.")
        .def(nb::init<std::shared_ptr<const OrderSets>>(), nb::arg("sets"), nb::keep_alive<1, 2>())
        .def("start",
             [](Climber& self, Numbers order) {
                 const auto places = as_order(self.sets(), order);
                 const nb::gil_scoped_release release;
                 self.start(places);
             })
        .def(
            "climb",
            [](Climber& self, Random& random, const Budget& budget) { self.climb(random, budget); },
            nb::call_guard<nb::gil_scoped_release>())
        .def("mark_changes",
             [](Climber& self, Numbers ranks) { self.mark_changes(as_ranks(self.sets(), ranks)); })
        .def(
            "climb_marked",
            [](Climber& self, Random& random, int window, const Budget& budget) {
                self.climb_marked(random, std::clamp(window, 0, self.sets().n()), budget);
            },
            nb::call_guard<nb::gil_scoped_release>())
        .def("mark_touched", &Climber::mark_touched)
        .def("improve",
             [](Climber& self, int v, int window) {
                 if (v < 0 || v >= self.sets().n()) throw nb::index_error("no such variable");
                 return self.improve(v, std::clamp(window, 0, self.sets().n()));
             })
        .def_prop_ro("score", &Climber::score)
        .def_prop_ro(
            "order", [](const Climber& self) { return to_numpy(self.order()); },
            nb::rv_policy::move)
        .def_prop_ro(
            "ranks", [](const Climber& self) { return to_numpy(self.ranks()); },
            nb::rv_policy::move);
}

}  // namespace

void bind_search(nb::module_& m) {
    bind_order_sets(m);
    bind_climber(m);
    bind_selection(m);
    bind_swaps(m);
    bind_arcs(m);
}
