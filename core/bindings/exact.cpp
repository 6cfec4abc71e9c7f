// Python bindings of exact search: separation of cuts, ancestry, dynamic programming.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "common/budget.h"
#include "common/components.h"
#include "common/index.h"
#include "common/parallel.h"
#include "exact/ancestry.h"
#include "exact/clustercuts.h"
#include "exact/localcuts.h"
#include "exact/subsets.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

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
                                  const Scores& weight, int most_level, int64_t most_nodes,
                                  const Budget& budget, int threads) {
    const Support support = make_support(n, child, parents, weight);
    const nb::gil_scoped_release release;
    Team team(threads);
    std::vector<Cluster> result;
    for (auto& cut : find_cluster_cuts(support, most_level, most_nodes, budget, team))
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

std::optional<std::pair<double, std::vector<int>>> find_best_order(
    const Offsets& starts, const Vector<const uint32_t>& masks, const Scores& costs,
    const Budget& budget, int threads) {
    const size_t n = starts.size() - 1;
    if (starts.size() < 1 || n > 32 || index(starts.data()[n]) != masks.size() ||
        masks.size() != costs.size())
        throw nb::value_error("at most 32 variables, and one mask and one cost per set");
    std::vector<MaskedCosts> variables;
    for (size_t v = 0; v < n; ++v) {
        const auto begin = index(starts.data()[v]), size = index(starts.data()[v + 1]) - begin;
        variables.push_back({{masks.data() + begin, size}, {costs.data() + begin, size}});
    }
    const nb::gil_scoped_release release;
    Team team(threads);
    auto found = best_order(variables, budget, team);
    if (!found) return std::nullopt;
    return std::pair{found->cost, std::move(found->order)};
}

}  // namespace

void bind_exact(nb::module_& m) {
    m.def("cluster_cuts", &cluster_cuts, nb::arg("n"), nb::arg("child"), nb::arg("parents"),
          nb::arg("weight"), nb::arg("most_level"), nb::arg("most_nodes"), nb::arg("budget"),
          nb::arg("threads"));
    m.def("local_cuts", &local_cuts, nb::arg("n"), nb::arg("child"), nb::arg("parents"),
          nb::arg("weight"), nb::arg("variables"), nb::arg("choices"), nb::arg("budget"),
          nb::arg("threads"));
    m.def("propagate_ancestry", &ancestry, nb::arg("starts"), nb::arg("parents"),
          nb::arg("before"), nb::arg("allowed"));
    m.def("strong_components", &strong_components, nb::arg("arcs"));
    m.def("best_order", &find_best_order, nb::arg("starts"), nb::arg("masks"), nb::arg("costs"),
          nb::arg("budget"), nb::arg("threads"));
    m.def("bytes_of_best_order", &bytes_of_best_order, nb::arg("n"), nb::arg("threads"));
}
