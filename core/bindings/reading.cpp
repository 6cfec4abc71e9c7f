// Python bindings of reading delimited text.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bindings/arrays.h"
#include "reading/fieldcoder.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

template <class Code>
auto narrowed(const std::vector<uint32_t>& codes) {
    return owned(std::vector<Code>(codes.begin(), codes.end()));
}

/// The codes of the last batch: a matrix of the columns whose codes have one byte, and the others
/// by column. A wide table would otherwise be many small arrays. The matrix is in mapped memory: the
/// system gets it back at once, which it does not with most of the heap.
nb::tuple batch_codes(const FieldCoder& coder, int64_t rows) {
    std::vector<size_t> narrow;
    nb::dict wide;
    for (size_t c = 0; c < coder.columns(); ++c) {
        const size_t size = coder.dictionary(c).n_codes();
        if (size <= 1 + index(std::numeric_limits<uint8_t>::max()))
            narrow.push_back(c);
        else if (size <= 1 + index(std::numeric_limits<uint16_t>::max()))
            wide[nb::int_(c)] = narrowed<uint16_t>(coder.codes(c));
        else
            wide[nb::int_(c)] = narrowed<uint32_t>(coder.codes(c));
    }
    auto matrix = unfilled<uint8_t>({narrow.size(), index(rows)});
    uint8_t* next = matrix.data();
    for (const size_t c : narrow)
        for (const uint32_t code : coder.codes(c)) *next++ = static_cast<uint8_t>(code);
    return nb::make_tuple(matrix, wide);
}

TextDictionary& dictionary(FieldCoder& coder, size_t column) {
    if (column >= coder.columns()) throw nb::index_error();
    return coder.dictionary(column);
}

const char* error_name(FieldError error) {
    switch (error) {
        case FieldError::ragged: return "ragged";
        case FieldError::expected: return "expected";
        case FieldError::unexpected_end: return "unexpected_end";
        default: return "";
    }
}

}  // namespace

void bind_reading(nb::module_& m) {
    nb::class_<FieldBatch>(m, "FieldBatch", "What was read of a text.")
        .def_ro("rows", &FieldBatch::rows)
        .def_ro("consumed", &FieldBatch::consumed)
        .def_ro("lines", &FieldBatch::lines)
        .def_prop_ro("error", [](const FieldBatch& self) { return error_name(self.error); })
        .def_ro("error_line", &FieldBatch::error_line)
        .def_ro("error_offset", &FieldBatch::error_offset)
        .def_ro("found", &FieldBatch::found);
    nb::class_<FieldCoder>(m, "FieldCoder", "Codes the fields of delimited text.")
        .def("__init__",
             [](FieldCoder* self, const std::string& separators, bool runs, bool quotes,
                bool skip_blank, std::vector<std::string> comments, std::vector<std::string> tokens,
                const std::string& mark, const std::vector<bool>& used) {
                 if (separators.empty()) throw nb::value_error("there must be a separator");
                 new (self) FieldCoder(
                     {separators, runs, quotes, skip_blank, std::move(comments), std::move(tokens),
                      mark},
                     used);
             },
             nb::kw_only(), nb::arg("separators"), nb::arg("runs"), nb::arg("quotes"),
             nb::arg("skip_blank"), nb::arg("comments"), nb::arg("tokens"), nb::arg("mark"),
             nb::arg("used"))
        .def(
            "add",
            [](FieldCoder& self, nb::bytes text, int64_t line, bool last,
               nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> keep) {
                const std::string_view view(text.c_str(), text.size());
                const nb::gil_scoped_release release;
                return self.add(view, line, last, {keep.data(), keep.size()});
            },
            nb::arg("text"), nb::arg("line"), nb::arg("last"), nb::arg("keep"), nb::lock_self())
        .def("codes", &batch_codes, nb::arg("rows"), nb::lock_self())
        .def(
            "lines", [](const FieldCoder& self) { return owned(std::vector(self.lines())); },
            nb::lock_self())
        .def(
            "sizes",
            [](const FieldCoder& self) {
                std::vector<int64_t> sizes;
                for (size_t c = 0; c < self.columns(); ++c)
                    sizes.push_back(static_cast<int64_t>(self.dictionary(c).size()));
                return owned(std::move(sizes));
            },
            nb::lock_self())
        .def(
            "texts",
            [](FieldCoder& self, size_t c) -> const std::string& {
                return dictionary(self, c).texts();
            },
            nb::arg("column"), nb::lock_self())
        .def(
            "forget", [](FieldCoder& self, size_t c) { dictionary(self, c).forget(); },
            nb::arg("column"), nb::lock_self())
        .def(
            "first_lines",
            [](FieldCoder& self, size_t c) {
                return owned(std::vector(dictionary(self, c).lines()));
            },
            nb::arg("column"), nb::lock_self())
        .def_prop_ro("any_unquoted", &FieldCoder::any_unquoted);
}
