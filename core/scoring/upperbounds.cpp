#include "scoring/upperbounds.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/index.h"

namespace forebear {

namespace {

// Relative: sums of as many terms as there are rows may be rounded by this much.
constexpr double kRounding = 1e-9;

double raised(double score) { return score + kRounding * (1.0 + std::abs(score)); }

/// The rows by the configuration of the parents. Rows that are alone in theirs are only counted.
struct Groups {
    std::vector<int32_t> rows, of_row;  // rows that share a configuration, and which
    int32_t count = 0;                  // of these configurations
    int32_t alone = 0;                  // rows
    double alone_likelihood = 0.0;      // their share of the bound on marginal likelihoods
    double configurations = 1.0;        // by the declared states
};

class Search {
public:
    explicit Search(const UpperBoundProblem& problem)
        : problem_(problem), state_(-std::log(static_cast<double>(problem.arity))) {
        for (const double row : problem.likelihood) likelihood_ += row;
        cell_counts_.assign(problem.child.size() + 1, 0);
        group_counts_.assign(problem.child.size() + 1, 0);
    }

    Groups start(uint64_t members) {
        Groups groups;
        const size_t rows = problem_.child.size();
        for (size_t row = 0; row < rows; ++row) groups.rows.push_back(static_cast<int32_t>(row));
        groups.of_row.assign(rows, 0);
        groups.count = 1;
        for (size_t c = 0; c < problem_.arities.size(); ++c)
            if (members >> c & 1) {
                Groups finer;
                refine(groups, static_cast<int>(c), finer);
                groups = std::move(finer);
            }
        return groups;
    }

    void refine(const Groups& from, int candidate, Groups& to) {
        const size_t arity = index(problem_.arities[index(candidate)]);
        const int32_t* codes = problem_.codes.data() + index(candidate) * problem_.child.size();
        to.configurations = from.configurations * static_cast<double>(arity);
        if (counting_only_) return;
        sizes_.assign(index(from.count) * arity, 0);
        for (size_t i = 0; i < from.rows.size(); ++i)
            ++sizes_[index(from.of_row[i]) * arity + index(codes[from.rows[i]])];
        to.rows.clear();
        to.of_row.clear();
        to.count = 0;
        to.alone = from.alone;
        to.alone_likelihood = from.alone_likelihood;
        for (size_t i = 0; i < from.rows.size(); ++i) {
            const int32_t row = from.rows[i];
            int32_t& size = sizes_[index(from.of_row[i]) * arity + index(codes[row])];
            if (size == 1) {
                ++to.alone;
                to.alone_likelihood += std::min(state_, problem_.likelihood[index(row)]);
                continue;
            }
            if (size > 0) size = -++to.count;  // the number of the group, below zero
            to.rows.push_back(row);
            to.of_row.push_back(-size - 1);
        }
    }

    double bound(const Groups& groups) {
        if (problem_.family == Family::penalised)
            return raised(likelihood_ - problem_.penalty * groups.configurations);
        // The first occurrence of a state in a configuration has a probability of at most one over
        // the number of states, however the configuration is split further. Nor is a configuration
        // more likely than by the frequencies given all candidates.
        states_.assign(index(groups.count), 0);
        sums_.assign(index(groups.count), 0.0);
        for (size_t i = 0; i < groups.rows.size(); ++i) {
            const size_t row = index(groups.rows[i]), group = index(groups.of_row[i]);
            // States beyond 64 count as others do: fewer states, a higher bound.
            states_[group] |= uint64_t{1} << (problem_.child[row] & 63);
            sums_[group] += problem_.likelihood[row];
        }
        double sum = groups.alone_likelihood;
        for (size_t group = 0; group < states_.size(); ++group)
            sum += std::min(std::popcount(states_[group]) * state_, sums_[group]);
        return raised(sum);
    }

    double score(const Groups& groups) {
        // How many cells and configurations there are with each count.
        const size_t arity = index(problem_.arity);
        cells_.assign(index(groups.count) * arity, 0);
        for (size_t i = 0; i < groups.rows.size(); ++i)
            ++cells_[index(groups.of_row[i]) * arity + index(problem_.child[index(groups.rows[i])])];
        int32_t largest = groups.alone > 0 ? 1 : 0;
        for (size_t group = 0; group < index(groups.count); ++group) {
            int32_t total = 0;
            for (size_t state = 0; state < arity; ++state) {
                const int32_t count = cells_[group * arity + state];
                ++cell_counts_[index(count)];
                total += count;
            }
            ++group_counts_[index(total)];
            largest = std::max(largest, total);
        }
        cell_counts_[1] += groups.alone;
        group_counts_[1] += groups.alone;
        if (problem_.family == Family::penalised) {
            const auto term = [](double n) { return n * std::log(n); };
            return sum_by_count(largest, term, term) - problem_.penalty * groups.configurations;
        }
        const double r = problem_.arity;
        double cell = 1.0;
        if (problem_.family == Family::bdeu) cell = problem_.ess / (r * groups.configurations);
        if (problem_.family == Family::bds) cell = problem_.ess / (r * (groups.count + groups.alone));
        const auto rising = [](double prior) {
            return [prior, zero = std::lgamma(prior)](double n) {
                return std::lgamma(prior + n) - zero;
            };
        };
        return sum_by_count(largest, rising(cell), rising(cell * r));
    }

