// Python bindings of proofs: the dual ascent, separation of cuts, ancestry, dynamic programming.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "common/budget.h"
#include "common/index.h"
#include "common/parallel.h"
#include "proof/ancestry.h"
#include "proof/dualascent.h"
#include "proof/clustercuts.h"
#include "proof/localcuts.h"
#include "proof/pricing.h"
#include "proof/subsetorder.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// Members, level, multiplier, shortfalls and what is due.
using Proven = std::tuple<std::vector<int32_t>, int, int64_t, std::vector<int32_t>, int>;

std::vector<Proven> as_tuples(const std::vector<PricedCut>& cuts) {
    std::vector<Proven> result;
    for (const auto& [cut, ticks] : cuts)
        result.emplace_back(cut.members, cut.level, ticks,
                            std::vector<int32_t>(cut.shortfalls.begin(), cut.shortfalls.end()),
                            cut.due);
    return result;
}

std::vector<PricedCut> as_cuts(const std::vector<Proven>& tuples) {
    std::vector<PricedCut> result;
    for (const auto& [members, level, ticks, shortfalls, due] : tuples)
        result.push_back({{members, level, {shortfalls.begin(), shortfalls.end()}, due}, ticks});
    return result;
}

void init_ascent(DualAscent* self, const Offsets& offsets, const Offsets& costs,
                const Parents<uint16_t>& parents, const std::vector<Proven>& cuts,
                bool local_cuts) {
    SetCosts sets({offsets.data(), offsets.size()}, {costs.data(), costs.size()}, parents.data(),
                  static_cast<int>(parents.shape(0)));
    for (int v = 0; v < sets.n(); ++v)
        if (sets.count(v) == 0) throw nb::value_error("a variable has no allowed set");
    new (self) DualAscent(std::move(sets), as_cuts(cuts), local_cuts);
}

using Rows = Matrix<const int32_t>;

Support make_support(int n, const Numbers& child, const Rows& parents, const Scores& weight) {
    if (parents.shape(0) != child.size() || weight.size() != child.size())
        throw nb::value_error("one child, one row of parents and one weight per set");
    for (size_t i = 0; i < child.size(); ++i)
        if (child.data()[i] < 0 || child.data()[i] >= n) throw nb::index_error("no such variable");
    return {n,
            {child.data(), child.size()},
            {parents.data(), parents.size()},
            static_cast<int>(parents.shape(1)),
            {weight.data(), weight.size()}};
}

using Cluster = std::tuple<std::vector<int>, int, double>;

std::vector<Cluster> cluster_cuts(int n, const Numbers& child, const Rows& parents,
                                  const Scores& weight, const Budget& budget, int threads,
                                  int most_level) {
    const Support support = make_support(n, child, parents, weight);
    const nb::gil_scoped_release release;
    Team team(threads);
    std::vector<Cluster> result;
    for (auto& cut : find_cluster_cuts(support, most_level, budget, team))
        result.emplace_back(std::move(cut.members), cut.level, cut.violation);
    return result;
}

using Local = std::tuple<std::vector<int>, std::vector<int64_t>, int64_t, double>;

std::vector<Local> local_cuts(int n, const Numbers& child, const Rows& parents,
                              const Scores& weight, int variables, int choices,
                              const Budget& budget, int threads) {
    const Support support = make_support(n, child, parents, weight);
    if (variables < 2 || variables > 20) throw nb::value_error("groups have 2 to 20 variables");
    const nb::gil_scoped_release release;
    Team team(threads);
    std::vector<Local> result;
    for (auto& cut : find_local_cuts(support, {variables, choices}, budget, team))
        result.emplace_back(std::move(cut.group), std::move(cut.values), cut.limit, cut.violation);
    return result;
}

bool ancestry(const Offsets& starts, const Rows& parents,
              const std::vector<std::pair<int, int>>& before, Vector<uint8_t> allowed) {
    const SetRows sets{{starts.data(), starts.size()},
                       {parents.data(), parents.size()},
                       static_cast<int>(parents.shape(1))};
    if (starts.size() < 1 || index(starts.data()[sets.n()]) != parents.shape(0) ||
        allowed.size() != parents.shape(0))
        throw nb::value_error("one row of parents and one mark per set");
    for (const auto& [u, v] : before)
        if (u < 0 || v < 0 || u >= sets.n() || v >= sets.n())
            throw nb::index_error("no such variable");
    const nb::gil_scoped_release release;
    return propagate_ancestry(sets, before, {allowed.data(), allowed.size()});
}

