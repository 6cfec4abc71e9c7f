// Python bindings of the completion of rows with missing values.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings/arrays.h"
#include "common/budget.h"
#include "common/parallel.h"
#include "inference/completion.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

using Tables = std::vector<Scores>;
using Configurations = std::vector<std::optional<Offsets>>;

constexpr double kMostCells = 4e18;  // so that cells have 64-bit numbers

ConditionalTable make_table(const Scores& values, const std::optional<Offsets>& configurations,
                            int32_t arity, double cells) {
    ConditionalTable table{{values.data(), values.size()}, {}, !configurations, arity};
    if (configurations) table.configurations = {configurations->data(), configurations->size()};
    const double expected =
        configurations ? static_cast<double>(configurations->size()) * arity : cells;
    if (cells > kMostCells || static_cast<double>(values.size()) != expected)
        throw nb::value_error("a table does not fit its parents and states");
    return table;
}

NetworkTables make_network(std::vector<int32_t> arities, std::vector<std::vector<int32_t>> parents,
                           const Tables& tables, const Configurations& configurations) {
    const size_t n = arities.size();
    if (parents.size() != n || tables.size() != n || configurations.size() != n)
        throw nb::value_error("there must be one list of parents and one table per variable");
    std::vector<ConditionalTable> made;
    for (size_t v = 0; v < n; ++v) {
        if (arities[v] < 1) throw nb::value_error("every variable must have a state");
        double cells = arities[v];
        for (const int32_t p : parents[v]) {
            if (p < 0 || index(p) >= n) throw nb::index_error("no such parent");
            cells *= arities[index(p)];
        }
        made.push_back(make_table(tables[v], configurations[v], arities[v], cells));
    }
    return {std::move(arities), std::move(parents), std::move(made)};
}

/// Fills log_probabilities, one per row, and `completed`, rows x copies x variables.
/// Returns the number of rows done; a budget that ends leaves the others as they are.
int64_t complete(const Matrix<const int32_t>& rows, std::vector<int32_t> arities,
                 std::vector<std::vector<int32_t>> parents, const Tables& tables,
                 const Configurations& configurations, int copies, uint64_t seed, int threads, const Budget& budget,
                 Vector<double> log_probabilities,
                 nb::ndarray<int32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu> completed) {
    const NetworkTables network =
        make_network(std::move(arities), std::move(parents), tables, configurations);
    const size_t n = index(network.n()), count = rows.shape(0);
    if (rows.shape(1) != n || log_probabilities.size() != count || copies < 0 ||
        completed.size() != count * index(copies) * n)
        throw nb::value_error("the shapes of the arrays do not match");
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows.data()[i] < 0 || rows.data()[i] > network.arities[i % n])
            throw nb::value_error("a code is neither a state nor a missing value");
    const int32_t* const in = rows.data();
    double* const logs = log_probabilities.data();
    int32_t* const out = completed.data();
    const nb::gil_scoped_release release;
    constexpr size_t kRowsAtOnce = 16;  // a few milliseconds at most
    std::atomic<int64_t> done{0};
    Team team(std::max(1, threads));
    for_each_item(
        team, static_cast<int>((count + kRowsAtOnce - 1) / kRowsAtOnce),
        [&](int) { return Completion(network); },
        [&](int block, Completion& completion) {
            if (budget.spent()) return;
            const size_t first = index(block) * kRowsAtOnce;
            for (size_t r = first; r < std::min(count, first + kRowsAtOnce); ++r) {
                const std::span<const int32_t> row(in + r * n, n);
                logs[r] = completion.start_row(row);
                // Every row has its own random numbers, whatever the number of threads.
                const uint64_t words[4] = {seed + 1, r + 1, seed ^ 0x9e3779b97f4a7c15,
                                           (r + 1) * 0xbf58476d1ce4e5b9};
                Random random(words);
                for (int i = 0; i < 8; ++i) random();
                if (copies > 0) completion.draw(row, copies, random, out + r * index(copies) * n);
                ++done;
            }
        });
    return done;
}

}  // namespace

void bind_inference(nb::module_& m) {
    m.def("complete", &complete, nb::arg("rows"), nb::arg("arities"), nb::arg("parents"),
          nb::arg("tables"), nb::arg("configurations"), nb::arg("copies"), nb::arg("seed"),
          nb::arg("threads"), nb::arg("budget"), nb::arg("log_probabilities").noconvert(),
          nb::arg("completed").noconvert(),
          "The log-probabilities of rows with missing values, and draws of these values.");
}
