// Python bindings of scoring.
#include "scoring/scoring.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "bindings/exclusive.h"
#include "bindings/tables.h"
#include "kernels/choice.h"
#include "scoring/allsets.h"
#include "scoring/upperbounds.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// A run, and the table that it reads.
struct Run {
    Packed packed;
    std::unique_ptr<Scoring> scoring;
    InUse in_use{};
};

using OtherTables = std::vector<std::pair<std::vector<int>, const Packed*>>;

void check_others(const OtherTables& others, const std::vector<int32_t>& arities, bool missing,
                  int64_t copies) {
    for (const auto& [children, other] : others) {
        const PackedTable& table = *other->table;
        const bool fits =
            table.table().arities == arities && table.table().missing == missing &&
            table.copies() == copies && table.n_tables() == 1 &&
            std::all_of(children.begin(), children.end(), [&](int child) {
                return child >= 0 && index(child) < arities.size();
            });
        if (!fits) throw nb::value_error("a table for some children must have the same variables");
    }
}

Packed pack(nb::object codes, std::vector<int32_t> arities, bool missing, int64_t copies,
            std::optional<Longs> weights, int threads, const OtherTables& others) {
    if (copies < 1) throw nb::value_error("copies must be at least 1");
    check_others(others, arities, missing, copies);
    Team team(threads);
    Table table = make_table(codes, std::move(arities), missing, team);
    std::span<const int64_t> counts;
    if (weights) counts = check_weights(*weights, table);
    nb::list kept;  // the arrays that the tables read
    kept.append(std::move(codes));
    for (const auto& [children, other] : others) kept.append(other->codes);
    Packed packed{std::move(kept), nullptr};
    const nb::gil_scoped_release release;
    const auto made = std::make_shared<PackedTable>(std::move(table), counts, copies, team);
    for (const auto& [children, other] : others) made->use_for(children, other->table);
    packed.table = made;
    return packed;
}

/// The codes of the rows that are stored, as a view, and how often each counts.
std::pair<nb::object, nb::object> stored_rows(nb::handle self) {
    const auto& packed = nb::cast<const Packed&>(self);
    const Codes& codes = packed.table->table().codes;
    const auto view = [&](const auto* data) {
        using Code = std::remove_const_t<std::remove_pointer_t<decltype(data)>>;
        const size_t shape[] = {packed.table->table().arities.size(), index(codes.rows)};
        return nb::cast(nb::ndarray<nb::numpy, const Code>(data, 2, shape, self));
    };
    std::vector<int64_t> weights(index(codes.rows));
    for (uint32_t row = 0; row < codes.rows; ++row) weights[row] = int64_t{1} << codes.shift(row);
    return {codes.narrow ? view(codes.narrow) : view(codes.wide), nb::cast(owned(std::move(weights)))};
}

Run make_run(const Packed& packed, const std::string& score, std::vector<double> ess,
             std::map<double, double> chi_squared, int max_parents, int threads, int64_t max_sets,
             bool shared_walk, nb::object allowed, std::vector<std::vector<int>> required,
             int64_t byte_limit, int first_member, int last_member, nb::object useful,
             int most_useful, std::vector<double> prior, double margin) {
    const size_t n = packed.table->table().arities.size();
    Constraints constraints = make_constraints(allowed, n, std::move(required), useful, most_useful);
    ScoreOptions options =
        make_score_options(packed, score, std::move(ess), std::move(chi_squared), std::move(prior));
    threads = std::max(1, threads);
    Run run{packed, nullptr};
    if (max_parents < 0)
        run.scoring = std::make_unique<AllSets>(packed.table, std::move(options),
                                                std::move(constraints), threads);
    else
        run.scoring = std::make_unique<LimitedScoring>(
            packed.table, std::move(options), std::move(constraints),
            ScoringOptions{max_parents, threads, max_sets, margin, shared_walk, std::max(0, first_member),
                           std::max(first_member, last_member)});
    run.scoring->control.byte_limit = byte_limit;
    return run;
}

nb::tuple arrays(Run& run) {
    const Exclusive use(run.in_use);
    const std::vector<int64_t> counts = run.scoring->counts();
    const auto write = [&](std::span<const int64_t> offsets, double* scores, auto* parents) {
        run.scoring->write(offsets, scores, parents, offsets.back());
    };
    const int slots = run.scoring->slots();
    return counts.size() < UINT16_MAX ? ranked_arrays<uint16_t>(counts, slots, write)
                                      : ranked_arrays<uint32_t>(counts, slots, write);
}

/// Upper bounds, and the table that they read.
struct Bounds {
    Packed packed;
    std::unique_ptr<UpperBounds> bounds;
};

Bounds make_bounds(const Packed& packed, const std::string& score, std::vector<double> ess,
                   std::vector<double> prior, int threads) {
    Team team(threads);
    const ScoreOptions options = make_score_options(packed, score, std::move(ess), {}, std::move(prior));
    return {packed, std::make_unique<UpperBounds>(packed.table, options, team)};
}

void check_candidates(const Bounds& self, int child, const std::vector<uint16_t>& candidates) {
    const int n = self.packed.table->table().n_variables();
    bool fits = child >= 0 && child < n && candidates.size() <= 63;
    for (const uint16_t c : candidates) fits = fits && c < n && c != child;
    if (!fits)
        throw nb::value_error("a child must have at most 63 candidates, all of them other variables");
}

