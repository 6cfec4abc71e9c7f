#include "posterior/widening.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>
#include <unordered_map>

#include "common/index.h"
#include "common/random.h"

namespace forebear {

namespace {

/// Larger sets are not checked for arcs that statements may need: a set has 2^size subsets.
constexpr size_t kLargestNeeded = 6;

bool outranks(const WideSet& a, const WideSet& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.members.size() != b.members.size()) return a.members.size() < b.members.size();
    return a.members < b.members;
}

std::vector<uint16_t> with(const std::vector<uint16_t>& set, int32_t u) {
    std::vector<uint16_t> result(set);
    result.insert(std::lower_bound(result.begin(), result.end(), u), static_cast<uint16_t>(u));
    return result;
}

}  // namespace

/// Finds the sets of one variable.
class WideVariable {
public:
    WideVariable(Widening& owner, Neighbors& neighbors, int v)
        : owner_(owner),
          options_(owner.options_),
          neighbors_(neighbors),
          v_(v),
          most_(options_.max_parents[index(v)]),
          unit_(std::ldexp(1.0, -owner.scores_.of(v).scale_bits())) {
        const int n = owner.n();
        if (!owner.constraints_.required.empty())
            for (const int p : owner.constraints_.required[index(v)])
                root_.push_back(static_cast<uint16_t>(p));
        std::sort(root_.begin(), root_.end());
        for (int u = 0; u < n; ++u)
            if (u != v && owner.constraints_.allows(n, v, u) &&
                std::find(root_.begin(), root_.end(), u) == root_.end())
                candidates_.push_back(u);
        if (owner.scores_.of(v).relative_to_empty()) zero_ = neighbors_.score_set(v, {});
    }

    WideSets find(const ParentSetsView<uint16_t>& first, const Budget& budget) {
        const double score = nats(neighbors_.score_set(v_, root_));
        keep(root_, score, score);
        enumerate(budget);
        add(first);
        expand(budget);
        return finish();
    }

    WideSets grow(const ParentSetsView<uint16_t>& all, std::span<const uint8_t> explored,
                  std::span<const uint8_t> used, const Budget& budget) {
        const int64_t begin = all.offsets[index(v_)], end = all.offsets[index(v_) + 1];
        std::vector<size_t> to_expand;
        for (size_t size = 0; size <= index(all.slots); ++size)  // the best subsets come first
            for (int64_t at = begin; at < end; ++at) {
                const double score = all.scores[index(at)];
                std::vector<uint16_t> members = members_of(all, at);
                if (members.size() != size || !std::isfinite(score)) continue;
                scores_by_key_[key(members)] = {score, std::max(score, best_subset(members))};
                if (used[index(at)]) to_expand.push_back(found_.sets.size());
                found_.sets.push_back({score, std::move(members), explored[index(at)] != 0});
            }
        for (const size_t at : to_expand) {
            if (budget.spent()) break;
            drop(std::vector<uint16_t>(found_.sets[at].members));
            if (!found_.sets[at].explored && !full(found_.sets[at])) explore(at);
        }
        return finish();
    }

private:
    struct SetScore {
        double score, best;  // of the set, and of the set and its subsets scored so far
    };

