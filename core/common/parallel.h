// Work on several threads, whose exceptions reach the caller.
#pragma once

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace forebear {

/// Runs work(thread) for threads 0..count-1, this one being thread 0. The first exception of any is
/// thrown here once all have ended; `failed` is called at once, to tell the others.
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
            // The system gives no more threads: those there are share the work.
        }
        guarded(0);
    }
    if (first) std::rethrow_exception(first);
}

}  // namespace forebear
