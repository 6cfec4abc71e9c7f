#include "scoring/growth.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/index.h"
#include "common/parallel.h"
#include "common/random.h"

namespace forebear {

namespace {

bool better_set(const StoredSet& a, const StoredSet& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.size != b.size) return a.size < b.size;
    return std::lexicographical_compare(a.members, a.members + a.size, b.members,
                                        b.members + b.size);
}

int largest(std::span<const int32_t> values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

}  // namespace

GrowingSets::GrowingSets(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                         Constraints constraints, GrowthOptions options, Team& team)
    : packed_(std::move(packed)),
      table_(packed_->table()),
      constraints_(std::move(constraints)),
      options_(std::move(options)),
      scores_(*packed_, score, largest(options_.max_parents), score_bytes_),
      data_(neighbor_data(*packed_, scores_, team)),
      keys_(set_keys(table_.n_variables())),
      variables_(index(table_.n_variables())) {}

bool GrowingSets::has_required(int child, std::span<const uint16_t> parents) const {
    if (constraints_.required.empty()) return true;
    const std::vector<int>& required = constraints_.required[index(child)];
    return std::all_of(required.begin(), required.end(), [&](int parent) {
        return std::find(parents.begin(), parents.end(), parent) != parents.end();
    });
}

bool GrowingSets::fits_constraints(int child, std::span<const uint16_t> parents) const {
    return static_cast<int>(parents.size()) <= options_.max_parents[index(child)] &&
           has_required(child, parents) &&
           std::all_of(parents.begin(), parents.end(), [&](uint16_t parent) {
               return constraints_.allows(n(), child, parent);
           });
}

uint64_t GrowingSets::key(std::span<const uint16_t> members) const {
    uint64_t sum = 0;
    for (const uint16_t member : members) sum += keys_[member];
    return sum;
}

void GrowingSets::clear(Constraints constraints) {
    constraints_ = std::move(constraints);
    for (Variable& variable : variables_) {
        variable.sets.clear();
        variable.new_ranks.clear();
        variable.kept = {};
        variable.requested.clear();
    }
}

int64_t GrowingSets::add(const ParentSetsView<uint16_t>& sets, bool all, int threads) {
    std::atomic<int64_t> added{0};
    for_each_item(n(), threads, [&](int v) {
        Variable& variable = variables_[index(v)];
        variable.kept.reserve(variable.kept.size() +
                              index(sets.offsets[index(v + 1)] - sets.offsets[index(v)]));
        for (int64_t at = sets.offsets[index(v)]; at < sets.offsets[index(v + 1)]; ++at) {
            StoredSet set{};
            set.score = sets.scores[index(at)];
            std::fill(std::begin(set.members), std::end(set.members), kWordPad);
            for (int k = 0; k < sets.slots; ++k) {
                const uint16_t member = sets.parent(k, at);
                if (member == kWordPad) break;
                set.members[set.size++] = member;
            }
            set.key = key({set.members, set.size});
            if (variable.kept.contains(set.key)) continue;
            const bool fits = fits_constraints(v, {set.members, set.size});
            if (set.size == 0 && !fits) set.score = -HUGE_VAL;
            if (all || set.size == 0) {
                variable.kept.set(set.key, set.score);
                variable.new_sets.push_back(set);
            } else if (fits) {
                add_unless_dominated(v, set);
            }
        }
        added += static_cast<int64_t>(variable.new_sets.size());
        merge(variable);
    });
    return added;
}

int64_t GrowingSets::score(const std::vector<Family>& families) {
    int64_t added = 0;
    const Budget no_limit(std::nullopt);
    Workspace state = make_workspace(no_limit);
    for (const Family& family : families) added += add_family(state, family.child, family.parents);
    for (Variable& variable : variables_) merge(variable);
    count_families();
    return added;
}

/// Scores a set that is not empty, and adds it unless it is dominated. Returns whether it was added.
bool GrowingSets::add_family(Workspace& state, int child, std::span<const uint16_t> parents) {
    if (variables_[index(child)].kept.contains(key(parents))) return false;
    const auto rest = parents.first(parents.size() - 1);
    const int32_t last[] = {parents.back()};
    if (!evaluate(state, child, rest, last, state.budget)) return false;
    return add_unless_dominated(child, make_set(rest, last[0], state.scores[0]));
}

/// Adds a set, unless a compared subset scores at least as high, beyond the margin. Returns whether
/// it was added.
bool GrowingSets::add_unless_dominated(int child, const StoredSet& set) {
    Variable& variable = variables_[index(child)];
    double best = -HUGE_VAL;
    for_each_subset(variable, set, [&](double score, uint64_t) { best = std::max(best, score); });
    const bool stays = set.score + options_.margin > best || is_needed(child, set);
    // A subset without the useful parents of a set must not count as better.
    const double stored = constraints_.useful.empty() ? std::max(set.score, best) : set.score;
    if (stays || stores_pruned()) variable.kept.set(set.key, stays ? stored : -HUGE_VAL);
    if (stays) variable.new_sets.push_back(set);
    return stays;
}

/// Calls visit(score, members) for the compared subsets, with the members as bits of the set's.
template <class Visit>
void GrowingSets::for_each_subset(const Variable& variable, const StoredSet& set,
                                  const Visit& visit) const {
    const auto look_up = [&](uint64_t key, uint64_t members) {
        if (const double* const found = variable.kept.find(key)) visit(*found, members);
    };
    const uint64_t whole = (uint64_t{1} << set.size) - 1;
    look_up(0, 0);
    for (int i = 0; i < set.size; ++i) {
        const uint64_t own = keys_[set.members[i]], bit = uint64_t{1} << i;
        if (set.size > 1) look_up(set.key - own, whole & ~bit);
        // A subset of one or two members.
        if (set.size > 2) look_up(own, bit);
        for (int j = 0; set.size > 3 && j < i; ++j)
            look_up(own + keys_[set.members[j]], bit | uint64_t{1} << j);
    }
}

/// Whether, for some choice of as many useful parents as statements may need, no compared subset
/// that has the choice dominates the set.
bool GrowingSets::is_needed(int child, const StoredSet& set) const {
    uint64_t useful = 0;
    for (int i = 0; i < set.size; ++i)
        useful |= uint64_t{constraints_.makes_useful(n(), child, set.members[i])} << i;
    const int most = std::min(std::popcount(useful), constraints_.most_useful);
    if (most == 0) return false;
    std::vector<uint64_t> better;
    for_each_subset(variables_[index(child)], set, [&](double score, uint64_t members) {
        if (score >= set.score + options_.margin) better.push_back(members);
    });
    for (uint64_t chosen = useful; chosen != 0; chosen = (chosen - 1) & useful)
        if (std::popcount(chosen) == most &&
            std::none_of(better.begin(), better.end(),
                         [&](uint64_t members) { return (members & chosen) == chosen; }))
            return true;
    return false;
}

/// Returns the variables that may be added to these parents.
std::vector<int32_t> GrowingSets::allowed_candidates(
    int child, std::span<const uint16_t> parents) const {
    std::vector<int32_t> candidates;
    const auto consider = [&](int32_t u) {
        if (u != child && constraints_.allows(n(), child, u) &&
            std::find(parents.begin(), parents.end(), u) == parents.end())
            candidates.push_back(u);
    };
    if (options_.candidates.empty())
        for (int u = 0; u < n(); ++u) consider(u);
    else
        for (const int32_t u : options_.candidates[index(child)]) consider(u);
    return candidates;
}

/// Scores child | parents + u for every u of `candidates`, unless the score is stored.
bool GrowingSets::evaluate(Workspace& state, int child, std::span<const uint16_t> parents,
                           std::span<const int32_t> candidates, BudgetOfRows& budget) {
    Variable& variable = variables_[index(child)];
    const uint64_t own = key(parents);
    state.unknown.clear();
    for (const int32_t u : candidates)
        if (!variable.scores.contains(own + keys_[index(u)])) state.unknown.push_back(u);
    if (!state.unknown.empty() && !score_unknown(state, child, parents, budget)) return false;
    size_t next = 0;  // of the unknown ones
    for (size_t i = 0; i < candidates.size(); ++i) {
        if (next < state.unknown.size() && state.unknown[next] == candidates[i])
            state.scores[i] = state.new_scores[next++];
        else state.scores[i] = *variable.scores.find(own + keys_[index(candidates[i])]);
    }
    return true;
}

/// Scores the families with the unknown candidates, and stores the scores as far as memory allows.
bool GrowingSets::score_unknown(Workspace& state, int child, std::span<const uint16_t> parents,
                                BudgetOfRows& budget) {
    Variable& variable = variables_[index(child)];
    Neighbors& neighbors = state.neighbors[packed_->place_of(child)];
    const Score& score = scores_.of(child);
    const std::span<const int32_t> candidates(state.unknown);
    int64_t* const ticks = state.ticks.data();
    const bool scored =
        table_.missing
            ? state.families.score(child, parents, candidates, variable.values, ticks, budget)
            : neighbors.score(child, parents, candidates, ticks, budget);
    if (!scored) return false;
    if (score.relative_to_empty() && !table_.missing && !variable.has_zero) {  // MIT
        variable.zero = neighbors.score_set(child, {});
        variable.has_zero = true;
    }
    const double unit = std::ldexp(1.0, -score.scale_bits());
    const uint64_t own = key(parents);
    for (size_t i = 0; i < candidates.size(); ++i) {
        state.new_scores[i] = state.ticks[i] == kNeverKept
                             ? -HUGE_VAL
                             : static_cast<double>(state.ticks[i] - variable.zero) * unit;
        if (stores_pruned() &&
            static_cast<int64_t>(variable.scores.size()) < options_.most_families)
            variable.scores.emplace(own + keys_[index(candidates[i])], state.new_scores[i]);
    }
    variable.families += static_cast<int64_t>(candidates.size());
    return true;
}

StoredSet GrowingSets::make_set(std::span<const uint16_t> parents, int32_t more,
                                double score) const {
    StoredSet set{};
    set.size = static_cast<uint8_t>(parents.size() + 1);
    std::fill(std::begin(set.members), std::end(set.members), kWordPad);
    std::copy(parents.begin(), parents.end(), set.members);
    set.members[parents.size()] = static_cast<uint16_t>(more);
    std::sort(set.members, set.members + set.size);
    set.key = key({set.members, set.size});
    set.score = score;
    return set;
}

bool GrowingSets::request(Workspace& state, int child, std::span<const uint16_t> parents) {
    Variable& variable = variables_[index(child)];
    const uint64_t own = key(parents);
    if (static_cast<int>(parents.size()) >= options_.max_parents[index(child)] ||
        static_cast<int>(parents.size()) < options_.complete ||
        static_cast<int64_t>(variable.kept.size()) >= options_.most_families ||
        !has_required(child, parents) || variable.requested.contains(own))
        return true;
    std::vector<int32_t> candidates = allowed_candidates(child, parents);
    const auto requests = static_cast<int64_t>(candidates.size());
    std::erase_if(candidates,
                  [&](int32_t u) { return variable.kept.contains(own + keys_[index(u)]); });
    if (!evaluate(state, child, parents, candidates, state.budget)) return false;
    variable.requested.insert(own);
    if (variable.all_requested.insert(own).second) variable.requests += requests;
    for (size_t i = 0; i < candidates.size(); ++i)
        add_unless_dominated(child, make_set(parents, candidates[i], state.scores[i]));
    return true;
}

/// Requests a set, and the sets without one of its parents. With a margin, the latter are only added.
bool GrowingSets::request_neighbors(Workspace& state, int child,
                                    std::span<const uint16_t> parents) {
    if (!request(state, child, parents)) return false;
    // Without one parent, and with any other: one parent exchanged.
    std::vector<uint16_t> smaller;
    for (size_t i = 0; i < parents.size(); ++i) {
        smaller.assign(parents.begin(), parents.end());
        smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(i));
        if (options_.margin == 0.0) {
            if (!request(state, child, smaller)) return false;
        } else if (!smaller.empty() && has_required(child, smaller)) {
            add_family(state, child, smaller);
            if (state.budget.spent()) return false;
        }
    }
    return true;
}