auto find_larger(const Bounds& self, int child, const std::vector<uint16_t>& candidates,
                 const std::vector<uint64_t>& masks, const std::vector<double>& scores,
                 int scored_size, uint64_t required, int64_t most_explored, size_t most_found,
                 const Budget& budget) {
    check_candidates(self, child, candidates);
    if (masks.size() != scores.size())
        throw nb::value_error("masks and scores must have the same length");
    std::vector<ScoredSet> sets;
    for (size_t i = 0; i < masks.size(); ++i) sets.push_back({masks[i], scores[i]});
    LargerSets result;
    {
        const nb::gil_scoped_release release;
        result = self.bounds->larger(child, candidates, std::move(sets), scored_size, required,
                                     most_explored, most_found, budget);
    }
    return std::pair(std::move(result.sets), result.complete);
}

}  // namespace

void bind_scoring(nb::module_& m) {
    nb::class_<Packed>(m, "PackedTable", "A table in the form that the kernels read.")
        .def_static("make", &pack, nb::arg("codes").noconvert(), nb::arg("arities"),
                    nb::arg("missing") = false, nb::arg("copies") = 1,
                    nb::arg("weights").none() = nb::none(), nb::arg("threads") = 1,
                    nb::arg("others") = OtherTables(),
                    "`others` has (children, table) pairs: families of these children are scored on "
                    "that table.")
        .def_prop_ro(
            "rows", [](const Packed& packed) { return packed.table->table().codes.rows; },
            "The number of rows that are stored: equal rows may be merged.")
        .def("stored", &stored_rows,
             "The codes of the rows that are stored, variables by rows, and how often each counts. "
             "Equal rows may occur more than once.");
    nb::class_<Run>(m, "Scoring",
                    "A scoring run, and the parent sets that it keeps.")
        .def_static("make", &make_run, nb::arg("table"), nb::arg("score"), nb::arg("ess"),
                    nb::arg("chi_squared"), nb::arg("max_parents"), nb::arg("threads"),
                    nb::arg("max_sets"), nb::arg("together"), nb::arg("allowed").none(),
                    nb::arg("required"), nb::arg("byte_limit"), nb::arg("first_member") = 0,
                    nb::arg("last_member") = INT_MAX, nb::arg("useful").none() = nb::none(),
                    nb::arg("most_useful") = 0, nb::arg("prior") = std::vector<double>(),
                    nb::arg("margin") = 0.0,
                    "With max_parents -1, sets of all sizes are scored.")
        .def(
            "run",
            [](Run& run, const Budget& budget) {
                const Exclusive use(run.in_use);
                return stop_name(run.scoring->run(budget));
            },
            nb::arg("budget"), nb::call_guard<nb::gil_scoped_release>(),
            "Count, score and prune. Return 'done', or why the run stopped: 'cancelled', "
            "'memory' or 'time'.")
        .def_prop_ro("done", [](const Run& run) { return run.scoring->control.done.load(); })
        .def_prop_ro("slots",
                     [](const Run& run) {
                         const Exclusive use(run.in_use);
                         return run.scoring->slots();
                     })
        .def("counts",
             [](const Run& run) {
                 const Exclusive use(run.in_use);
                 return run.scoring->counts();
             })
        .def("arrays", &arrays,
             "Return the ranked sets (offsets, scores, parents), and free them.");
    nb::class_<Bounds>(m, "UpperBounds",
                       "Upper bounds on the scores of a parent set and its supersets.")
        .def_static("make", &make_bounds, nb::arg("table"), nb::arg("score"), nb::arg("ess"),
                    nb::arg("prior"), nb::arg("threads") = 1)
        .def(
            "of",
            [](const Bounds& self, int child, const std::vector<uint16_t>& candidates,
               uint64_t members) {
                check_candidates(self, child, candidates);
                return self.bounds->bound(child, candidates, members);
            },
            nb::arg("child"), nb::arg("candidates"), nb::arg("members"),
            "The upper bound of a set of candidates, given as bits, and of its supersets.")
        .def("larger", &find_larger, nb::arg("child"), nb::arg("candidates"), nb::arg("masks"),
             nb::arg("scores"), nb::arg("scored_size"), nb::arg("required"),
             nb::arg("most_explored"), nb::arg("most_found"), nb::arg("budget"),
             "Return the sets larger than scored_size that are not dominated, and whether these are "
             "all.");
    m.def("bytes_of_all_sets", &AllSets::bytes, nb::arg("variables"), nb::arg("classes"),
          nb::arg("threads"), "The memory that a run over this many variables takes.");
    m.attr("most_variables_of_all_sets") = SubsetWalk::kMostVariables;
    m.def("kernels", &kernels_name, "The name of the kernels in use.");
    m.def("available_kernels", &available_kernels,
          "The names of the kernels that this CPU can run, slowest first.");
    m.def(
        "use_kernels", [](const std::string& name) { return use_kernels(name); },
        nb::arg("name"), "Use the kernels of this name; false if the CPU cannot run them.");
}
