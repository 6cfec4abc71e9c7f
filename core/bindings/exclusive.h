// Objects of the core that one thread at a time may use.
#pragma once

#include <atomic>
#include <stdexcept>

namespace forebear {

/// Whether a thread uses an object. Methods that work without the GIL would otherwise change the
/// object under each other, with or without a GIL.
class InUse {
public:
    InUse() = default;
    InUse(InUse&&) noexcept {}  // an object is moved only while it is made

private:
    friend class Exclusive;
    mutable std::atomic<bool> taken_{false};
};

/// Takes an object for the time of a call.
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