GrowingSets::Workspace GrowingSets::make_workspace(const Budget& budget) const {
    return {Neighbors::of_all(data_),
            AvailableNeighbors(data_[0], keys_),
            std::vector<int64_t>(index(n())),
            std::vector<double>(index(n())),
            std::vector<double>(index(n())),
            {},
            {},
            BudgetOfRows(budget)};
}

int64_t GrowingSets::grow(std::span<const int32_t> ranks, int threads, const Budget& budget) {
    const size_t networks = ranks.size() / index(n());
    std::atomic<int64_t> added{0};
    Team team(threads);
    for_each_item(
        team, n(), [&](int) { return make_workspace(budget); },
        [&](int v, Workspace& state) {
            Variable& variable = variables_[index(v)];
            state.used.clear();
            for (size_t k = 0; k < networks; ++k) {
                state.used.push_back(ranks[k * index(n()) + index(v)]);
                StoredSet& set = variable.sets[index(state.used.back())];
                if (set.requested || state.budget.spent()) continue;
                set.requested = request_neighbors(state, v, {set.members, set.size});
            }
            added += static_cast<int64_t>(variable.new_sets.size());
            merge(variable, state.used);
        });
    count_families();
    return added;
}

void GrowingSets::count_families() {
    families_ = requests_ = 0;
    for (const Variable& variable : variables_) {
        families_ += variable.families;
        requests_ += variable.requests;
    }
}

