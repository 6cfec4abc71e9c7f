// Python bindings of scoring.
#include "scoring/scoring.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/exclusive.h"
#include "bindings/tables.h"
#include "common/instructions.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// A run, and the table that it reads.
struct Run {
    Packed packed;
    std::unique_ptr<Scoring> scoring;
    InUse in_use{};
};

Packed pack(nb::object codes, std::vector<int32_t> arities, bool gaps, int64_t copies,
            int threads) {
    if (copies < 1) throw nb::value_error("a row stands for one row or more of the table");
    Team team(threads);
    Table table = make_table(codes, std::move(arities), gaps, team);
    Packed packed{std::move(codes), nullptr};
    const nb::gil_scoped_release release;
    packed.table = std::make_shared<const PackedTable>(std::move(table), copies, team);
    return packed;
}

Run make_run(const Packed& packed, const std::string& score, double ess,
             std::map<double, double> chi_squared, int max_parents, int threads, int64_t max_sets,
             bool together, nb::object allowed, std::vector<std::vector<int>> required,
             int64_t byte_limit, int first_member, int last_member, nb::object useful,
             int most_useful) {
    const size_t n = packed.table->table().arities.size();
    Constraints constraints = make_constraints(allowed, n);
    if (!required.empty() && required.size() != n)
        throw nb::value_error("required must have one list a variable");
    constraints.required = std::move(required);
    constraints.useful = make_constraints(useful, n).allowed;
    constraints.most_useful = most_useful;
    Run run{
        packed,
        std::make_unique<Scoring>(
            packed.table,
            ScoreOptions{kind_named(score), ess, packed.table->copies(), std::move(chi_squared)},
            std::move(constraints),
            ScoringOptions{max_parents, std::max(1, threads), max_sets, together,
                           std::max(0, first_member), std::max(first_member, last_member)})};
    run.scoring->control.byte_limit = byte_limit;
    return run;
}

template <class Id>
void write(Run& run, nb::ndarray<const int64_t, nb::c_contig> offsets,
           nb::ndarray<double, nb::c_contig> scores, nb::ndarray<Id, nb::c_contig> parents) {
    const Exclusive use(run.in_use);
    const std::span<const int64_t> places(offsets.data(), offsets.size());
    if (!run.scoring->fits(places, scores.size(), parents.size()))
        throw nb::value_error("the arrays do not fit what was kept");
    const auto total = static_cast<int64_t>(scores.size());
    double* const scores_out = scores.data();
    Id* const parents_out = parents.data();
    const nb::gil_scoped_release release;
    run.scoring->write<Id>(places, scores_out, parents_out, total);
}

}  // namespace

void bind_scoring(nb::module_& m) {
    nb::class_<Packed>(m, "PackedTable", "A table as the kernels read it, for all that score it.")
        .def_static("make", &pack, nb::arg("codes").noconvert(), nb::arg("arities"),
                    nb::arg("gaps") = false, nb::arg("copies") = 1, nb::arg("threads") = 1);
    nb::class_<Run>(m, "Scoring",
                    "A scoring run: make it, run it, write the parent sets that it kept.")
        .def_static("make", &make_run, nb::arg("table"), nb::arg("score"), nb::arg("ess"),
                    nb::arg("chi_squared"), nb::arg("max_parents"), nb::arg("threads"),
                    nb::arg("max_sets"), nb::arg("together"), nb::arg("allowed").none(),
                    nb::arg("required"), nb::arg("byte_limit"), nb::arg("first_member") = 0,
                    nb::arg("last_member") = INT_MAX, nb::arg("useful").none() = nb::none(),
                    nb::arg("most_useful") = 0)
        .def(
            "run",
            [](Run& run, const Budget& budget) {
                const Exclusive use(run.in_use);
                return stop_name(run.scoring->run(budget));
            },
            nb::arg("budget"), nb::call_guard<nb::gil_scoped_release>(),
            "Count, score and prune; returns 'done' or why it stopped: 'cancelled', 'memory' or "
            "'time'.")
        .def_prop_ro("families_done",
                     [](const Run& run) { return run.scoring->control.done.load(); })
        .def("counts",
             [](const Run& run) {
                 const Exclusive use(run.in_use);
                 return run.scoring->counts();
             })
        .def("write", &write<uint16_t>, nb::arg("offsets"), nb::arg("scores").noconvert(),
             nb::arg("parents").noconvert())
        .def("write", &write<uint32_t>, nb::arg("offsets"), nb::arg("scores").noconvert(),
             nb::arg("parents").noconvert());
    m.def("kernels", &instructions_name, "The name of the kernels in use.");
    m.def("available_kernels", &available_instructions,
          "The names of the kernels that this CPU can run, slowest first.");
    m.def(
        "use_kernels", [](const std::string& name) { return use_instructions(name); },
        nb::arg("name"), "Use the kernels of this name; false if the CPU cannot run them.");
}
