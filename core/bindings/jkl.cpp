// Python bindings of reading and writing .jkl files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "jkl/read.h"
#include "jkl/text.h"
#include "jkl/write.h"

namespace nb = nanobind;
using namespace forebear;
namespace jkl = forebear::jkl;

namespace {

jkl::Table parse(const nb::bytes& text) {
    const std::string_view view(text.c_str(), text.size());
    const nb::gil_scoped_release unlocked;
    return jkl::parse(view);
}

std::vector<std::string> names(const jkl::Table& table) {
    std::vector<std::string> out;
    out.reserve(table.variables.size());
    for (const auto& variable : table.variables) out.push_back(variable.name);
    return out;
}

std::vector<std::size_t> without_sets(const jkl::Table& table) {
    std::vector<std::size_t> out;
    for (std::size_t v = 0; v < table.variables.size(); ++v) {
        if (table.variables[v].count == 0) out.push_back(v);
    }
    return out;
}

template <class Index>
void fill(const jkl::Table& table, const Vector<std::int64_t>& offsets,
          const Vector<double>& scores, const Matrix<Index>& parents) {
    if (offsets.shape(0) != table.variables.size() + 1 || scores.shape(0) != table.n_sets() ||
        parents.shape(0) != table.max_parents() || parents.shape(1) != table.n_sets()) {
        throw std::invalid_argument("the arrays to fill do not have the table's shape");
    }
    const nb::gil_scoped_release unlocked;
    table.fill(offsets.data(), scores.data(), parents.data());
}

template <class Index>
nb::bytes format(const std::vector<std::string>& names, const Offsets& offsets,
                 const Scores& scores, const Parents<Index>& parents, std::size_t begin,
                 std::size_t end) {
    const jkl::NamedSets<Index> named{names, as_view(offsets, scores, parents)};
    std::string text;
    {
        const nb::gil_scoped_release unlocked;
        text = jkl::format(named, begin, end);
    }
    return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_jkl(nb::module_& m) {
    nb::exception<jkl::Defect>(m, "JklError", PyExc_ValueError);
    nb::class_<jkl::Table>(m, "JklTable")
        .def_prop_ro("names", &names)
        .def_prop_ro("n_sets", &jkl::Table::n_sets)
        .def_prop_ro("max_parents", &jkl::Table::max_parents)
        .def_prop_ro("without_sets", &without_sets)
        .def("fill", &fill<std::uint16_t>, nb::arg("offsets").noconvert(),
             nb::arg("scores").noconvert(), nb::arg("parents").noconvert())
        .def("fill", &fill<std::uint32_t>, nb::arg("offsets").noconvert(),
             nb::arg("scores").noconvert(), nb::arg("parents").noconvert());
    m.def("parse_jkl", &parse, nb::arg("text"));
    m.def("format_jkl", &format<std::uint16_t>, nb::arg("names"), nb::arg("offsets").noconvert(),
          nb::arg("scores").noconvert(), nb::arg("parents").noconvert(), nb::arg("begin"),
          nb::arg("end"));
    m.def("format_jkl", &format<std::uint32_t>, nb::arg("names"), nb::arg("offsets").noconvert(),
          nb::arg("scores").noconvert(), nb::arg("parents").noconvert(), nb::arg("begin"),
          nb::arg("end"));
}
