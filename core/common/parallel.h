// Parallel work on several threads; exceptions are passed on to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace forebear {

/// A thread that is joined by the destructor. Apple's standard library lacks std::jthread, which
/// does the same.
class JoinedThread {
public:
    template <class Work>
    explicit JoinedThread(Work&& work) : thread_(std::forward<Work>(work)) {}
    JoinedThread(JoinedThread&&) noexcept = default;
    ~JoinedThread() {
        if (thread_.joinable()) thread_.join();
    }

private:
    std::thread thread_;
};

/// Threads that are reused for several jobs, because starting a thread takes longer than waking it.
/// A team belongs to one caller and ends with its call, because threads do not survive a fork.
class Team {
public:
    /// At most `size` threads, the caller's among them. The others start when they are needed.
    explicit Team(int size) : size_(std::max(1, size)) {}
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team() {
        job_ = nullptr;
        call_helpers();
    }

    int size() const { return size_; }

    /// Runs work(thread) for threads 0..count-1, of which thread 0 is the caller's; there are at
    /// most size(). If any of them throws, `failed` is called at once, to stop the others; when all
    /// have ended, the first exception is thrown again.
    template <class Work, class Failed>
    void run(int count, const Work& work, const Failed& failed) {
        std::mutex mutex;
        std::exception_ptr first;
        const std::function<void(int)> guarded = [&](int thread) {
            try {
                work(thread);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!first) first = std::current_exception();
                failed();
            }
        };
        count_ = std::clamp(count, 1, size_);
        if (count_ == 1) {
            guarded(0);
        } else {
            start_helpers();
            job_ = &guarded;
            left_ = static_cast<int>(helpers_.size());
            call_helpers();
            guarded(0);
            for (int left; (left = left_.load()) > 0;) left_.wait(left);
        }
        if (first) std::rethrow_exception(first);
    }

private:
    void start_helpers() {
        try {
            for (int t = static_cast<int>(helpers_.size()) + 1; t < count_; ++t)
                helpers_.emplace_back([this, t, seen = calls_.load()] { help(t, seen); });
        } catch (const std::system_error&) {
            // The system cannot start more threads: those that started share the work.
        }
    }

    void call_helpers() {
        calls_.fetch_add(1);
        calls_.notify_all();
    }

    void help(int thread, unsigned seen) {
        for (;; ++seen) {
            calls_.wait(seen);
            if (!job_) return;
            if (thread < count_) (*job_)(thread);
            if (left_.fetch_sub(1) == 1) left_.notify_one();
        }
    }

    int size_;
    int count_ = 1;  // threads that work on the job
    const std::function<void(int)>* job_ = nullptr;
    std::atomic<unsigned> calls_{0};
    std::atomic<int> left_{0};           // helpers that are still working
    std::vector<JoinedThread> helpers_;  // the last member, so that they end first
};

/// Runs work(item, state) for items 0..count-1. Each thread creates a state, make_state(thread),
/// and takes the next item after finishing one.
template <class MakeState, class Work>
void for_each_item(Team& team, int count, const MakeState& make_state, const Work& work) {
    std::atomic<int> next{0};
    team.run(
        count,
        [&](int thread) {
            auto state = make_state(thread);
            for (int item; (item = next.fetch_add(1)) < count;) work(item, state);
        },
        [&] { next = count; });
}

template <class Work>
void for_each_item(Team& team, int count, const Work& work) {
    for_each_item(
        team, count, [](int thread) { return thread; }, [&](int item, int) { work(item); });
}

/// As above, with a team for this call only.
template <class Work>
void for_each_item(int count, int threads, const Work& work) {
    Team team(threads);
    for_each_item(team, count, work);
}

}  // namespace forebear
