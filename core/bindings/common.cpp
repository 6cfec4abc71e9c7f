// Python bindings of random numbers, budgets, and checks of parent sets and files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "bindings/arrays.h"
#include "common/budget.h"
#include "common/checksum.h"
#include "common/parentsets.h"
#include "common/random.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

template <class Id>
void bind_find_defect(nb::module_& m) {
    m.def(
        "find_defect",
        [](const Offsets& offsets, const Scores& scores, const Parents<Id>& parents,
           int threads) -> std::string {
            if (offsets.size() > 1 && parents.shape(1) != scores.size())
                return "there are not as many sets as scores";
            const nb::gil_scoped_release release;
            return find_defect(as_view(offsets, scores, parents), std::max(1, threads));
        },
        nb::arg("offsets"), nb::arg("scores"), nb::arg("parents").noconvert(), nb::arg("threads"),
        "What is wrong with these parent sets, in words; empty if nothing is.");
}

}  // namespace

void bind_common(nb::module_& m) {
    nb::class_<Random>(m, "Random", "Random numbers, the same on every machine.")
        .def("__init__",
             [](Random* self, const std::vector<uint64_t>& seed) {
                 if (seed.size() != 4) throw nb::value_error("a seed has four words");
                 new (self) Random(seed.data());
             })
        .def("below", &Random::below, nb::arg("bound"), nb::lock_self())
        .def_prop_ro(
            "state",
            [](const Random& self) { return std::vector<uint64_t>(self.state_, self.state_ + 4); },
            nb::lock_self())
        .def("uniform", &Random::uniform, nb::lock_self())
        .def("spawn",
             [](Random& self) {
                 const uint64_t seed[4] = {self(), self(), self(), self()};
                 return Random(seed);
             },
             nb::lock_self())
        .def("permutation",
             [](Random& self, int n) {
                 std::vector<int32_t> order(index(n));
                 for (int i = 0; i < n; ++i) order[index(i)] = i;
                 shuffle(order, self);
                 return to_numpy(order);
             },
             nb::lock_self());
    nb::class_<Budget>(m, "Budget", "A time limit that can also be cancelled.")
        .def(nb::init<std::optional<double>>(), nb::arg("seconds").none() = nb::none())
        .def("cancel", &Budget::cancel)
        .def_prop_ro("cancelled", &Budget::cancelled)
        .def_prop_ro("left", &Budget::left)
        .def_prop_ro("spent", &Budget::spent);
    m.def(
        "checksum",
        [](const Vector<const uint8_t>& data) { return xxh64(data.data(), data.size()); },
        nb::arg("data").noconvert(), nb::call_guard<nb::gil_scoped_release>(),
        "The XXH64 checksum of an array of bytes.");
    bind_find_defect<uint16_t>(m);
    bind_find_defect<uint32_t>(m);
}
