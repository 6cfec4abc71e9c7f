// Python bindings of scoring without a limit on parents.
#include "scoring/allsets.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/exclusive.h"
#include "bindings/tables.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

/// A run, and the array that it reads.
struct AllRun {
    nb::object codes;
    std::unique_ptr<AllSets> sets;
    InUse in_use{};
};

AllRun make_all_run(nb::object codes, std::vector<int32_t> arities, const std::string& score,
                    double ess, int threads, nb::object allowed,
                    std::vector<std::vector<int>> required, int64_t byte_limit, int64_t unit) {
    if (unit < 1) throw nb::value_error("a row has at least one unit");
    Team team(threads);
    Table table = make_table(codes, std::move(arities), false, team);
    const size_t n = table.arities.size();
    Constraints constraints = make_constraints(allowed, n);
    if (!required.empty() && required.size() != n)
        throw nb::value_error("required must have one list a variable");
    constraints.required = std::move(required);
    AllRun run{codes, std::make_unique<AllSets>(
                          std::move(table), ScoreOptions{kind_named(score), ess, unit, {}},
                          std::move(constraints), std::max(1, threads), team)};
    run.sets->control.byte_limit = byte_limit;
    return run;
}

template <class Id>
void write_all(AllRun& run, nb::ndarray<const int64_t, nb::c_contig> offsets,
               nb::ndarray<double, nb::c_contig> scores, nb::ndarray<Id, nb::c_contig> parents) {
    const Exclusive use(run.in_use);
    const std::span<const int64_t> places(offsets.data(), offsets.size());
    if (!run.sets->fits(places, scores.size(), parents.size()))
        throw nb::value_error("the arrays do not fit what was kept");
    run.sets->write<Id>(places, scores.data(), parents.data(), static_cast<int64_t>(scores.size()));
}

}  // namespace

void bind_all_sets(nb::module_& m) {
    nb::class_<AllRun>(m, "AllSets", "A scoring run over all parent sets, whatever their size.")
        .def_static("make", &make_all_run, nb::arg("codes").noconvert(), nb::arg("arities"),
                    nb::arg("score"), nb::arg("ess"), nb::arg("threads"), nb::arg("allowed").none(),
                    nb::arg("required"), nb::arg("byte_limit"), nb::arg("unit") = 1)
        .def(
            "run",
            [](AllRun& run, const Budget& budget) {
                const Exclusive use(run.in_use);
                return stop_name(run.sets->run(budget));
            },
            nb::arg("budget"), nb::call_guard<nb::gil_scoped_release>(),
            "Count, score and prune; returns 'done' or why it stopped: 'cancelled', 'memory' or "
            "'time'.")
        .def_prop_ro("sets_done", [](const AllRun& run) { return run.sets->control.done.load(); })
        .def_prop_ro("largest",
                     [](const AllRun& run) {
                         const Exclusive use(run.in_use);
                         return run.sets->largest();
                     })
        .def("counts",
             [](const AllRun& run) {
                 const Exclusive use(run.in_use);
                 return run.sets->counts();
             })
        .def("write", &write_all<uint16_t>, nb::arg("offsets"), nb::arg("scores").noconvert(),
             nb::arg("parents").noconvert())
        .def("write", &write_all<uint32_t>, nb::arg("offsets"), nb::arg("scores").noconvert(),
             nb::arg("parents").noconvert());
    m.def("bytes_of_all_sets", &AllSets::bytes, nb::arg("variables"), nb::arg("classes"),
          nb::arg("threads"), "The memory that a run over this many variables takes.");
}
