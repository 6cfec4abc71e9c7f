// Python bindings of the checks of parent sets and files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/arrays.h"
#include "common/checksum.h"
#include "common/parentsets.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

template <class Id>
std::string defect(const Offsets& offsets, const Scores& scores, const Parents<Id>& parents,
                   int threads) {
    if (offsets.size() > 1 && parents.shape(1) != scores.size())
        return "there are not as many sets as scores";
    const auto sets = as_view(offsets, scores, parents);
    const nb::gil_scoped_release release;
    return find_defect(sets, std::max(1, threads));
}

}  // namespace

void bind_container(nb::module_& m) {
    m.def(
        "checksum",
        [](nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig> data) {
            const uint8_t* const bytes = data.data();
            const size_t size = data.size();
            const nb::gil_scoped_release release;
            return xxh64(bytes, size);
        },
        nb::arg("data").noconvert(), "The XXH64 checksum of an array of bytes.");
    m.def("find_defect", &defect<uint16_t>, nb::arg("offsets"), nb::arg("scores"),
          nb::arg("parents").noconvert(), nb::arg("threads"),
          "What is wrong with these parent sets, in words; empty if nothing is.");
    m.def("find_defect", &defect<uint32_t>, nb::arg("offsets"), nb::arg("scores"),
          nb::arg("parents").noconvert(), nb::arg("threads"));
}
