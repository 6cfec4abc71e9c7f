// Reading and writing .jkl files.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_jkl(nb::module_&) {}
