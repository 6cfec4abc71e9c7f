// Python bindings of growing parent sets.
#include "scoring/growth.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bindings/arrays.h"
#include "bindings/exclusive.h"
#include "bindings/tables.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// The sets, and the table that they read.
struct PyGrowingSets {
    Packed packed;
    std::unique_ptr<GrowingSets> sets;
    InUse in_use{};
};

PyGrowingSets make_growing_sets(const Packed& packed, const std::string& score, std::vector<double> ess,
                 std::map<double, double> chi_squared, std::vector<double> prior,
                 std::vector<int32_t> max_parents, nb::object allowed, std::vector<std::vector<int>> required,
                 std::vector<std::vector<int32_t>> candidates, int64_t most_sets,
                 int64_t most_families, int threads, double margin, int complete, nb::object useful,
                 int most_useful) {
    const size_t n = packed.table->table().arities.size();
    if (max_parents.size() != n)
        throw nb::value_error("max_parents must have one number per variable");
    for (int32_t& most : max_parents) most = std::clamp(most, 0, kMaxSlots);
    Constraints constraints = make_constraints(allowed, n, std::move(required), useful, most_useful);
    if ((!candidates.empty() && candidates.size() != n) || most_sets < 2)
        throw nb::value_error(
            "candidates must have one list per variable, and most_sets be at least 2");
    for (const auto& own : candidates)
        for (const int32_t u : own)
            if (u < 0 || index(u) >= n) throw nb::index_error("a candidate is not a variable");
    ScoreOptions options =
        make_score_options(packed, score, std::move(ess), std::move(chi_squared), std::move(prior));
    Team team(threads);
    std::unique_ptr<GrowingSets> sets;
    {
        const nb::gil_scoped_release release;
        sets = std::make_unique<GrowingSets>(
            packed.table, std::move(options), std::move(constraints),
            GrowthOptions{std::move(max_parents), std::move(candidates), most_sets, most_families,
                          margin, complete},
            team);
    }
    return {packed, std::move(sets)};
}

std::span<const int32_t> checked_ranks(const GrowingSets& sets, const Numbers& ranks) {
    const std::vector<int64_t> counts = sets.counts();
    if (ranks.size() % counts.size() != 0) throw nb::value_error("one rank per variable");
    for (size_t i = 0; i < ranks.size(); ++i)
        if (ranks.data()[i] < 0 || ranks.data()[i] >= counts[i % counts.size()])
            throw nb::value_error("a rank is beyond the sets of its variable");
    return {ranks.data(), ranks.size()};
}

void check_parents(int n, int child, const std::vector<uint16_t>& parents) {
    const bool fits = child >= 0 && child < n && parents.size() <= kMaxSlots &&
                      std::is_sorted(parents.begin(), parents.end()) &&
                      std::all_of(parents.begin(), parents.end(), [&](uint16_t member) {
                          return member < n && member != child;
                      });
    if (!fits) throw nb::value_error("parents must be other variables, in ascending order");
}

}  // namespace

