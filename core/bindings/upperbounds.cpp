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

/// A problem, and the arrays that it reads.
struct ScoreUpperBounds {
    std::vector<int32_t> child, codes;
    std::vector<double> likelihood;
    UpperBoundProblem problem;

    ScoreUpperBounds(const std::string& family, double ess, double penalty, const Numbers& child_codes,
           const Matrix<const int32_t>& parents, int arity, std::vector<int32_t> arities,
           const Scores& rows)
        : child(child_codes.data(), child_codes.data() + child_codes.size()),
          codes(parents.data(), parents.data() + parents.size()),
          likelihood(rows.data(), rows.data() + rows.size()) {
        const size_t n = arities.size();
        if (n > 63 || parents.shape(0) != n || parents.shape(1) != child.size() ||
            likelihood.size() != child.size())
            throw nb::value_error("one row of states per candidate, at most 63 candidates");
        check(child.data(), child.size(), arity);
        for (size_t c = 0; c < n; ++c)
            check(codes.data() + c * child.size(), child.size(), arities[c]);
        problem.family = family_named(family);
        problem.ess = ess;
        problem.penalty = penalty;
        problem.arity = arity;
        problem.child = child;
        problem.codes = codes;
        problem.arities = std::move(arities);
        problem.likelihood = likelihood;
    }
    ScoreUpperBounds(const ScoreUpperBounds&) = delete;
    ScoreUpperBounds& operator=(const ScoreUpperBounds&) = delete;

    static void check(const int32_t* codes, size_t count, int32_t arity) {
        for (size_t i = 0; i < count; ++i)
            if (codes[i] < 0 || codes[i] >= arity) throw nb::index_error("no such state");
    }

    auto larger(const std::vector<uint64_t>& known, const std::vector<double>& scores, int scored,
                uint64_t required, int64_t most_explored, size_t most_found,
                const Budget& budget) const {
        if (known.size() != scores.size()) throw nb::value_error("one score per set");
        std::vector<KnownSet> sets;
        for (size_t i = 0; i < known.size(); ++i) sets.push_back({known[i], scores[i]});
        LargerSets result;
        {
            const nb::gil_scoped_release release;
            result = larger_sets(problem, std::move(sets), scored, required, most_explored,
                                 most_found, budget);
        }
        std::vector<uint64_t> found;
        for (const KnownSet& one : result.found) found.push_back(one.members);
        return std::tuple(std::move(found), result.explored, result.complete);
    }
};

}  // namespace

void bind_upper_bounds(nb::module_& m) {
    nb::class_<ScoreUpperBounds>(m, "ScoreUpperBounds", "What a parent set and its supersets can score at most.")
        .def(nb::init<const std::string&, double, double, const Numbers&,
                      const Matrix<const int32_t>&, int, std::vector<int32_t>, const Scores&>(),
             nb::arg("family"), nb::arg("ess"), nb::arg("penalty"), nb::arg("child"),
             nb::arg("codes"), nb::arg("arity"), nb::arg("arities"), nb::arg("likelihood"))
        .def(
            "of",
            [](const ScoreUpperBounds& self, uint64_t members) {
                return superset_bound(self.problem, members);
            },
            nb::arg("members"), "The upper bound of a set, given as bits, and of its supersets.")
        .def(
            "score",
            [](const ScoreUpperBounds& self, uint64_t members) { return set_score(self.problem, members); },
            nb::arg("members"), "The score of a set, given as bits.")
        .def("larger", &ScoreUpperBounds::larger, nb::arg("known"), nb::arg("scores"), nb::arg("scored"),
             nb::arg("required"), nb::arg("most_explored"), nb::arg("most_found"), nb::arg("budget"),
             "Sets larger than the scored ones that beat their subsets, the number of sets that "
             "were explored, and whether these are all.");
}
