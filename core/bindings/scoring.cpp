// Python bindings of scoring.
#include "scoring/scoring.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/exclusive.h"
#include "bindings/tables.h"
#include "kernels/choice.h"
#include "scoring/allsets.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// A run, and the table that it reads.
template <class Scored>
struct Run {
    Packed packed;
    std::unique_ptr<Scored> scored;
    InUse in_use{};
};
using LimitedRun = Run<Scoring>;
using AllRun = Run<AllSets>;

Packed pack(nb::object codes, std::vector<int32_t> arities, bool missing, int64_t copies,
            int threads) {
    if (copies < 1) throw nb::value_error("a row stands for one row or more of the table");
    Team team(threads);
    Table table = make_table(codes, std::move(arities), missing, team);
    Packed packed{std::move(codes), nullptr};
    const nb::gil_scoped_release release;
    packed.table = std::make_shared<const PackedTable>(std::move(table), copies, team);
    return packed;
}

LimitedRun make_run(const Packed& packed, const std::string& score, double ess,
             std::map<double, double> chi_squared, int max_parents, int threads, int64_t max_sets,
             bool together, nb::object allowed, std::vector<std::vector<int>> required,
             int64_t byte_limit, int first_member, int last_member, nb::object useful,
             int most_useful) {
    const size_t n = packed.table->table().arities.size();
    Constraints constraints = make_constraints(allowed, n, std::move(required));
    constraints.useful = make_constraints(useful, n).allowed;
    constraints.most_useful = most_useful;
    LimitedRun run{
        packed,
        std::make_unique<Scoring>(
            packed.table,
            ScoreOptions{kind_named(score), ess, packed.table->copies(), std::move(chi_squared)},
            std::move(constraints),
            ScoringOptions{max_parents, std::max(1, threads), max_sets, together,
                           std::max(0, first_member), std::max(first_member, last_member)})};
    run.scored->control.byte_limit = byte_limit;
    return run;
}

AllRun make_all_run(const Packed& packed, const std::string& score, double ess, int threads,
                    nb::object allowed, std::vector<std::vector<int>> required,
                    int64_t byte_limit) {
    const size_t n = packed.table->table().arities.size();
    AllRun run{packed, std::make_unique<AllSets>(
                           packed.table,
                           ScoreOptions{kind_named(score), ess, packed.table->copies(), {}},
                           make_constraints(allowed, n, std::move(required)), std::max(1, threads))};
    run.scored->control.byte_limit = byte_limit;
    return run;
}

template <class AnyRun, class Id>
void write(AnyRun& run, nb::ndarray<const int64_t, nb::c_contig> offsets,
           nb::ndarray<double, nb::c_contig> scores, nb::ndarray<Id, nb::c_contig> parents) {
    const Exclusive use(run.in_use);
    const std::span<const int64_t> places(offsets.data(), offsets.size());
    const std::vector<int64_t> counts = run.scored->counts();
    bool fits = places.size() == counts.size() + 1 && places[0] == 0;
    for (size_t v = 0; fits && v < counts.size(); ++v)
        fits = places[v + 1] - places[v] == counts[v];
    if (!fits || scores.size() != index(places.back()) ||
        parents.size() != scores.size() * index(run.scored->slots()))
        throw nb::value_error("the arrays do not fit what was kept");
    const auto total = static_cast<int64_t>(scores.size());
    double* const scores_out = scores.data();
    Id* const parents_out = parents.data();
    const nb::gil_scoped_release release;
    run.scored->write(places, scores_out, parents_out, total);
}

/// What all runs have, once made.
template <class AnyRun>
void bind_run(nb::class_<AnyRun>& bound, const char* done) {
    bound
        .def(
            "run",
            [](AnyRun& run, const Budget& budget) {
                const Exclusive use(run.in_use);
                return stop_name(run.scored->run(budget));
            },
            nb::arg("budget"), nb::call_guard<nb::gil_scoped_release>(),
            "Count, score and prune; returns 'done' or why it stopped: 'cancelled', 'memory' or "
            "'time'.")
        .def_prop_ro(done, [](const AnyRun& run) { return run.scored->control.done.load(); })
        .def("counts",
             [](const AnyRun& run) {
                 const Exclusive use(run.in_use);
                 return run.scored->counts();
             })
        .def("write", &write<AnyRun, uint16_t>, nb::arg("offsets"), nb::arg("scores").noconvert(),
             nb::arg("parents").noconvert())
        .def("write", &write<AnyRun, uint32_t>, nb::arg("offsets"), nb::arg("scores").noconvert(),
             nb::arg("parents").noconvert());
}

}  // namespace

void bind_scoring(nb::module_& m) {
    nb::class_<Packed>(m, "PackedTable", "A table as the kernels read it, for all that score it.")
        .def_static("make", &pack, nb::arg("codes").noconvert(), nb::arg("arities"),
                    nb::arg("missing") = false, nb::arg("copies") = 1, nb::arg("threads") = 1);
    nb::class_<LimitedRun> limited(
        m, "Scoring", "A scoring run: make it, run it, write the parent sets that it kept.");
    limited.def_static("make", &make_run, nb::arg("table"), nb::arg("score"), nb::arg("ess"),
                       nb::arg("chi_squared"), nb::arg("max_parents"), nb::arg("threads"),
                       nb::arg("max_sets"), nb::arg("together"), nb::arg("allowed").none(),
                       nb::arg("required"), nb::arg("byte_limit"), nb::arg("first_member") = 0,
                       nb::arg("last_member") = INT_MAX, nb::arg("useful").none() = nb::none(),
                       nb::arg("most_useful") = 0);
    bind_run(limited, "families_done");
    nb::class_<AllRun> all(m, "AllSets",
                           "A scoring run over all parent sets, whatever their size.");
    all.def_static("make", &make_all_run, nb::arg("table"), nb::arg("score"), nb::arg("ess"),
                   nb::arg("threads"), nb::arg("allowed").none(), nb::arg("required"),
                   nb::arg("byte_limit"))
        .def_prop_ro("largest", [](const AllRun& run) {
            const Exclusive use(run.in_use);
            return run.scored->slots();
        });
    bind_run(all, "sets_done");
    m.def("bytes_of_all_sets", &AllSets::bytes, nb::arg("variables"), nb::arg("classes"),
          nb::arg("threads"), "The memory that a run over this many variables takes.");
    m.def("kernels", &kernels_name, "The name of the kernels in use.");
    m.def("available_kernels", &available_kernels,
          "The names of the kernels that this CPU can run, slowest first.");
    m.def(
        "use_kernels", [](const std::string& name) { return use_kernels(name); },
        nb::arg("name"), "Use the kernels of this name; false if the CPU cannot run them.");
}
