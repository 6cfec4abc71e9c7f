// Finds all parent sets worth having, beyond those that were scored, by upper bounds on the scores
// of larger sets.
//
// A set is open if the upper bound on the scores of all its supersets is above the best score of
// its subsets that are known. If it is not, no superset is worth having. Bounds only fall and best
// scores only rise as sets grow, so all subsets of an open set are open.
#pragma once

#include <cstdint>
#include <vector>

#include "common/budget.h"

namespace forebear {

enum class Family { bdeu, bds, k2, penalised };

/// A child, its candidate parents, and the sets of them that were scored.
struct UpperBoundProblem {
    Family family = Family::bdeu;
    double ess = 1.0;                    ///< of bdeu and bds
    double penalty = 0.0;                ///< of penalised scores: per configuration of the parents
    int arity = 0;                       ///< of the child
    std::vector<int32_t> child;          ///< its state in every row
    std::vector<int32_t> codes;          ///< [candidate][row]
    std::vector<int32_t> arities;        ///< of the candidates
    std::vector<double> likelihood;      ///< of every row, given all candidates: at most 0
};

struct KnownSet {
    uint64_t members;  ///< as bits of candidates
    double score;
};

/// What there is beyond the known sets.
struct LargerSets {
    std::vector<KnownSet> found;  ///< they beat all subsets that were known by then
    int64_t explored = 0;         ///< open sets
    bool complete = false;        ///< false if the budget or one of the limits was reached
};

/// The upper bound on the scores of a set of candidates and of all its supersets.
double superset_bound(const UpperBoundProblem& problem, uint64_t members);
/// The score of a set of candidates.
double set_score(const UpperBoundProblem& problem, uint64_t members);

/// Finds the sets of more than `scored` candidates that beat their subsets. `known` are the sets of
/// up to `scored` candidates that do. Every set has the required candidates. Explores and finds at
/// most as many sets as given.
LargerSets larger_sets(const UpperBoundProblem& problem, std::vector<KnownSet> known, int scored,
                       uint64_t required, int64_t most_explored, size_t most_found,
                       const Budget& budget);

}  // namespace forebear
