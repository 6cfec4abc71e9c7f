#include "scoring/upperbounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "common/index.h"

namespace forebear {

namespace {

// Relative rounding error of a sum of as many terms as there are rows.
constexpr double kRounding = 1e-9;

double round_up(double score, double largest = 0.0) {
    return score + kRounding * (1.0 + std::abs(score) + std::abs(largest));
}

}  // namespace

/// The search for the larger sets of one child.
class LargerSetSearch {
public:
    LargerSetSearch(UpperBounds& bounds, int child, std::span<const uint16_t> candidates)
        : bounds_(bounds),
          data_(bounds.data_[bounds.packed_->place_of(child)]),
          table_(data_.table),
          score_(data_.score),
          child_(child),
          candidates_(candidates),
          unit_(std::ldexp(1.0, -score_.scale_bits())),
          first_(-std::log(static_cast<double>(table_.arities[index(child)]))),
          neighbors_(data_),
          levels_(candidates.size() + 1) {
        find_likelihood();
    }

    double bound(uint64_t members) {
        return bound(members, split(members));
    }

    LargerSets run(std::vector<ScoredSet> scored_sets, int scored_size, uint64_t required,
                   int64_t most_explored, size_t most_found, const Budget& budget) {
        scored_sets_ = std::move(scored_sets);
        std::stable_sort(
            scored_sets_.begin(), scored_sets_.end(),
            [](const ScoredSet& a, const ScoredSet& b) { return a.score > b.score; });
        scored_size_ = scored_size;
        most_explored_ = most_explored;
        most_found_ = most_found;
        budget_ = &budget;
        result_.complete = explore(required, split(required), 0);
        return std::move(result_);
    }

private:
    int32_t states(size_t candidate) const { return table_.arities[candidates_[candidate]]; }

    double configurations(uint64_t members) const {
        double product = 1.0;
        for (; members; members &= members - 1)
            product *= states(index(std::countr_zero(members)));
        return product;
    }

    void refine(const Partition& from, size_t candidate, Partition& to) const {
        to.refine(from, table_.codes, candidates_[candidate], states(candidate));
    }

    Partition split(uint64_t members) const {
        Partition split, coarse;
        split.reset(table_.codes);
        for (; members; members &= members - 1) {
            std::swap(split, coarse);
            refine(coarse, index(std::countr_zero(members)), split);
        }
        return split;
    }

