// Finds cuts that a soft solution violates: clusters that too few of their members are expected to
// avoid, and local cuts.
#pragma once

#include <cstdint>
#include <vector>

#include "common/budget.h"
#include "common/index.h"
#include "common/parallel.h"
#include "common/random.h"
#include "proof/clusters.h"
#include "proof/softascent.h"

namespace forebear {

/// The columns of each variable with their probabilities in a solution; unlikely ones are left out.
class Probabilities {
public:
    static constexpr float kUnlikely = 1e-3f;
    explicit Probabilities(const SoftAscent& ascent, float unlikely = kUnlikely);

    struct Choice {
        float probability;
        const uint16_t* members;
    };
    const std::vector<Choice>& of(int v) const { return choices_[index(v)]; }
    int n() const { return static_cast<int>(choices_.size()); }
    int slots() const { return slots_; }

private:
    int slots_;
    std::vector<std::vector<Choice>> choices_;
};

/// Grows clusters of a level greedily. Each step adds the variable that lowers the expected number
/// of members that avoid the cluster the most.
class Separation {
public:
    Separation(const Probabilities& probabilities, int level, double violation);

    /// The most violated cluster found from a start, ascending; empty if none is violated by more
    /// than `violation`.
    std::vector<int32_t> grow(int start, Random& random, size_t largest);

private:
    struct Member {
        int32_t variable;
        std::vector<int32_t> avoiding;  // its choices that avoid the cluster
    };

    int held(const Probabilities::Choice& choice) const;
    bool hits(const Probabilities::Choice& choice) const { return held(choice) >= level_; }
    double avoids(int v) const;
    void add_gains(const Probabilities::Choice& choice, double probability);
    void join(int v);
    void clear();
    const Probabilities::Choice* draw(int v, Random& random) const;
    bool begin(int start, Random& random);
    int choose_next(Random& random);
    void improve(std::vector<int32_t>& cluster);
    double weigh_changes(const std::vector<int32_t>& cluster);

    const Probabilities& probabilities_;
    int level_;
    double violation_;
    std::vector<uint8_t> inside_;
    std::vector<Member> members_;
    size_t size_ = 0;           // the number of members_ in use
    double expected_ = 0.0;     // the expected number of members that avoid the cluster
    std::vector<double> gain_;  // of u: the probability of members' choices that avoid the cluster
                                // but hit it with u
    std::vector<uint8_t> is_candidate_;
    std::vector<int32_t> candidates_;  // variables that have or had a gain
};

/// The most violated local cuts, at most one per variable or a few more. The solution misses what
/// is due by at least `violation` times the largest shortfall.
std::vector<Cut> violated_local_cuts(const SoftAscent& ascent, double violation,
                                     const Budget& budget, Team& team);

}  // namespace forebear