    double nats(int64_t score) const {
        if (score <= kNeverKept) return -std::numeric_limits<double>::infinity();
        return static_cast<double>(score - zero_) * unit_;
    }
    uint64_t key(std::span<const uint16_t> members) const {
        uint64_t sum = 0;
        for (const uint16_t p : members) sum += owner_.keys_[p];
        return sum;
    }
    /// Stores the score of a set; keeps the set unless a subset beats it by more than the margin.
    bool keep(const std::vector<uint16_t>& members, double score, double best) {
        scores_by_key_[key(members)] = {score, std::max(best, score)};
        if (!(score >= best - options_.margin) && !needed(members, score)) return false;
        found_.sets.push_back({score, members});
        return true;
    }
    /// Whether some of the members, as many as there are statements, may be needed, and no subset
    /// that has them beats the set by more than the margin.
    bool needed(const std::vector<uint16_t>& members, double score) const {
        if (options_.useful.empty() || members.size() > kLargestNeeded || !std::isfinite(score))
            return false;
        const size_t row = index(v_) * index(owner_.n());
        uint32_t useful = 0;
        for (size_t i = 0; i < members.size(); ++i)
            useful |= uint32_t{options_.useful[row + members[i]] != 0} << i;
        const int most = std::min(std::popcount(useful), options_.needing);
        if (most == 0) return false;
        const uint32_t whole = (uint32_t{1} << members.size()) - 1;
        std::vector<uint32_t> better;  // subsets that beat the set
        for (uint32_t part = 0; part < whole; ++part) {
            uint64_t sum = 0;
            for (size_t i = 0; i < members.size(); ++i)
                if (part >> i & 1) sum += owner_.keys_[members[i]];
            const auto entry = scores_by_key_.find(sum);
            if (entry != scores_by_key_.end() && entry->second.score > score + options_.margin)
                better.push_back(part);
        }
        for (uint32_t kept = useful; kept != 0; kept = (kept - 1) & useful) {
            if (std::popcount(kept) != most) continue;
            if (std::none_of(better.begin(), better.end(),
                             [&](uint32_t part) { return (part & kept) == kept; }))
                return true;
        }
        return false;
    }
    static std::vector<uint16_t> members_of(const ParentSetsView<uint16_t>& sets, int64_t at) {
        std::vector<uint16_t> members;
        for (int k = 0; k < sets.slots && sets.parent(k, at) != sets.kNone; ++k)
            members.push_back(sets.parent(k, at));
        return members;
    }
    /// Whether a set may not get another parent.
    bool full(const WideSet& set) const {
        return static_cast<int>(set.members.size()) >= most_;
    }
    /// Scores all sets of up to `complete` parents.
    void enumerate(const Budget& budget) {
        std::vector<std::vector<uint16_t>> level{root_};
        const int last = std::min(options_.complete, most_);
        for (int size = static_cast<int>(root_.size()); size < last; ++size) {
            std::vector<std::vector<uint16_t>> next;
            for (const auto& set : level) {
                if (budget.spent()) return;
                const int largest = last_candidate(set);
                const auto from = std::upper_bound(candidates_.begin(), candidates_.end(), largest);
                const std::span<const int32_t> others(from, candidates_.end());
                score(set, others);
                for (size_t i = 0; i < others.size(); ++i) {
                    next.push_back(with(set, others[i]));
                    keep(next.back(), nats(scores_[i]), best_subset(next.back()));
                }
            }
            level = std::move(next);
            completed_ = size + 1;
        }
    }
    /// The largest member that is not required: sets are enumerated by ascending ones.
    int last_candidate(const std::vector<uint16_t>& set) const {
        for (size_t i = set.size(); i-- > 0;)
            if (std::find(root_.begin(), root_.end(), set[i]) == root_.end()) return set[i];
        return -1;
    }
    double best_subset(const std::vector<uint16_t>& set) const {
        double best = -std::numeric_limits<double>::infinity();
        const uint64_t whole = key(set);
        for (const uint16_t p : set) {
            const auto entry = scores_by_key_.find(whole - owner_.keys_[p]);
            if (entry != scores_by_key_.end()) best = std::max(best, entry->second.best);
        }
        return best;
    }
    /// Adds the sets of a search, which no subset dominates.
    void add(const ParentSetsView<uint16_t>& first) {
        for (int64_t at = first.offsets[index(v_)]; at < first.offsets[index(v_) + 1]; ++at) {
            if (!std::isfinite(first.scores[index(at)])) continue;
            const std::vector<uint16_t> members = members_of(first, at);
            if (static_cast<int>(members.size()) > most_ || scores_by_key_.contains(key(members))) continue;
            keep(members, first.scores[index(at)], first.scores[index(at)]);
        }
    }
    /// Scores the neighbors of the best sets, then those of the best of these, and so on.
    void expand(const Budget& budget) {
        const auto lower = [&](size_t a, size_t b) {
            return outranks(found_.sets[b], found_.sets[a]);
        };
        std::priority_queue<size_t, std::vector<size_t>, decltype(lower)> queue(lower);
        const auto wait = [&](size_t at) {
            WideSet& set = found_.sets[at];
            set.explored = static_cast<int>(set.members.size()) < completed_ || full(set);
            const bool small = static_cast<int>(set.members.size()) < options_.largest;
            if (!set.explored && small) queue.push(at);
        };
        for (size_t at = 0; at < found_.sets.size(); ++at) wait(at);
        for (int64_t done = 0; !queue.empty(); ++done) {
            if (done >= options_.most_expanded || budget.spent()) break;
            const size_t at = queue.top(), before = found_.sets.size();
            queue.pop();
            explore(at);
            for (size_t more = before; more < found_.sets.size(); ++more) wait(more);
        }
    }
    /// Scores all sets with one parent more than a set has.
    void explore(size_t at) {
        found_.sets[at].explored = true;
        const std::vector<uint16_t> set = found_.sets[at].members;
        const double best = scores_by_key_.at(key(set)).best;
        others_.clear();
        for (const int32_t u : candidates_)
            if (!std::binary_search(set.begin(), set.end(), u)) others_.push_back(u);
        score(set, others_);
        const uint64_t own = key(set);
        for (size_t i = 0; i < others_.size(); ++i) {
            const auto entry = scores_by_key_.find(own + owner_.keys_[index(others_[i])]);
            if (entry != scores_by_key_.end()) entry->second.best = std::max(entry->second.best, best);
            else keep(with(set, others_[i]), nats(scores_[i]), best);
        }
    }
    /// Scores all sets with one parent less than a set has.
    void drop(const std::vector<uint16_t>& set) {
        for (const uint16_t p : set) {
            if (std::find(root_.begin(), root_.end(), p) != root_.end()) continue;
            std::vector<uint16_t> rest(set);
            rest.erase(std::find(rest.begin(), rest.end(), p));
            if (scores_by_key_.contains(key(rest))) continue;
            keep(rest, nats(neighbors_.score_set(v_, rest)), best_subset(rest));
        }
    }
    void score(const std::vector<uint16_t>& set, std::span<const int32_t> others) {
        scores_.resize(others.size());
        BudgetOfRows no_limit;
        if (!others.empty()) neighbors_.score(v_, set, others, scores_.data(), no_limit);
    }
    WideSets finish() {
        std::vector<WideSet>& sets = found_.sets;
        for (WideSet& set : sets) set.explored |= full(set);
        const auto is_root = [&](const WideSet& set) { return set.members == root_; };
        std::sort(sets.begin(), sets.end(), outranks);
        if (static_cast<int64_t>(sets.size()) > options_.most_sets) {
            found_.cut = static_cast<int64_t>(sets.size()) - options_.most_sets;
            const auto cut = sets.begin() + options_.most_sets;
            const auto root = std::find_if(cut, sets.end(), is_root);
            if (root != sets.end()) *(cut - 1) = *root;  // always possible, so always kept
            sets.erase(cut, sets.end());
        }
        if (!root_.empty()) sets.push_back({-std::numeric_limits<double>::infinity(), {}, true});
        return std::move(found_);
    }

