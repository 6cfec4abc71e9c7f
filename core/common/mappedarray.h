// Arrays in memory that is allocated directly by the operating system.
#pragma once

#include <cstddef>
#include <utility>

#include "common/platform.h"

namespace forebear {

/// An uninitialized array in mapped memory.
template <class T>
class MappedArray {
public:
    MappedArray() = default;
    explicit MappedArray(size_t size)
        : bytes_(size * sizeof(T)), data_(size ? static_cast<T*>(map_pages(bytes_)) : nullptr) {}
    MappedArray(MappedArray&& other) noexcept
        : bytes_(std::exchange(other.bytes_, 0)), data_(std::exchange(other.data_, nullptr)) {}
    MappedArray& operator=(MappedArray&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(data_, other.data_);
        return *this;
    }
    ~MappedArray() {
        if (data_) unmap_pages(data_, bytes_);
    }
    T* data() const { return data_; }
    size_t size() const { return bytes_ / sizeof(T); }

private:
    size_t bytes_ = 0;
    T* data_ = nullptr;
};

}  // namespace forebear