std::vector<uint8_t> GrowingSets::extended() const {
    std::vector<uint8_t> result;
    for (const Variable& variable : variables_)
        for (const StoredSet& set : variable.sets)
            result.push_back(variable.requested.contains(set.key));
    return result;
}

std::vector<uint64_t> GrowingSets::requested(int child) const {
    const auto& own = variables_[index(child)].all_requested;
    std::vector<uint64_t> keys(own.begin(), own.end());
    std::sort(keys.begin(), keys.end());
    return keys;
}

void GrowingSets::note_requested(int child, std::span<const uint64_t> keys) {
    variables_[index(child)].all_requested.insert(keys.begin(), keys.end());
}

void GrowingSets::merge(Variable& variable, std::span<const int32_t> used) {
    variable.new_ranks.clear();
    if (variable.new_sets.empty()) return;
    std::vector<StoredSet>& sets = variable.sets;
    // Sets that were scored elsewhere are ranked already.
    if (!std::is_sorted(variable.new_sets.begin(), variable.new_sets.end(), better_set))
        std::sort(variable.new_sets.begin(), variable.new_sets.end(), better_set);
    std::vector<StoredSet> merged;
    merged.reserve(sets.size() + variable.new_sets.size());
    variable.new_ranks.resize(sets.size());
    size_t i = 0, j = 0;
    while (i < sets.size() || j < variable.new_sets.size()) {
        if (j == variable.new_sets.size() ||
            (i < sets.size() && better_set(sets[i], variable.new_sets[j]))) {
            variable.new_ranks[i] = static_cast<int32_t>(merged.size());
            merged.push_back(sets[i++]);
        } else {
            merged.push_back(variable.new_sets[j++]);
        }
    }
    sets.swap(merged);
    variable.new_sets.clear();
    if (static_cast<int64_t>(sets.size()) <= options_.most_sets) return;
    // Drop the worst sets, but keep those in use and the empty set.
    const auto empty = index(std::find_if(sets.begin(), sets.end(),
                                          [](const StoredSet& set) { return set.size == 0; }) -
                             sets.begin());
    std::vector<uint8_t> keep(sets.size(), 0);
    std::fill_n(keep.begin(), options_.most_sets - 1, uint8_t{1});
    keep[empty] = 1;
    for (const int32_t rank : used) keep[index(variable.new_ranks[index(rank)])] = 1;
    std::vector<int32_t> place(sets.size());
    size_t next = 0;
    for (size_t k = 0; k < sets.size(); ++k) {
        place[k] = keep[k] ? static_cast<int32_t>(next) : -1;
        if (keep[k]) sets[next++] = sets[k];
    }
    sets.resize(next);
    for (int32_t& rank : variable.new_ranks)
        rank = place[index(rank)] >= 0 ? place[index(rank)] : place[empty];
}

