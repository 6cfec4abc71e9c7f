// Python bindings of posterior sampling.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "bindings/arrays.h"
#include "bindings/tables.h"
#include "posterior/exactsums.h"
#include "posterior/sampler.h"
#include "posterior/widening.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

void init_sampler(Sampler* self, const Offsets& offsets, const Scores& scores,
                  const Parents<uint16_t>& parents, const std::vector<double>& betas,
                  const Matrix<const int32_t>& starts, const std::vector<Random>& seeds,
                  double tail, const std::vector<Relations::Pairs>& relations) {
    const auto sets = as_view(offsets, scores, parents);
    const size_t n = offsets.size() - 1;
    if (parents.shape(0) > kMaxSlots || parents.shape(0) < 1 || relations.size() != 4 ||
        starts.shape(0) != seeds.size() * betas.size() || starts.shape(1) != n)
        throw nb::value_error("one network per chain and temperature");
    for (size_t i = 0; i < starts.size(); ++i)
        if (const int32_t rank = starts.data()[i];
            rank < 0 || rank >= sets.offsets[i % n + 1] - sets.offsets[i % n])
            throw nb::value_error("a rank is not that of a set");
    new (self) Sampler(sets, betas, {relations[0], relations[1], relations[2], relations[3]},
                       {starts.data(), starts.size()}, seeds, tail);
}

using Pair = std::pair<int64_t, int64_t>;

/// How often moves of each kind were tried and accepted.
std::map<std::string, Pair> move_counts(const Sampler& self, int chain) {
    std::map<std::string, Pair> result;
    const auto add = [&](const char* name, const MoveCounts& counts) {
        result[name].first += counts.tried;
        result[name].second += counts.accepted;
    };
    const Ladder& ladder = self.ladder(chain);
    for (const Chain& rung : ladder.rungs) {
        add("redraw", rung.redraws());
        add("reverse", rung.reversals());
    }
    for (const MoveCounts& own : ladder.exchanges) add("temperature", own);
    return result;
}

