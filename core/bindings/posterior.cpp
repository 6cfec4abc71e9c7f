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
#include "bindings/exclusive.h"
#include "bindings/tables.h"
#include "common/topology.h"
#include "posterior/exactsums.h"
#include "posterior/sampler.h"
#include "posterior/widening.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

struct SamplerRun {
    std::unique_ptr<Sampler> sampler;
    InUse in_use{};
};

/// Refuses what is no network of these sets: the chains would never leave a cycle.
void check_network(const WeightedSets& sets, std::span<const int32_t> ranks) {
    std::vector<int32_t> parents(index(sets.n()) * kMaxSlots, -1), order;
    for (int v = 0; v < sets.n(); ++v) {
        const int32_t rank = ranks[index(v)];
        if (rank < 0 || rank >= sets.count(v)) throw nb::value_error("a rank is not that of a set");
        sets.members(v, rank, parents.data() + v * kMaxSlots);
        order.push_back(v);
    }
    if (topological_order(parents, kMaxSlots, order, Next::preferred).size() != order.size())
        throw nb::value_error("a start has a cycle");
}

SamplerRun make_sampler(const Offsets& offsets, const Scores& scores,
                        const Parents<uint16_t>& parents, const std::vector<double>& betas,
                        const Matrix<const int32_t>& starts, const std::vector<Random>& seeds,
                        double tail, const std::vector<Relations::Pairs>& relations) {
    const auto sets = as_view(offsets, scores, parents);
    if (offsets.size() < 2 || parents.shape(0) > kMaxSlots || parents.shape(0) < 1)
        throw nb::value_error("no variables, or too many parents");
    if (betas.empty() || betas[0] != 1.0 ||
        !std::is_sorted(betas.rbegin(), betas.rend()) || betas.back() <= 0.0)
        throw nb::value_error("temperatures begin with 1 and descend");
    if (starts.shape(0) != seeds.size() * betas.size() || starts.shape(1) != offsets.size() - 1)
        throw nb::value_error("one network per chain and temperature");
    const std::span<const int32_t> networks(starts.data(), starts.size());
    const WeightedSets checked(sets);
    for (size_t c = 0; c < starts.shape(0); ++c)
        check_network(checked, networks.subspan(c * starts.shape(1), starts.shape(1)));
    if (relations.size() != 4) throw nb::value_error("four kinds of relations");
    for (const Relations::Pairs& pairs : relations)
        for (const auto& [a, b] : pairs)
            if (a < 0 || b < 0 || a >= checked.n() || b >= checked.n() || a == b)
                throw nb::value_error("relations are between two variables");
    auto made = std::make_unique<Sampler>(
        sets, betas, Relations{relations[0], relations[1], relations[2], relations[3]}, networks,
        seeds, tail);
    if (!made->all_respect()) throw nb::value_error("a start violates a relation");
    return {std::move(made)};
}

nb::dict chain_facts(const Ladder& ladder) {
    static constexpr const char* kNames[] = {"redraw", "reverse", "blanket", "exchange"};
    nb::dict facts;
    std::array<MoveCounts, static_cast<int>(Move::count)> sums{};
    for (const Chain& rung : ladder.rungs)
        for (size_t m = 0; m < sums.size(); ++m) {
            sums[m].tried += rung.moves()[m].tried;
            sums[m].accepted += rung.moves()[m].accepted;
        }
    for (size_t m = 0; m < sums.size(); ++m)
        facts[kNames[m]] = std::tuple(sums[m].tried, sums[m].accepted);
    MoveCounts exchanges;
    for (const MoveCounts& own : ladder.exchanges) {
        exchanges.tried += own.tried;
        exchanges.accepted += own.accepted;
    }
    facts["temperature"] = std::tuple(exchanges.tried, exchanges.accepted);
    return facts;
}