std::vector<int64_t> GrowingSets::counts() const {
    std::vector<int64_t> result;
    for (const Variable& variable : variables_)
        result.push_back(static_cast<int64_t>(variable.sets.size()));
    return result;
}

int GrowingSets::slots() const {
    int most = 1;
    for (const Variable& variable : variables_)
        for (const StoredSet& set : variable.sets) most = std::max<int>(most, set.size);
    return most;
}

void GrowingSets::write(std::span<const int64_t> offsets, double* scores, uint16_t* parents,
                        int threads) const {
    const int slots = this->slots();
    const int64_t total = offsets.back();
    for_each_item(n(), threads, [&](int v) {
        int64_t at = offsets[index(v)];
        for (const StoredSet& set : variables_[index(v)].sets) {
            scores[at] = set.score;
            for (int k = 0; k < slots; ++k) parents[k * total + at] = set.members[k];
            ++at;
        }
    });
}

std::vector<int32_t> GrowingSets::translate(std::span<const int32_t> ranks) const {
    std::vector<int32_t> result;
    result.reserve(ranks.size());
    for (size_t i = 0; i < ranks.size(); ++i) {
        const std::vector<int32_t>& new_ranks = variables_[i % index(n())].new_ranks;
        result.push_back(new_ranks.empty() ? ranks[i] : new_ranks.at(index(ranks[i])));
    }
    return result;
}

int64_t GrowingSets::bytes() const {
    int64_t total = score_bytes_;
    for (const NeighborData& data : data_) total += data.items.bytes();
    for (const Variable& variable : variables_) {
        total += static_cast<int64_t>(variable.sets.capacity() * sizeof(StoredSet) +
                                      (variable.requested.size() + variable.all_requested.size()) *
                                          24 +
                                      variable.values.size() * 40) +
                 variable.scores.bytes() + variable.kept.bytes();
    }
    return total;
}

}  // namespace forebear
