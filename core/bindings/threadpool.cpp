// Python bindings of the threads of a search, and of their jobs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "bindings/arrays.h"
#include "common/budget.h"
#include "search/threadpool.h"
#include "search/individual.h"
#include "search/selection.h"

namespace nb = nanobind;
using namespace forebear;

namespace {

using SetsPtr = std::shared_ptr<const OrderSets>;
using View = nb::ndarray<nb::numpy, const int32_t, nb::ndim<1>>;

/// Its threads may need the lock of Python to end, so it is released while they are waited for.
struct PyThreadPool {
    ThreadPool pool;
    PyThreadPool(int threads, std::shared_ptr<const Budget> budget)
        : pool(threads, std::move(budget)) {}
    ~PyThreadPool() { shut(); }
    void shut() {
        const nb::gil_scoped_release release;
        pool.shut();
    }
};

/// A batch and its thread pool, which lives as long as anybody can wait for the batch.
struct PyBatch {
    std::shared_ptr<PyThreadPool> owner;
    std::shared_ptr<Batch> batch;

    std::vector<IndividualPtr> wait() { return owner->pool.wait(*batch); }
    void drop() { owner->pool.drop(*batch); }
};

struct PyQueue {
    std::shared_ptr<PyThreadPool> owner;
    std::shared_ptr<ThreadPool::Queue> queue;

    PyBatch submit(std::vector<Job> jobs) {
        auto batch = std::make_shared<Batch>(std::move(jobs));
        owner->pool.submit(*queue, batch);
        return {owner, std::move(batch)};
    }
    void close() { owner->pool.close(*queue); }
};

std::vector<int32_t> copy(std::span<const int32_t> values) { return {values.begin(), values.end()}; }

Job climb_job(SetsPtr sets, Numbers order, Random random, bool always) {
    return {[sets, order = copy(as_order(*sets, order)), random](Workspace& workspace, const Budget& budget) {
                Random numbers = random;
                return climb_order(workspace.climber(sets), order, numbers, budget);
            },
            always};
}

/// A parent, another one (null for a mutation), and random numbers.
using Plan = std::tuple<IndividualPtr, IndividualPtr, Random>;

PyBatch breed(PyQueue& self, SetsPtr sets, ChildPolicy policy, const std::vector<Plan>& plans) {
    policy.window = std::clamp(policy.window, 0, sets->n());
    std::vector<Job> jobs;
    jobs.reserve(plans.size());
    for (const auto& [parent, other, random] : plans) {
        if (!parent) throw nb::value_error("a child requires a parent");
        check_ranks(*sets, parent->ranks);
        if (other) check_ranks(*sets, other->ranks);
        jobs.push_back({[sets, policy, parent, other, random](Workspace& workspace,
                                                              const Budget& budget) {
            Random numbers = random;
            return climb_child(workspace.climber(sets), policy, *parent, other.get(), numbers,
                               budget);
        }});
    }
    const nb::gil_scoped_release release;
    return self.submit(std::move(jobs));
}

Job adapt_job(SetsPtr sets, Numbers order, Numbers ranks, int window, Random random) {
    window = std::clamp(window, 0, sets->n());
    return {[sets, order = copy(as_order(*sets, order)), ranks = copy(as_ranks(*sets, ranks)),
             window, random](Workspace& workspace, const Budget& budget) {
                Random numbers = random;
                return adapt(workspace.climber(sets), order, ranks, window, numbers, budget);
            },
            true};
}

Job select_job(SetsPtr sets, Numbers order) {
    return {[sets, order = copy(as_order(*sets, order))](Workspace&, const Budget&) {
        Individual result{0, acyclic_selection(*sets, order), std::vector<int32_t>(order.size())};
        result.score = best_sets(*sets, result.order, result.ranks);
        return result;
    }};
}

View view(nb::handle owner, const std::vector<int32_t>& values) {
    return {values.data(), {values.size()}, owner};
}

}  // namespace

void bind_thread_pool(nb::module_& m) {
    const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<Individual>(m, "Individual", "A climbed order and the sets it gives its variables.")
        .def("__init__",
             [](Individual* self, int64_t score, Numbers order, Numbers ranks) {
                 check_permutation({order.data(), order.size()});
                 if (ranks.size() != order.size())
                     throw nb::value_error("there must be one rank per variable");
                 new (self) Individual(score, {order.data(), order.data() + order.size()},
                                       {ranks.data(), ranks.data() + ranks.size()});
             },
             nb::arg("score"), nb::arg("order"), nb::arg("ranks"))
        .def_ro("score", &Individual::score)
        .def_prop_ro("order",
                     [](nb::handle_t<Individual> self) {
                         return view(self, nb::cast<const Individual&>(self).order);
                     })
        .def_prop_ro("ranks", [](nb::handle_t<Individual> self) {
            return view(self, nb::cast<const Individual&>(self).ranks);
        });
    nb::class_<ChildPolicy>(m, "ChildPolicy", "How a child is made and climbed.")
        .def(nb::init<int, int64_t, int>(), nb::arg("window"), nb::arg("margin"), nb::arg("swaps"))
        .def_ro("window", &ChildPolicy::window)
        .def_ro("margin", &ChildPolicy::margin)
        .def_ro("swaps", &ChildPolicy::swaps);
    nb::class_<Job>(m, "Job", "Work for a thread of the search.")
        .def_static("climb", &climb_job, nb::arg("sets"), nb::arg("order"), nb::arg("random"),
                    nb::arg("always") = false)
        .def_static("adapt", &adapt_job, nb::arg("sets"), nb::arg("order"), nb::arg("ranks"),
                    nb::arg("window"), nb::arg("random"))
        .def_static("select", &select_job, nb::arg("sets"), nb::arg("order"));
    nb::class_<PyBatch>(m, "Batch", "Jobs that were submitted together.")
        .def("wait", &PyBatch::wait, unlocked)
        .def("drop", &PyBatch::drop, unlocked);
    nb::class_<PyQueue>(m, "Queue", "The jobs of a chain.")
        .def("submit", &PyQueue::submit, nb::arg("jobs"), unlocked)
        .def("breed", &breed, nb::arg("sets"), nb::arg("policy"), nb::arg("plans"))
        .def("close", &PyQueue::close, unlocked);
    nb::class_<PyThreadPool>(m, "ThreadPool", "The threads of a search, shared by its chains.")
        .def(nb::init<int, std::shared_ptr<Budget>>(), nb::arg("threads"), nb::arg("budget"))
        .def("open", [](std::shared_ptr<PyThreadPool> self) {
            auto queue = self->pool.open();
            return PyQueue{std::move(self), std::move(queue)};
        })
        .def("shut", &PyThreadPool::shut);
}