void bind_growth(nb::module_& m) {
    nb::class_<PyGrowingSets>(m, "GrowingSets",
                              "Parent sets that are extended by the neighbors of sets in use.")
        .def_static("make", &make_growing_sets, nb::arg("table"), nb::arg("score"), nb::arg("ess"),
                    nb::arg("chi_squared"), nb::arg("prior"), nb::arg("max_parents"),
                    nb::arg("allowed").none(), nb::arg("required"), nb::arg("candidates"), nb::arg("most_sets"),
                    nb::arg("most_families"), nb::arg("threads") = 1, nb::arg("margin") = 0.0,
                    nb::arg("complete") = 0, nb::arg("useful").none() = nb::none(), nb::arg("most_useful") = 0)
        .def("clear",
             [](PyGrowingSets& self, nb::object allowed, std::vector<std::vector<int>> required) {
                 const Exclusive use(self.in_use);
                 self.sets->clear(
                     make_constraints(allowed, index(self.sets->n()), std::move(required)));
             },
             nb::arg("allowed").none(), nb::arg("required"))
        .def("add",
             [](PyGrowingSets& self, const Offsets& offsets, const Scores& scores,
                const Parents<uint16_t>& parents, bool all, int threads) {
                 const Exclusive use(self.in_use);
                 if (offsets.size() != index(self.sets->n()) + 1 || parents.shape(0) > kMaxSlots)
                     throw nb::value_error("the sets have other variables or too many parents");
                 const auto view = as_view(offsets, scores, parents);
                 const nb::gil_scoped_release release;
                 return self.sets->add(view, all, std::max(1, threads));
             })
        .def("grow",
             [](PyGrowingSets& self, const Numbers& ranks, int threads, const Budget& budget) {
                 const Exclusive use(self.in_use);
                 const auto networks = checked_ranks(*self.sets, ranks);
                 const nb::gil_scoped_release release;
                 return self.sets->grow(networks, std::max(1, threads), budget);
             })
        .def("score",
             [](PyGrowingSets& self,
                const std::vector<std::pair<int, std::vector<uint16_t>>>& families) {
                 const Exclusive use(self.in_use);
                 std::vector<GrowingSets::Family> checked;
                 for (const auto& [child, parents] : families) {
                     check_parents(self.sets->n(), child, parents);
                     if (parents.empty()) throw nb::value_error("the empty set is never scored");
                     checked.push_back({child, parents});
                 }
                 const nb::gil_scoped_release release;
                 return self.sets->score(checked);
             })
        .def("gains",
             [](PyGrowingSets& self, const std::vector<std::vector<uint16_t>>& network,
                const Scores& scores, int threads) {
                 const Exclusive use(self.in_use);
                 const size_t n = index(self.sets->n());
                 if (network.size() != n || scores.size() != n)
                     throw nb::value_error("one set and one score per variable");
                 for (size_t v = 0; v < n; ++v)
                     check_parents(self.sets->n(), static_cast<int>(v), network[v]);
                 auto matrix = unfilled<double>({n, n});
                 const nb::gil_scoped_release release;
                 self.sets->gains(network, {scores.data(), n}, matrix.data(), std::max(1, threads));
                 return matrix;
             })
        .def("translate",
             [](const PyGrowingSets& self, const Numbers& ranks) {
                 const Exclusive use(self.in_use);
                 return to_numpy(self.sets->translate({ranks.data(), ranks.size()}));
             })
        .def("arrays",
             [](const PyGrowingSets& self, int threads) {
                 const Exclusive use(self.in_use);
                 const auto write = [&](auto offsets, double* scores, uint16_t* parents) {
                     self.sets->write(offsets, scores, parents, std::max(1, threads));
                 };
                 return ranked_arrays<uint16_t>(self.sets->counts(), self.sets->slots(), write);
             })
        .def("extended",
             [](const PyGrowingSets& self) {
                 const Exclusive use(self.in_use);
                 return owned(self.sets->extended());
             })
        .def("requested",
             [](const PyGrowingSets& self, int child) {
                 const Exclusive use(self.in_use);
                 if (child < 0 || child >= self.sets->n()) throw nb::index_error("no such variable");
                 return self.sets->requested(child);
             })
        .def("note_requested",
             [](PyGrowingSets& self, int child,
                nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig> keys) {
                 const Exclusive use(self.in_use);
                 if (child < 0 || child >= self.sets->n()) throw nb::index_error("no such variable");
                 self.sets->note_requested(child, {keys.data(), keys.size()});
             })
        .def_prop_ro("families", [](const PyGrowingSets& self) { return self.sets->families(); })
        .def_prop_ro("requests", [](const PyGrowingSets& self) { return self.sets->requests(); })
        .def_prop_ro("bytes", [](const PyGrowingSets& self) { return self.sets->bytes(); });
}
