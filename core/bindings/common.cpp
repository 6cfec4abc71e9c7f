// Python bindings of random numbers and budgets.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>

#include "bindings/arrays.h"
#include "common/budget.h"
#include "common/random.h"

namespace nb = nanobind;
using namespace forebear;

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
}