    /// Computes the log-likelihood of every row given all candidates; no set has a higher sum.
    void find_likelihood() {
        const Partition finest = split((uint64_t{1} << candidates_.size()) - 1);
        likelihood_.assign(index(table_.codes.rows), 0.0);
        std::vector<int32_t> counts(index(table_.arities[index(child_)]));
        const auto x_log_x = [](double x) { return x > 0.0 ? x * std::log(x) : 0.0; };
        table_.codes.visit_counted(child_, [&](const auto* codes, auto count) {
            for (size_t g = 0; g < finest.groups(); ++g) {
                const std::span<const uint32_t> rows = finest.group(g);
                std::fill(counts.begin(), counts.end(), 0);
                for (const uint32_t row : rows) counts[codes[row]] += count(row);
                const auto size =
                    static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t{0}));
                double sum = -x_log_x(size);
                for (const int32_t own : counts) sum += x_log_x(own);
                for (const uint32_t row : rows)
                    likelihood_[row] = count(row) * std::min(sum / size, 0.0);
            }
        });
        for (const double row : likelihood_) {
            total_ += row;
            all_alone_ += std::min(first_, row);
        }
    }

    /// Larger sets have no higher prior than the set itself.
    double bound(uint64_t members, const Partition& split) {
        const int64_t prior = score_.prior(index(std::popcount(members)));
        return likelihood_bound(members, split) + unit_ * static_cast<double>(prior);
    }

    double likelihood_bound(uint64_t members, const Partition& split) {
        const double configurations = this->configurations(members);
        if (bounds_.penalized_) {
            const int64_t all = score_.constant(configurations * table_.arities[index(child_)]);
            return all == kNeverKept
                       ? -HUGE_VAL
                       : round_up(total_ +
                                unit_ * static_cast<double>(all - score_.constant(configurations)));
        }
        // The first occurrence of a state in a configuration has a probability of at most one over
        // the number of states, however the configuration is split further. The likelihood of a
        // configuration is also at most that of the frequencies given all candidates.
        double sum = all_alone_;
        table_.codes.visit(child_, [&](const auto* codes) {
            for (size_t g = 0; g < split.groups(); ++g) {
                uint64_t seen = 0;
                double likelihood = 0.0;
                for (const uint32_t row : split.group(g)) {
                    // States beyond 64 share a bit with others: fewer states give a higher bound.
                    seen |= uint64_t{1} << (codes[row] & 63);
                    likelihood += likelihood_[row];
                    sum -= std::min(first_, likelihood_[row]);
                }
                sum += std::min(std::popcount(seen) * first_, likelihood);
            }
        });
        return round_up(sum, all_alone_);
    }

    double score(uint64_t members, const Partition& split) {
        std::vector<uint16_t> parents;
        for (; members; members &= members - 1)
            parents.push_back(candidates_[index(std::countr_zero(members))]);
        const int64_t ticks = bounds_.penalized_ ? neighbors_.score_set(child_, parents)
                                                 : neighbors_.score_split(child_, split, parents);
        return ticks == kNeverKept ? -HUGE_VAL : unit_ * static_cast<double>(ticks);
    }

    /// Explores the sets that add candidates from `first` on. Returns false if a limit is reached.
    bool explore(uint64_t members, const Partition& split, size_t first) {
        if (budget_->spent()) return false;
        const auto size = index(std::popcount(members));
        if (!open(members, bound(members, split))) return true;
        if (++result_.explored > most_explored_) return false;
        if (static_cast<int>(size) > scored_size_) {
            const double own = score(members, split);
            if (open(members, round_up(own))) {
                if (result_.sets.size() >= most_found_) return false;
                result_.sets.push_back(members);
                const auto place =
                    std::find_if(scored_sets_.begin(), scored_sets_.end(),
                                 [&](const ScoredSet& one) { return one.score < own; });
                scored_sets_.insert(place, {members, own});
            }
        }
        for (size_t next = first; next < candidates_.size(); ++next) {
            if (members >> next & 1) continue;
            if (!bounds_.penalized_) refine(split, next, levels_[size]);
            if (!explore(members | uint64_t{1} << next, levels_[size], next + 1)) return false;
        }
        return true;
    }

    /// Returns whether no scored subset has this score or more.
    bool open(uint64_t members, double score) const {
        for (const ScoredSet& one : scored_sets_) {
            if (one.score < score) return true;
            if ((one.members & ~members) == 0) return false;
        }
        return true;
    }

    UpperBounds& bounds_;
    const NeighborData& data_;
    const Table& table_;
    Score& score_;
    const int child_;
    const std::span<const uint16_t> candidates_;
    const double unit_;
    const double first_;  // the largest contribution of the first occurrence of a state
    Neighbors neighbors_;
    std::vector<double> likelihood_;  // of every row, given all candidates: at most 0
    double total_ = 0.0;              // of all rows
    double all_alone_ = 0.0;          // the bound if every row were alone in its configuration
    std::vector<Partition> levels_;   // by the size of the set that is extended
    std::vector<ScoredSet> scored_sets_;     // best first
    int scored_size_ = 0;
    int64_t most_explored_ = 0;
    size_t most_found_ = 0;
    const Budget* budget_ = nullptr;
    LargerSets result_;
};

UpperBounds::UpperBounds(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Team& team)
    : packed_(std::move(packed)),
      penalized_(score.kind == Kind::bic || score.kind == Kind::aic),
      scores_(*packed_, score, packed_->table().n_variables() - 1, bytes_),
      data_(neighbor_data(*packed_, scores_, team)) {}

double UpperBounds::bound(int child, std::span<const uint16_t> candidates, uint64_t members) {
    return LargerSetSearch(*this, child, candidates).bound(members);
}

LargerSets UpperBounds::larger(int child, std::span<const uint16_t> candidates,
                               std::vector<ScoredSet> scored_sets, int scored_size,
                               uint64_t required, int64_t most_explored, size_t most_found, const Budget& budget) {
    // Without rows, no set scores higher than a smaller one.
    if (packed_->of(child).table().codes.rows == 0) return {{}, 0, true};
    return LargerSetSearch(*this, child, candidates)
        .run(std::move(scored_sets), scored_size, required, most_explored, most_found, budget);
}

}  // namespace forebear