void bind_sampler(nb::module_& m) {
    nb::class_<Sampler>(m, "Sampler", "Markov chains in the space of networks.")
        .def("__init__", &init_sampler, nb::arg("offsets"), nb::arg("scores").noconvert(),
             nb::arg("parents").noconvert(), nb::arg("betas"), nb::arg("starts"),
             nb::arg("seeds"), nb::arg("tail"), nb::arg("relations"), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
        .def("advance", &Sampler::advance, nb::arg("samples"), nb::arg("thin"), nb::arg("threads"),
             nb::arg("budget"), nb::call_guard<nb::gil_scoped_release>())
        .def("forget", &Sampler::forget)
        .def("halve", &Sampler::halve)
        .def("samples",
             [](const Sampler& self, int chain) {
                 const Ladder& ladder = self.ladder(chain);
                 return std::pair(owned(std::vector(ladder.ranks),
                                        {ladder.scores.size(), index(self.sets().n())}),
                                  owned(std::vector(ladder.scores)));
             })
        .def("visits",
             [](const Sampler& self, int chain) {
                 const Ladder& ladder = self.ladder(chain);
                 return std::pair(owned(std::vector(ladder.visits)), ladder.sweeps);
             })
        .def("move_counts", &move_counts)
        .def("exchanges",
             [](const Sampler& self, int chain) {
                 std::vector<Pair> found;
                 for (const MoveCounts& own : self.ladder(chain).exchanges)
                     found.emplace_back(own.tried, own.accepted);
                 return found;
             })
        .def("networks",
             [](Sampler& self) {
                 const size_t n = index(self.sets().n());
                 std::vector<int32_t> found = self.networks();
                 const size_t rows = found.size() / n;
                 return owned(std::move(found), {rows, n});
             })
        .def_prop_ro("chains", &Sampler::chains)
        .def_prop_ro("left_out", &Sampler::left_out);
}

/// Widens the sets, or adds the neighbors of the sets in `used`, if these are passed.
auto widen(const Packed& packed, const std::string& score, std::vector<double> ess,
           std::map<double, double> chi_squared, nb::object allowed,
           std::vector<std::vector<int>> required, std::vector<uint8_t> useful, int needing,
           std::vector<int32_t> max_parents, std::vector<double> prior, double margin,
           int complete, int largest, int64_t most_expanded, int64_t most_sets,
           const Offsets& offsets, const Scores& scores, const Parents<uint16_t>& parents,
           const std::optional<Vector<const uint8_t>>& explored,
           const std::optional<Vector<const uint8_t>>& used, int threads, const Budget& budget) {
    const size_t n = packed.table->table().arities.size();
    if (packed.table->table().missing)
        throw nb::value_error("the table must not have missing values");
    if (max_parents.size() != n || offsets.size() != n + 1 || parents.shape(0) > kMaxSlots)
        throw nb::value_error("one list per variable");
    int slots = 1;
    for (int32_t& most : max_parents) slots = std::max(slots, most = std::clamp(most, 0, kMaxSlots));
    ScoreOptions options =
        make_score_options(packed, score, std::move(ess), std::move(chi_squared), std::move(prior));
    if (!useful.empty() && useful.size() != n * n) throw nb::value_error("one entry per arc");
    Constraints constraints = make_constraints(allowed, n, std::move(required));
    const auto first = as_view(offsets, scores, parents);
    if (explored.has_value() != used.has_value() ||
        (used && (used->size() != scores.size() || explored->size() != scores.size())))
        throw nb::value_error("one entry per set");
    std::vector<int64_t> places(1, 0);
    std::vector<double> found_scores;
    std::vector<uint16_t> members;
    std::vector<uint8_t> seen;
    int64_t cut = 0;
    {
        const nb::gil_scoped_release release;
        Team team(std::max(1, threads));
        Widening widening(packed.table,
                          std::move(options),
                          std::move(constraints),
                          WideningOptions{std::move(max_parents), margin, complete, largest, most_expanded,
                                          std::max<int64_t>(2, most_sets), std::move(useful),
                                          needing},
                          team);
        const std::vector<WideSets> found =
            used ? widening.grow(first, {explored->data(), explored->size()},
                                 {used->data(), used->size()}, team, budget)
                 : widening.widen(first, team, budget);
        size_t used_slots = 1;
        for (const WideSets& own : found) {
            places.push_back(places.back() + static_cast<int64_t>(own.sets.size()));
            cut += own.cut;
            for (const WideSet& set : own.sets)
                used_slots = std::max(used_slots, set.members.size());
        }
        slots = static_cast<int>(used_slots);
        const size_t total = index(places.back());
        members.assign(total * index(slots), std::numeric_limits<uint16_t>::max());
        for (const WideSets& own : found)
            for (const WideSet& set : own.sets) {
                const size_t at = found_scores.size();
                for (size_t k = 0; k < set.members.size(); ++k)
                    members[k * total + at] = set.members[k];
                found_scores.push_back(set.score);
                seen.push_back(set.explored);
            }
    }
    const size_t total = found_scores.size();
    return std::tuple(owned(std::move(places)), owned(std::move(found_scores)),
                      owned(std::move(members), {index(slots), total}), owned(std::move(seen)), cut);
}

}  // namespace

void bind_posterior(nb::module_& m) {
    bind_sampler(m);
    m.def("widen", &widen, nb::arg("table"), nb::arg("score"), nb::arg("ess"),
          nb::arg("chi_squared"), nb::arg("allowed").none(), nb::arg("required"),
          nb::arg("useful"), nb::arg("needing"), nb::arg("max_parents"), nb::arg("prior"),
          nb::arg("margin"), nb::arg("complete"), nb::arg("largest"), nb::arg("most_expanded"),
          nb::arg("most_sets"), nb::arg("offsets"), nb::arg("scores"), nb::arg("parents"),
          nb::arg("explored").none(), nb::arg("used").none(), nb::arg("threads"),
          nb::arg("budget"),
          "Also the sets that a subset beats by at most a margin.");
    m.def(
        "exact_sums",
        [](const Offsets& offsets, const Scores& scores, const Parents<uint16_t>& parents,
           const Vector<const double>& scale, const Budget& budget) {
            if (scale.size() + 1 != offsets.size()) throw nb::value_error("one scale per variable");
            const auto sets = as_view(offsets, scores, parents);
            ExactSums found;
            {
                const nb::gil_scoped_release release;
                found = exact_sums(sets, {scale.data(), scale.size()}, budget);
            }
            return std::tuple(found.log_total, owned(std::move(found.probabilities)),
                              found.finished);
        },
        nb::arg("offsets"), nb::arg("scores"), nb::arg("parents"), nb::arg("scale"),
        nb::arg("budget"), "The probability of every parent set, over all networks.");
}
