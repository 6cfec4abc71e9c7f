#include "scoring/growth.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "common/parallel.h"
#include "common/random.h"

namespace forebear {

namespace {

bool better_set(const GrownSet& a, const GrownSet& b) {
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
      score_(score, table_.total, table_.arities, packed_->entropies(),
             largest(options_.max_parents), score_bytes_),
      data_{table_, score_, packed_->items(team)},
      keys_(set_keys(table_.n_variables())),
      variables_(index(table_.n_variables())) {}

bool GrowingSets::has_required(int child, std::span<const uint16_t> parents) const {
    if (constraints_.required.empty()) return true;
    const std::vector<int>& required = constraints_.required[index(child)];
    return std::all_of(required.begin(), required.end(), [&](int parent) {
        return std::find(parents.begin(), parents.end(), parent) != parents.end();
    });
}

uint64_t GrowingSets::key(std::span<const uint16_t> members) const {
    uint64_t sum = 0;
    for (const uint16_t member : members) sum += keys_[member];
    return sum;
}

void GrowingSets::clear() {
    for (Variable& variable : variables_) {
        variable.sets.clear();
        variable.moved.clear();
        variable.required.assign(1, RequiredParents{});
        variable.listed.clear();
    }
}

int64_t GrowingSets::add(const ParentSetsView<uint16_t>& sets, bool all, int threads) {
    std::atomic<int64_t> added{0};
    for_each_item(n(), threads, [&](int v) {
        Variable& variable = variables_[index(v)];
        FlatMap<double>& known = variable.required[0].known;
        known.reserve(known.size() + index(sets.offsets[index(v + 1)] - sets.offsets[index(v)]));
        for (int64_t at = sets.offsets[index(v)]; at < sets.offsets[index(v + 1)]; ++at) {
            GrownSet set{};
            set.score = sets.scores[index(at)];
            std::fill(std::begin(set.members), std::end(set.members), kWordPad);
            for (int k = 0; k < sets.slots; ++k) {
                const uint16_t member = sets.parent(k, at);
                if (member == kWordPad) break;
                set.members[set.size++] = member;
            }
            set.key = key({set.members, set.size});
            if (!all && set.size > options_.max_parents[index(v)]) continue;
            bool keep = false;
            for (RequiredParents& required : variable.required) {
                if (required.known.contains(set.key) ||
                    !has_all({set.members, set.size}, required.members))
                    continue;
                const bool stays =
                    all || set.size == 0 || best_of_subsets(required, set) < set.score;
                if (!stays) required.known.emplace(set.key, -HUGE_VAL);
                keep |= stays;
            }
            if (keep) list(variable, set);
        }
        added += static_cast<int64_t>(variable.fresh.size());
        merge(variable);
    });
    return added;
}

/// Adds a set, unless it is there already: with one required group it cannot be.
void GrowingSets::list(Variable& variable, const GrownSet& set) const {
    for (RequiredParents& required : variable.required)
        if (has_all({set.members, set.size}, required.members))
            required.known.set(set.key, set.score);
    if (variable.required.size() == 1 || variable.listed.insert(set.key).second)
        variable.fresh.push_back(set);
}

double GrowingSets::best_of_subsets(const RequiredParents& required, const GrownSet& set) const {
    double best = -HUGE_VAL;
    const auto look_up = [&](uint64_t key) {
        const double* const found = required.known.find(key);
        if (found) best = std::max(best, *found);
    };
    // The members that a subset may lack.
    uint64_t free[kMaxSlots];
    int size = 0;
    for (int i = 0; i < set.size; ++i)
        if (!required.holds(set.members[i]))
            free[size++] = keys_[set.members[i]];
    if (size > 0) look_up(required.key);
    for (int i = 0; i < size; ++i) {
        if (size > 1) look_up(set.key - free[i]);
        // A subset of one or two that was never asked for together with the rest.
        if (size > 2) look_up(required.key + free[i]);
        for (int j = 0; size > 3 && j < i; ++j) look_up(required.key + free[i] + free[j]);
    }
    return best;
}

/// The variables that may be added to some parents.
std::vector<int32_t> GrowingSets::possible(int child, std::span<const uint16_t> parents) const {
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

/// Scores child | parents + u for every u of `candidates`, unless that was done before.
bool GrowingSets::evaluate(Asking& state, int child, std::span<const uint16_t> parents,
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
            state.scores[i] = state.fresh[next++];
        else state.scores[i] = *variable.scores.find(own + keys_[index(candidates[i])]);
    }
    return true;
}

/// Scores the families with the unknown candidates, and remembers them as far as there is memory.
bool GrowingSets::score_unknown(Asking& state, int child, std::span<const uint16_t> parents,
                                BudgetOfRows& budget) {
    Variable& variable = variables_[index(child)];
    const std::span<const int32_t> candidates(state.unknown);
    int64_t* const ticks = state.ticks.data();
    const bool scored =
        table_.missing
            ? state.families.score(child, parents, candidates, variable.values, ticks, budget)
            : state.neighbors.score(child, parents, candidates, ticks, budget);
    if (!scored) return false;
    if (score_.relative_to_empty() && !table_.missing && !variable.zero_known) {  // MIT
        variable.zero = state.neighbors.score_set(child, {});
        variable.zero_known = true;
    }
    const double unit = std::ldexp(1.0, -score_.scale_bits());
    const uint64_t own = key(parents);
    for (size_t i = 0; i < candidates.size(); ++i) {
        state.fresh[i] = state.ticks[i] == kNeverKept
                             ? -HUGE_VAL
                             : static_cast<double>(state.ticks[i] - variable.zero) * unit;
        if (static_cast<int64_t>(variable.scores.size()) < options_.most_families)
            variable.scores.emplace(own + keys_[index(candidates[i])], state.fresh[i]);
    }
    variable.families += static_cast<int64_t>(candidates.size());
    return true;
}

GrownSet GrowingSets::made(std::span<const uint16_t> parents, int32_t more, double score) const {
    GrownSet set{};
    set.size = static_cast<uint8_t>(parents.size() + 1);
    std::fill(std::begin(set.members), std::end(set.members), kWordPad);
    std::copy(parents.begin(), parents.end(), set.members);
    set.members[parents.size()] = static_cast<uint16_t>(more);
    std::sort(set.members, set.members + set.size);
    set.key = key({set.members, set.size});
    set.score = score;
    return set;
}

bool GrowingSets::ask(Asking& state, int child, RequiredParents& required,
                      std::span<const uint16_t> parents) {
    Variable& variable = variables_[index(child)];
    const uint64_t own = key(parents);
    if (static_cast<int>(parents.size()) >= options_.max_parents[index(child)] ||
        static_cast<int64_t>(required.known.size()) >= options_.most_families ||
        !has_required(child, parents) || required.asked.contains(own))
        return true;
    std::vector<int32_t> candidates = possible(child, parents);
    const auto requests = static_cast<int64_t>(candidates.size());
    std::erase_if(candidates,
                  [&](int32_t u) { return required.known.contains(own + keys_[index(u)]); });
    if (!evaluate(state, child, parents, candidates, state.budget)) return false;
    required.asked.insert(own);
    if (variable.requested.insert(own).second) variable.requests += requests;
    for (size_t i = 0; i < candidates.size(); ++i) {
        const GrownSet set = made(parents, candidates[i], state.scores[i]);
        if (set.score > best_of_subsets(required, set)) list(variable, set);
        else required.known.emplace(set.key, -HUGE_VAL);
    }
    return true;
}

/// Asks for a set, and for what it leaves when it loses a parent that is not required.
bool GrowingSets::ask_around(Asking& state, int child, RequiredParents& required,
                             std::span<const uint16_t> parents) {
    if (!ask(state, child, required, parents)) return false;
    // Less one parent, and then any other: one exchanged.
    std::vector<uint16_t> smaller;
    for (size_t i = 0; i < parents.size(); ++i) {
        if (required.holds(parents[i])) continue;
        smaller.assign(parents.begin(), parents.end());
        smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(i));
        if (!ask(state, child, required, smaller)) return false;
    }
    return true;
}

/// Asks for the neighbors of a set in every required group that it has, and without any.
bool GrowingSets::ask_for(Asking& state, int child, std::span<const uint16_t> parents) {
    Variable& variable = variables_[index(child)];
    std::vector<uint16_t> rest(parents.begin(), parents.end());
    for (size_t c = 1; c < variable.required.size(); ++c) {
        RequiredParents& required = variable.required[c];
        if (!has_all(parents, required.members)) continue;
        if (!ask_around(state, child, required, parents)) return false;
        std::erase_if(rest, [&](uint16_t member) { return required.holds(member); });
    }
    return ask_around(state, child, variable.required[0], rest);
}

GrowingSets::Asking GrowingSets::make_asking(const Budget& budget) const {
    return {Neighbors(data_),
            AvailableNeighbors(data_, keys_),
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
        team, n(), [&](int) { return make_asking(budget); },
        [&](int v, Asking& state) {
            Variable& variable = variables_[index(v)];
            state.used.clear();
            for (size_t k = 0; k < networks; ++k) {
                state.used.push_back(ranks[k * index(n()) + index(v)]);
                GrownSet& set = variable.sets[index(state.used.back())];
                if (set.asked || state.budget.spent()) continue;
                set.asked = ask_for(state, v, {set.members, set.size});
            }
            added += static_cast<int64_t>(variable.fresh.size());
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

std::vector<uint64_t> GrowingSets::requested(int child) const {
    const auto& own = variables_[index(child)].requested;
    std::vector<uint64_t> keys(own.begin(), own.end());
    std::sort(keys.begin(), keys.end());
    return keys;
}

void GrowingSets::note_requested(int child, std::span<const uint64_t> keys) {
    variables_[index(child)].requested.insert(keys.begin(), keys.end());
}

void GrowingSets::merge(Variable& variable, std::span<const int32_t> used) {
    variable.moved.clear();
    if (variable.fresh.empty()) return;
    std::vector<GrownSet>& sets = variable.sets;
    // What was scored elsewhere comes ranked.
    if (!std::is_sorted(variable.fresh.begin(), variable.fresh.end(), better_set))
        std::sort(variable.fresh.begin(), variable.fresh.end(), better_set);
    std::vector<GrownSet> merged;
    merged.reserve(sets.size() + variable.fresh.size());
    variable.moved.resize(sets.size());
    size_t i = 0, j = 0;
    while (i < sets.size() || j < variable.fresh.size()) {
        if (j == variable.fresh.size() ||
            (i < sets.size() && better_set(sets[i], variable.fresh[j]))) {
            variable.moved[i] = static_cast<int32_t>(merged.size());
            merged.push_back(sets[i++]);
        } else {
            merged.push_back(variable.fresh[j++]);
        }
    }
    sets.swap(merged);
    variable.fresh.clear();
    if (static_cast<int64_t>(sets.size()) <= options_.most_sets) return;
    // Forget the worst, but none that is in use, and not the empty set, which is the last.
    std::vector<uint8_t> keep(sets.size(), 0);
    std::fill_n(keep.begin(), options_.most_sets - 1, uint8_t{1});
    keep.back() = 1;
    for (const int32_t rank : used) keep[index(variable.moved[index(rank)])] = 1;
    std::vector<int32_t> place(sets.size());
    size_t next = 0;
    for (size_t k = 0; k < sets.size(); ++k) {
        place[k] = keep[k] ? static_cast<int32_t>(next) : -1;
        if (keep[k]) sets[next++] = sets[k];
    }
    sets.resize(next);
    for (int32_t& rank : variable.moved)
        rank = place[index(rank)] >= 0 ? place[index(rank)] : static_cast<int32_t>(next) - 1;
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
        for (const GrownSet& set : variable.sets) most = std::max<int>(most, set.size);
    return most;
}

void GrowingSets::write(std::span<const int64_t> offsets, double* scores, uint16_t* parents,
                        int threads) const {
    const int slots = this->slots();
    const int64_t total = offsets.back();
    for_each_item(n(), threads, [&](int v) {
        int64_t at = offsets[index(v)];
        for (const GrownSet& set : variables_[index(v)].sets) {
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
        const std::vector<int32_t>& moved = variables_[i % index(n())].moved;
        result.push_back(moved.empty() ? ranks[i] : moved.at(index(ranks[i])));
    }
    return result;
}

int64_t GrowingSets::bytes() const {
    int64_t total = score_bytes_ + data_.items.bytes();
    for (const Variable& variable : variables_) {
        total += static_cast<int64_t>(variable.sets.capacity() * sizeof(GrownSet) +
                                      (variable.listed.size() + variable.requested.size()) * 24 +
                                      variable.values.size() * 40) +
                 variable.scores.bytes();
        for (const RequiredParents& required : variable.required)
            total += required.known.bytes() + static_cast<int64_t>(required.asked.size() * 24);
    }
    return total;
}

}  // namespace forebear
