// Python bindings of posterior sampling.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bindings/arrays.h"
#include "posterior/exactsums.h"
#include "posterior/sampler.h"

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

}  // namespace

void bind_posterior(nb::module_& m) {
    bind_sampler(m);
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