void init_order(SubsetOrder* self, const Offsets& starts, const Vector<const uint32_t>& masks,
                const Scores& costs, int low) {
    if (starts.size() < 1 || starts.size() > 33 || masks.size() != costs.size() ||
        index(starts.data()[starts.size() - 1]) != masks.size())
        throw nb::value_error("at most 32 variables, and one mask and one cost per set");
    std::vector<MaskedCosts> variables;
    for (size_t v = 0; v + 1 < starts.size(); ++v) {
        const auto begin = index(starts.data()[v]), size = index(starts.data()[v + 1]) - begin;
        variables.push_back({{masks.data() + begin, size}, {costs.data() + begin, size}});
    }
    new (self) SubsetOrder(std::move(variables), low);
}

}  // namespace

void bind_proof(nb::module_& m) {
    nb::class_<DualAscent>(m, "DualAscent",
                           "A lower bound on the cost of every network, improved in rounds.")
        .def("__init__", &init_ascent, nb::arg("offsets").noconvert(), nb::arg("costs").noconvert(),
             nb::arg("parents").noconvert(), nb::arg("cuts"), nb::arg("local_cuts"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 4>())
        .def("set_incumbent", &DualAscent::set_incumbent, nb::arg("cost"), nb::arg("target"))
        .def(
            "advance",
            [](DualAscent& self, const Budget& budget, int threads) {
                Team team(threads);
                self.advance(budget, team);
            },
            nb::arg("budget"), nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("least_cost", &DualAscent::least_cost)
        .def_prop_ro("closed", &DualAscent::closed)
        .def_prop_ro("drops", &DualAscent::drops)
        .def_prop_ro("clusters", &DualAscent::clusters)
        .def("proofs",
             [](const DualAscent& self) {
                 std::vector<std::vector<Proven>> proofs;
                 for (const auto& proof : self.proofs()) proofs.push_back(as_tuples(proof));
                 return proofs;
             })
        .def(
            "avoided",
            [](const DualAscent& self, size_t proof, int threads) {
                return find_array([&] {
                    Team team(threads);
                    return self.avoided(self.proofs().at(proof), team);
                });
            },
            nb::arg("proof"), nb::arg("threads"));
    m.def("cluster_cuts", &cluster_cuts, nb::arg("n"), nb::arg("child"), nb::arg("parents"),
          nb::arg("weight"), nb::arg("budget"), nb::arg("threads"),
          nb::arg("most_level") = Pricing::kMostLevel);
    m.def("local_cuts", &local_cuts, nb::arg("n"), nb::arg("child"), nb::arg("parents"),
          nb::arg("weight"), nb::arg("variables"), nb::arg("choices"), nb::arg("budget"),
          nb::arg("threads"));
    m.def("propagate_ancestry", &ancestry, nb::arg("starts"), nb::arg("parents"),
          nb::arg("before"), nb::arg("allowed"));
    nb::class_<SubsetOrder>(m, "SubsetOrder", "Dynamic programming over sets of variables.")
        .def("__init__", &init_order, nb::arg("starts"), nb::arg("masks").noconvert(),
             nb::arg("costs").noconvert(), nb::arg("low") = SubsetOrder::kLowBits, nb::keep_alive<1, 3>(),
             nb::keep_alive<1, 4>())
        .def(
            "advance",
            [](SubsetOrder& self, const Budget& budget, int threads) {
                Team team(threads);
                return self.advance(budget, team);
            },
            nb::arg("budget"), nb::arg("threads"), nb::call_guard<nb::gil_scoped_release>())
        .def("order", [](const SubsetOrder& self) {
            BestOrder found = self.order();
            return std::pair{found.cost, std::move(found.order)};
        });
    m.def("bytes_of_best_order", &bytes_of_best_order, nb::arg("n"), nb::arg("threads"));
}
