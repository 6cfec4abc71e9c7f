// Work on several threads, whose exceptions reach the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace forebear {

/// Runs work(thread) for threads 0..count-1, of which thread 0 is the caller's. If any of them
/// throws, `failed` is called at once, to stop the others; when all have ended, the first exception
/// is thrown again.
template <class Work, class Failed>
void on_threads(int count, const Work& work, const Failed& failed) {
    std::mutex mutex;
    std::exception_ptr first;
    const auto guarded = [&](int thread) {
        try {
            work(thread);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!first) first = std::current_exception();
            failed();
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            for (int t = 1; t < count; ++t) threads.emplace_back(guarded, t);
        } catch (const std::system_error&) {
            // The system has no more threads: those that started share the work.
        }
        guarded(0);
    }
    if (first) std::rethrow_exception(first);
}

/// Runs work(item, state) for items 0..count-1. Each thread makes a state by make_state(thread),
/// and takes the next item when it has finished one.
template <class MakeState, class Work>
void for_each_item(int count, int threads, const MakeState& make_state, const Work& work) {
    std::atomic<int> next{0};
    on_threads(
        std::min(threads, count),
        [&](int thread) {
            auto state = make_state(thread);
            for (int item; (item = next.fetch_add(1)) < count;) work(item, state);
        },
        [&] { next = count; });
}

template <class Work>
void for_each_item(int count, int threads, const Work& work) {
    for_each_item(
        count, threads, [](int thread) { return thread; }, [&](int item, int) { work(item); });
}

}  // namespace forebear