    /// Explores the sets that add candidates from `first` on. Returns whether to go on.
    bool explore(uint64_t members, const Groups& groups, int first) {
        if (budget_->spent()) return false;
        const double most = bound(groups);
        const int size = std::popcount(members);
        if (!open(members, most)) return true;
        if (++result_.explored > most_explored_) return false;
        if (size > scored_) {
            const double own = counting_only_ ? score_alone(members) : score(groups);
            if (open(members, raised(own))) {
                if (result_.found.size() >= most_found_) return false;
                result_.found.push_back({members, own});
                const auto place =
                    std::find_if(known_.begin(), known_.end(),
                                 [&](const KnownSet& one) { return one.score < own; });
                known_.insert(place, {members, own});
            }
        }
        const int n = static_cast<int>(problem_.arities.size());
        for (int next = first; next < n; ++next) {
            if (members >> next & 1) continue;
            Groups finer = std::move(levels_[index(size)]);
            refine(groups, next, finer);
            const bool on = explore(members | uint64_t{1} << next, finer, next + 1);
            levels_[index(size)] = std::move(finer);
            if (!on) return false;
        }
        return true;
    }

    LargerSets run(std::vector<KnownSet> known, int scored, uint64_t required,
                   int64_t most_explored, size_t most_found, const Budget& budget) {
        known_ = std::move(known);
        std::stable_sort(known_.begin(), known_.end(), [](const KnownSet& a, const KnownSet& b) {
            return a.score > b.score;
        });
        scored_ = scored;
        most_explored_ = most_explored;
        most_found_ = most_found;
        budget_ = &budget;
        levels_.resize(problem_.arities.size() + 1);
        // The bounds of penalised scores do not depend on the rows.
        counting_only_ = problem_.family == Family::penalised;
        result_.complete = explore(required, start(required), 0);
        return std::move(result_);
    }

private:
    double score_alone(uint64_t members) {
        counting_only_ = false;
        const double own = score(start(members));
        counting_only_ = true;
        return own;
    }

    /// Whether no known subset scores as much.
    bool open(uint64_t members, double score) const {
        for (const KnownSet& one : known_) {
            if (one.score < score) return true;
            if ((one.members & ~members) == 0) return false;
        }
        return true;
    }

    template <class Cell, class Group>
    double sum_by_count(int32_t largest, const Cell& cell, const Group& group) {
        double sum = 0.0;
        cell_counts_[0] = 0;
        for (int32_t n = 1; n <= largest; ++n) {
            if (cell_counts_[index(n)]) sum += cell_counts_[index(n)] * cell(n);
            if (group_counts_[index(n)]) sum -= group_counts_[index(n)] * group(n);
            cell_counts_[index(n)] = group_counts_[index(n)] = 0;
        }
        return sum;
    }

    const UpperBoundProblem& problem_;
    const double state_;
    double likelihood_ = 0.0;
    std::vector<int32_t> sizes_, cells_, cell_counts_, group_counts_;
    std::vector<uint64_t> states_;
    std::vector<double> sums_;
    std::vector<Groups> levels_;
    std::vector<KnownSet> known_;  // best first
    bool counting_only_ = false;
    int scored_ = 0;
    int64_t most_explored_ = 0;
    size_t most_found_ = 0;
    const Budget* budget_ = nullptr;
    LargerSets result_;
};

}  // namespace

double superset_bound(const UpperBoundProblem& problem, uint64_t members) {
    Search search(problem);
    return search.bound(search.start(members));
}

double set_score(const UpperBoundProblem& problem, uint64_t members) {
    Search search(problem);
    return search.score(search.start(members));
}

LargerSets larger_sets(const UpperBoundProblem& problem, std::vector<KnownSet> known, int scored,
                       uint64_t required, int64_t most_explored, size_t most_found,
                       const Budget& budget) {
    return Search(problem).run(std::move(known), scored, required, most_explored, most_found,
                               budget);
}

}  // namespace forebear