void bind_sampler(nb::module_& m) {
    nb::class_<SamplerRun>(m, "Sampler", "Markov chains in the space of networks.")
        .def(nb::new_(&make_sampler), nb::arg("offsets"), nb::arg("scores"), nb::arg("parents"),
             nb::arg("betas"), nb::arg("starts"), nb::arg("seeds"), nb::arg("tail"),
             nb::arg("relations"), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>())
        .def(
            "advance",
            [](SamplerRun& self, int64_t samples, int64_t thin, int threads, const Budget& budget) {
                const Exclusive use(self.in_use);
                self.sampler->advance(samples, thin, threads, budget);
            },
            nb::arg("samples"), nb::arg("thin"), nb::arg("threads"), nb::arg("budget"),
            nb::call_guard<nb::gil_scoped_release>())
        .def("forget",
             [](SamplerRun& self) {
                 const Exclusive use(self.in_use);
                 self.sampler->forget();
             })
        .def("halve",
             [](SamplerRun& self) {
                 const Exclusive use(self.in_use);
                 self.sampler->halve();
             })
        .def("samples",
             [](const SamplerRun& self, int chain) {
                 const Exclusive use(self.in_use);
                 const Ladder& ladder = self.sampler->ladder(chain);
                 return std::tuple(
                     owned(std::vector<int32_t>(ladder.ranks),
                           {ladder.scores.size(), index(self.sampler->sets().n())}),
                     owned(std::vector<double>(ladder.scores)));
             })
        .def("visits",
             [](const SamplerRun& self, int chain) {
                 const Exclusive use(self.in_use);
                 const Ladder& ladder = self.sampler->ladder(chain);
                 return std::tuple(
                     owned(std::vector<uint32_t>(ladder.visits)), ladder.sweeps);
             })
        .def("facts",
             [](const SamplerRun& self, int chain) {
                 const Exclusive use(self.in_use);
                 return chain_facts(self.sampler->ladder(chain));
             })
        .def("exchanges",
             [](const SamplerRun& self, int chain) {
                 const Exclusive use(self.in_use);
                 std::vector<std::tuple<int64_t, int64_t>> found;
                 for (const MoveCounts& own : self.sampler->ladder(chain).exchanges)
                     found.emplace_back(own.tried, own.accepted);
                 return found;
             })
        .def("networks",
             [](SamplerRun& self) {
                 const Exclusive use(self.in_use);
                 const size_t n = index(self.sampler->sets().n());
                 std::vector<int32_t> found = self.sampler->networks();
                 const size_t rows = found.size() / n;
                 return owned(std::move(found), {rows, n});
             })
        .def_prop_ro("chains", [](const SamplerRun& self) { return self.sampler->chains(); })
        .def_prop_ro("left_out", [](const SamplerRun& self) { return self.sampler->left_out(); });
}

/// Widens sets, or adds the neighbours of some, if `used` is given.
auto widen(const Packed& packed, const std::string& score, double ess,
           std::map<double, double> chi_squared, nb::object allowed,
           std::vector<std::vector<int>> required, std::vector<uint8_t> useful, int needing,
           std::vector<int32_t> max_parents, std::vector<double> prior, double margin,
           int complete, int largest, int64_t most_expanded, int64_t most_sets,
           const Offsets& offsets, const Scores& scores, const Parents<uint16_t>& parents,
           const std::optional<Vector<const uint8_t>>& explored,
           const std::optional<Vector<const uint8_t>>& used, int threads, const Budget& budget) {
    const size_t n = packed.table->table().arities.size();
    if (packed.table->table().missing) throw nb::value_error("a table without missing values");
    if (max_parents.size() != n || offsets.size() != n + 1 || parents.shape(0) > kMaxSlots)
        throw nb::value_error("one list per variable");
    int slots = 1;
    for (int32_t& most : max_parents) slots = std::max(slots, most = std::clamp(most, 0, kMaxSlots));
    if (prior.size() <= index(slots)) throw nb::value_error("one prior per number of parents");
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
                          ScoreOptions{kind_named(score), ess, packed.table->copies(),
                                       std::move(chi_squared)},
                          std::move(constraints),
                          WideningOptions{std::move(max_parents), std::move(prior), margin,
                                          complete, largest, most_expanded,
                                          std::max<int64_t>(2, most_sets),
                                          std::move(useful), needing},
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