    Widening& owner_;
    const WideningOptions& options_;
    Neighbors& neighbors_;
    int v_, most_;
    double unit_;
    int64_t zero_ = 0;
    int completed_ = 0;
    std::vector<uint16_t> root_;
    std::vector<int32_t> candidates_, others_;
    std::vector<int64_t> scores_;
    std::unordered_map<uint64_t, SetScore> scores_by_key_;
    WideSets found_;
};

Widening::Widening(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                   Constraints constraints, WideningOptions options, Team& team)
    : packed_(std::move(packed)),
      constraints_(std::move(constraints)),
      options_(std::move(options)),
      scores_(*packed_, score,
              *std::max_element(options_.max_parents.begin(), options_.max_parents.end()),
              score_bytes_),
      data_(neighbor_data(*packed_, scores_, team)),
      keys_(set_keys(n())) {}

std::vector<WideSets> Widening::widen(const ParentSetsView<uint16_t>& first, Team& team,
                                      const Budget& budget) {
    return for_all(team, [&](WideVariable& own) { return own.find(first, budget); });
}

std::vector<WideSets> Widening::grow(const ParentSetsView<uint16_t>& all,
                                     std::span<const uint8_t> explored,
                                     std::span<const uint8_t> used, Team& team,
                                     const Budget& budget) {
    return for_all(team,
                   [&](WideVariable& own) { return own.grow(all, explored, used, budget); });
}

template <class Find>
std::vector<WideSets> Widening::for_all(Team& team, const Find& find) {
    std::vector<WideSets> result(index(n()));
    for_each_item(
        team, n(), [&](int) { return Neighbors::of_all(data_); },
        [&](int v, std::vector<Neighbors>& neighbors) {
            WideVariable own(*this, neighbors[packed_->place_of(v)], v);
            result[index(v)] = find(own);
        });
    return result;
}

}  // namespace forebear
