// Python bindings of the search for larger parent sets that are worth having.
#include "scoring/upperbounds.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "bindings/arrays.h"
#include "common/index.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

Family family_named(const std::string& name) {
    if (name == "bdeu") return Family::bdeu;
    if (name == "bds") return Family::bds;
    if (name == "k2") return Family::k2;
    if (name == "penalised") return Family::penalised;
    throw nb::value_error("no such score");
}

void check_states(std::span<const int32_t> codes, int32_t arity) {
    for (const int32_t code : codes)
        if (code < 0 || code >= arity) throw nb::index_error("no such state");
}

UpperBoundProblem make_problem(const std::string& family, double ess, double penalty,
                               const Numbers& child, const Matrix<const int32_t>& codes, int arity,
                               std::vector<int32_t> arities, const Scores& likelihood) {
    const size_t n = arities.size(), rows = child.size();
    if (n > 63 || codes.shape(0) != n || codes.shape(1) != rows || likelihood.size() != rows)
        throw nb::value_error("one row of states per candidate, at most 63 candidates");
    check_states({child.data(), rows}, arity);
    for (size_t c = 0; c < n; ++c) check_states({codes.data() + c * rows, rows}, arities[c]);
    return {family_named(family),
            ess,
            penalty,
            arity,
            {child.data(), child.data() + rows},
            {codes.data(), codes.data() + codes.size()},
            std::move(arities),
            {likelihood.data(), likelihood.data() + rows}};
}

auto find_larger(const UpperBoundProblem& problem, const std::vector<uint64_t>& known,
                 const std::vector<double>& scores, int scored, uint64_t required,
                 int64_t most_explored, size_t most_found, const Budget& budget) {
    if (known.size() != scores.size()) throw nb::value_error("one score per set");
    std::vector<KnownSet> sets;
    for (size_t i = 0; i < known.size(); ++i) sets.push_back({known[i], scores[i]});
    LargerSets result;
    {
        const nb::gil_scoped_release release;
        result = larger_sets(problem, std::move(sets), scored, required, most_explored, most_found,
                             budget);
    }
    std::vector<uint64_t> found;
    for (const KnownSet& one : result.found) found.push_back(one.members);
    return std::tuple(std::move(found), result.explored, result.complete);
}

}  // namespace

void bind_upper_bounds(nb::module_& m) {
    nb::class_<UpperBoundProblem>(m, "ScoreUpperBounds",
                                  "What a parent set and its supersets can score at most.")
        .def(nb::new_(&make_problem),
             nb::arg("family"), nb::arg("ess"), nb::arg("penalty"), nb::arg("child"),
             nb::arg("codes"), nb::arg("arity"), nb::arg("arities"), nb::arg("likelihood"))
        .def("of", &superset_bound, nb::arg("members"),
             "The upper bound of a set, given as bits, and of its supersets.")
        .def("score", &set_score, nb::arg("members"), "The score of a set, given as bits.")
        .def("larger", &find_larger, nb::arg("known"), nb::arg("scores"), nb::arg("scored"),
             nb::arg("required"), nb::arg("most_explored"), nb::arg("most_found"), nb::arg("budget"),
             "Sets larger than the scored ones that beat their subsets, the number of sets that "
             "were explored, and whether these are all.");
}
