// Protects objects of the core that only one thread at a time may use.
#pragma once

#include <atomic>
#include <stdexcept>

namespace forebear {

/// Records whether a thread is using an object. Methods release the GIL, so several threads could
/// otherwise change the object at the same time.
class InUse {
public:
    InUse() = default;
    InUse(InUse&&) noexcept {}  // an object is moved only during its construction

private:
    friend class Exclusive;
    mutable std::atomic<bool> taken_{false};
};

/// Reserves an object for the duration of a call.
class Exclusive {
public:
    explicit Exclusive(const InUse& object) : object_(object) {
        if (object_.taken_.exchange(true))
            throw std::runtime_error("this object is in use by another thread");
    }
    ~Exclusive() { object_.taken_ = false; }
    Exclusive(const Exclusive&) = delete;
    Exclusive& operator=(const Exclusive&) = delete;

private:
    const InUse& object_;
};

}  // namespace forebear
