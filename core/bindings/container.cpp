// Checks of a collection of parent sets: is it whole, is it valid?
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "common/parallel.h"

namespace nb = nanobind;

namespace {

// XXH64 (Collet), the checksum of native files: as fast as memory is read.
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                   kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                   kPrime5 = 0x27D4EB2F165667C5;

template <class T>
T load(const uint8_t* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

uint64_t mix(uint64_t lane, uint64_t word) {
    return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

uint64_t xxh64(const uint8_t* at, size_t size) {
    const uint8_t* const end = at + size;
    uint64_t hash = kPrime5;
    if (size >= 32) {
        uint64_t lanes[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
        for (; end - at >= 32; at += 32)
            for (int i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], load<uint64_t>(at + 8 * i));
        hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
               std::rotl(lanes[3], 18);
        for (const uint64_t lane : lanes) hash = (hash ^ mix(0, lane)) * kPrime1 + kPrime4;
    }
    hash += size;
    for (; end - at >= 8; at += 8)
        hash = std::rotl(hash ^ mix(0, load<uint64_t>(at)), 27) * kPrime1 + kPrime4;
    if (end - at >= 4) {
        hash = std::rotl(hash ^ load<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
        at += 4;
    }
    for (; at < end; ++at) hash = std::rotl(hash ^ *at * kPrime5, 11) * kPrime1;
    hash = (hash ^ hash >> 33) * kPrime2;
    hash = (hash ^ hash >> 29) * kPrime3;
    return hash ^ hash >> 32;
}

/// The first defect of one variable's sets, or nothing.
template <class Id>
std::string defect_of(int64_t v, int64_t n, int64_t begin, int64_t end, const double* scores,
                      const Id* parents, int64_t slots, int64_t total) {
    constexpr Id none = std::numeric_limits<Id>::max();
    const auto at = [&](int64_t slot, int64_t i) { return parents[slot * total + i]; };
    const auto where = [&](int64_t i) {
        return " (variable " + std::to_string(v) + ", rank " + std::to_string(i - begin + 1) + ")";
    };
    bool has_empty = false;
    for (int64_t i = begin; i < end; ++i) {
        if (std::isnan(scores[i]) || scores[i] == std::numeric_limits<double>::infinity())
            return "a score is not a number" + where(i);
        if (i > begin && !(scores[i] <= scores[i - 1])) return "not sorted best first" + where(i);
        Id before = 0;
        bool ended = false;
        for (int64_t slot = 0; slot < slots; ++slot) {
            const Id parent = at(slot, i);
            if (parent == none) {
                ended = true;
                continue;
            }
            if (ended || parent >= n || parent == v || (slot > 0 && parent <= before))
                return "a set's parents are not valid" + where(i);
            before = parent;
        }
        if (slots == 0 || at(0, i) == none) {
            if (has_empty) return "the empty set is there twice" + where(i);
            has_empty = true;
        }
    }
    return has_empty ? "" : "variable " + std::to_string(v) + " lacks the empty set";
}

template <class Id>
std::string find_defect(nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig> offsets,
                        nb::ndarray<const double, nb::ndim<1>, nb::c_contig> scores,
                        nb::ndarray<const Id, nb::ndim<2>, nb::c_contig> parents) {
    const auto n = static_cast<int64_t>(offsets.size()) - 1,
               total = static_cast<int64_t>(scores.size());
    const auto slots = static_cast<int64_t>(parents.shape(0));
    if (n < 1) return "there are no variables";
    if (static_cast<int64_t>(parents.shape(1)) != total)
        return "there are not as many sets as scores";
    const int64_t* const starts = offsets.data();
    if (starts[0] != 0 || starts[n] != total) return "the sets do not add up";
    for (int64_t v = 0; v < n; ++v)
        if (starts[v + 1] < starts[v]) return "the sets do not add up";
    const double* const score_data = scores.data();
    const Id* const parent_data = parents.data();
    const nb::gil_scoped_release release;
    std::vector<std::string> defects(static_cast<size_t>(n));
    std::atomic<int64_t> next{0};
    const auto work = [&](int) {
        for (int64_t v; (v = next.fetch_add(1)) < n;)
            defects[static_cast<size_t>(v)] = defect_of<Id>(v, n, starts[v], starts[v + 1],
                                                            score_data, parent_data, slots, total);
    };
    const unsigned wanted = total < 1 << 20 ? 1 : std::min(8u, std::thread::hardware_concurrency());
    forebear::on_threads(static_cast<int>(wanted), work, [&] { next = n; });
    for (const std::string& defect : defects)
        if (!defect.empty()) return defect;
    return {};
}

}  // namespace

void bind_container(nb::module_& m) {
    m.def(
        "checksum",
        [](nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig> data) {
            const uint8_t* const bytes = data.data();
            const size_t size = data.size();
            const nb::gil_scoped_release release;
            return xxh64(bytes, size);
        },
        nb::arg("data").noconvert(), "The XXH64 checksum of an array of bytes.");
    m.def("find_defect", &find_defect<uint16_t>, nb::arg("offsets"), nb::arg("scores"),
          nb::arg("parents").noconvert(),
          "What is wrong with these parent sets, in words; empty if nothing is.");
    m.def("find_defect", &find_defect<uint32_t>, nb::arg("offsets"), nb::arg("scores"),
          nb::arg("parents").noconvert());
}
