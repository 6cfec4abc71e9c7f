// Clusters that a soft solution violates: whose members too seldom avoid them.
#pragma once

#include <cstdint>
#include <vector>

#include "bound/softascent.h"
#include "common/index.h"
#include "common/random.h"

namespace forebear {

/// What a solution says: each variable's sets and their chances, unlikely ones left out.
class Chances {
public:
    explicit Chances(const SoftAscent& ascent);

    struct Choice {
        float chance;
        const uint16_t* members;
    };
    const std::vector<Choice>& of(int v) const { return choices_[index(v)]; }
    int n() const { return static_cast<int>(choices_.size()); }
    int slots() const { return slots_; }

private:
    int slots_;
    std::vector<std::vector<Choice>> choices_;
};

/// Grows clusters of a level greedily, each time by the variable that lowers the expected number of
/// members that avoid the cluster the most.
class Separation {
public:
    Separation(const Chances& chances, int level);

    /// The most violated cluster on the way from a variable, ascending; empty if none is violated.
    std::vector<int32_t> grow(int start, Random& random, size_t largest);

private:
    struct Member {
        int32_t variable;
        std::vector<int32_t> avoiding;  // its choices that avoid the cluster
    };

    int held(const Chances::Choice& choice) const;
    bool hits(const Chances::Choice& choice) const { return held(choice) >= level_; }
    double avoids(int v) const;
    void add_gains(const Chances::Choice& choice, double chance);
    void join(int v);
    void clear();
    const Chances::Choice* draw(int v, Random& random) const;
    bool begin(int start, Random& random);
    int choose_next(Random& random);
    void shrink(std::vector<int32_t>& cluster);

    const Chances& chances_;
    int level_;
    std::vector<uint8_t> inside_;
    std::vector<Member> members_;
    size_t size_ = 0;        // of members_ in use
    double expected_ = 0.0;  // how many of them avoid the cluster
    std::vector<double>
        gain_;  // of u: the chance of members' choices that avoid the cluster but hit it with u
    std::vector<uint8_t> is_candidate_;
    std::vector<int32_t> candidates_;  // those that have or had a gain
};

}  // namespace forebear
