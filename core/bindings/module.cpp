// The Python module: one binding function per topic.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_common(nb::module_& m);
void bind_growth(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_posterior(nb::module_& m);
void bind_proof(nb::module_& m);
void bind_reading(nb::module_& m);
void bind_scoring(nb::module_& m);
void bind_search(nb::module_& m);
void bind_thread_pool(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "The core of forebear";
    // After an interrupt, a program ends with live objects. This is not a leak to report.
    nb::set_leak_warnings(false);
    bind_common(m);
    bind_reading(m);
    bind_scoring(m);
    bind_growth(m);
    bind_inference(m);
    bind_search(m);
    bind_thread_pool(m);
    bind_proof(m);
    bind_posterior(m);
}
