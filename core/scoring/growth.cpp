#include "scoring/growth.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "common/parallel.h"

namespace forebear {

namespace {

bool better_set(const GrownSet& a, const GrownSet& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.size != b.size) return a.size < b.size;
    return std::lexicographical_compare(a.members, a.members + a.size, b.members,
                                        b.members + b.size);
}

/// splitmix64 (Steele, Lea and Flood, 2014).
uint64_t mixed(uint64_t number) {
    uint64_t z = number * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

std::vector<int> all_variables(int n) {
    std::vector<int> result;
    for (int v = 0; v < n; ++v) result.push_back(v);
    return result;
}

int largest(std::span<const int32_t> values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

}  // namespace

GrowingSets::GrowingSets(Table table, ScoreOptions score, Constraints constraints,
                         GrowthOptions options)
    : table_(std::move(table)),
      constraints_(std::move(constraints)),
      options_(std::move(options)),
      score_(score, counts_of(table_, score), table_.arities,
             entropies(table_, table_.weights ? 1 : score.unit, alone_),
             largest(options_.max_parents), score_bytes_),
      everything_(all_variables(table_.n_variables())),
      items_(table_, everything_, alone_),
      data_{table_, score_, items_},
      variables_(index(table_.n_variables())) {
    // Sums of random 64-bit words differ for different sets, but for one in 10^19.
    for (int v = 0; v < n(); ++v) keys_.push_back(mixed(index(v) + 1));
}

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

void GrowingSets::add(const ParentSetsView<uint16_t>& sets, bool all, int threads) {
    for_each_item(n(), threads, [&](int v) {
        Variable& variable = variables_[index(v)];
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
            if (variable.best.contains(set.key) ||
                (!all && set.size > options_.max_parents[index(v)]))
                continue;
            const double subsets = best_of_subsets(variable, set);
            variable.best.emplace(set.key, std::max(set.score, subsets));
            if (all || set.size == 0 || subsets < set.score) variable.fresh.push_back(set);
        }
        merge(variable);
    });
}

double GrowingSets::best_of_subsets(const Variable& variable, const GrownSet& set) const {
    double best = -HUGE_VAL;
    const auto look_up = [&](uint64_t key) {
        const auto found = variable.best.find(key);
        if (found != variable.best.end()) best = std::max(best, found->second);
    };
    if (set.size > 0) look_up(0);
    for (int i = 0; i < set.size; ++i) {
        if (set.size > 1) look_up(set.key - keys_[set.members[i]]);
        // A subset of one or two that was never asked for together with the rest.
        if (set.size > 2) look_up(keys_[set.members[i]]);
        for (int j = 0; set.size > 3 && j < i; ++j)
            look_up(keys_[set.members[i]] + keys_[set.members[j]]);
    }
    return best;
}

void GrowingSets::ask(Asking& state, int child, std::span<const uint16_t> parents) {
    int64_t* const scores = state.scores.data();
    Variable& variable = variables_[index(child)];
    const uint64_t own = key(parents);
    if (static_cast<int>(parents.size()) >= options_.max_parents[index(child)] ||
        static_cast<int64_t>(variable.best.size()) >= options_.most_families ||
        !has_required(child, parents) || !variable.asked.insert(own).second)
        return;
    std::vector<int32_t> candidates;
    const auto consider = [&](int32_t u) {
        if (u != child && constraints_.allows(n(), child, u) &&
            std::find(parents.begin(), parents.end(), u) == parents.end() &&
            !variable.best.contains(own + keys_[index(u)]))
            candidates.push_back(u);
    };
    if (options_.candidates.empty())
        for (int u = 0; u < n(); ++u) consider(u);
    else
        for (const int32_t u : options_.candidates[index(child)]) consider(u);
    if (table_.gaps) state.families.score(child, parents, candidates, variable.values, scores);
    else state.neighbours.score(child, parents, candidates, scores);
    const double unit = std::ldexp(1.0, -score_.scale_bits());
    if (score_.relative_to_empty() && !table_.gaps && !variable.zero_known) {  // MIT
        variable.zero = state.neighbours.score_set(child, {});
        variable.zero_known = true;
    }
    variable.families += static_cast<int64_t>(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
        GrownSet set{};
        set.size = static_cast<uint8_t>(parents.size() + 1);
        std::fill(std::begin(set.members), std::end(set.members), kWordPad);
        std::copy(parents.begin(), parents.end(), set.members);
        set.members[parents.size()] = static_cast<uint16_t>(candidates[i]);
        std::sort(set.members, set.members + set.size);
        set.key = own + keys_[index(candidates[i])];
        set.score = scores[i] == kNeverKept ? -HUGE_VAL : static_cast<double>(scores[i] - variable.zero) * unit;
        const double subsets = best_of_subsets(variable, set);
        variable.best.emplace(set.key, std::max(set.score, subsets));
        if (set.score > subsets) variable.fresh.push_back(set);
    }
}

int64_t GrowingSets::grow(std::span<const int32_t> ranks, int threads, const Budget& budget) {
    const size_t networks = ranks.size() / index(n());
    std::atomic<int64_t> added{0};
    Team team(threads);
    for_each_item(
        team, n(),
        [&](int) {
            return Asking{Neighbours(data_), GapFamilies(data_, keys_),
                          std::vector<int64_t>(index(n())), {}};
        },
        [&](int v, Asking& state) {
            Variable& variable = variables_[index(v)];
            for (size_t k = 0; k < networks && !budget.spent(); ++k) {
                const GrownSet set = variable.sets[index(ranks[k * index(n()) + index(v)])];
                const std::span<const uint16_t> members(set.members, set.size);
                ask(state, v, members);
                // Less one parent, and then any other: one exchanged.
                std::vector<uint16_t> smaller;
                for (int i = 0; i < set.size && !budget.spent(); ++i) {
                    smaller.assign(members.begin(), members.end());
                    smaller.erase(smaller.begin() + i);
                    ask(state, v, smaller);
                }
            }
            added += static_cast<int64_t>(variable.fresh.size());
            state.used.clear();
            for (size_t k = 0; k < networks; ++k)
                state.used.push_back(ranks[k * index(n()) + index(v)]);
            merge(variable, state.used);
        });
    families_ = 0;
    for (const Variable& variable : variables_) families_ += variable.families;
    return added;
}

void GrowingSets::merge(Variable& variable, std::span<const int32_t> used) {
    std::vector<GrownSet>& sets = variable.sets;
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
    for (size_t i = 0; i < ranks.size(); ++i)
        result.push_back(variables_[i % index(n())].moved.at(index(ranks[i])));
    return result;
}

int64_t GrowingSets::bytes() const {
    int64_t total = score_bytes_ + items_.bytes();
    for (const Variable& variable : variables_)
        total += static_cast<int64_t>(variable.sets.capacity() * sizeof(GrownSet) +
                                      variable.best.size() * 40 + variable.asked.size() * 24 +
                                      variable.values.size() * 40);
    return total;
}

}  // namespace forebear
