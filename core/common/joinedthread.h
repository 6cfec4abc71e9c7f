// Threads that are waited for.
#pragma once

#include <thread>
#include <utility>

namespace forebear {

/// A thread that is waited for when this is destroyed. std::jthread, which does this too, is missing
/// in Apple's standard library.
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

}  // namespace forebear
