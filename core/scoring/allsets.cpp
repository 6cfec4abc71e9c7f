#include "scoring/allsets.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "common/lattice.h"
#include "scoring/kernels.h"

namespace forebear {

namespace {

constexpr int kPartPlaces = 14;  // undecided in each part that a thread takes: some 10 ms

std::vector<int> variables_with_states(const Table& table) {
    std::vector<int> found;
    for (int v = 0; v < table.n_variables(); ++v)
        if (table.arities[index(v)] > 1) found.push_back(v);
    if (found.empty() || found.size() > index(SubsetWalk::kMostVariables))
        throw std::invalid_argument("too few or too many variables for all sets");
    return found;
}

/// Many states first, then those that tell most: few atoms are left where sets are many. Without
/// the second rule, autos (26 variables of two states) took three times as long.
std::vector<int> by_states(const PackedTable& packed) {
    const Table& table = packed.table();
    const std::vector<double>& entropy = packed.entropies();
    std::vector<int> order = variables_with_states(table);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const int32_t more = table.arities[index(a)] - table.arities[index(b)];
        return more != 0 ? more > 0 : entropy[index(a)] > entropy[index(b)];
    });
    return order;
}

/// Whether the first of two sets of the same size comes first, by members, lexicographically.
bool lexicographic(uint32_t a, uint32_t b) {
    const uint32_t differ = a ^ b;
    return (a & differ & (~differ + 1)) != 0;
}

}  // namespace

AllSets::AllSets(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                 Constraints constraints, int threads)
    : packed_(std::move(packed)),
      table_(packed_->table()),
      constraints_(std::move(constraints)),
      threads_(threads),
      score_(score, table_.codes.rows, table_.arities, packed_->entropies(),
             table_.n_variables() - 1, control.bytes),
      parents_(variables_with_states(table_)),
      bits_(table_.arities.size(), 0),
      walk_(table_, by_states(*packed_)),
      kept_(table_.arities.size()) {
    if (table_.missing || score_.shape() == Shape::by_child || score_.relative_to_empty())
        throw std::invalid_argument("this score or table is not for all sets");
    for (size_t i = 0; i < parents_.size(); ++i) bits_[index(parents_[i])] = uint32_t{1} << i;
    if (score_.shape() == Shape::by_arity) {
        const std::set<int32_t> arities(table_.arities.begin(), table_.arities.end());
        classes_.assign(arities.begin(), arities.end());
    }
    for (const int32_t arity : classes_) configurations_.push_back(&score_.configurations(arity));
}

int64_t AllSets::bytes(int variables, int classes, int threads) {
    const int64_t sets = int64_t{1} << variables;
    return 8 * (sets * (1 + classes) + sets / 2 * threads);
}

Stop AllSets::run(const Budget& budget) {
    control.budget = &budget;
    const int n = walk_.size();
    const int64_t needed =
        bytes(n, static_cast<int>(classes_.size()), threads_) + walk_.bytes() * (1 + threads_);
    control.bytes += needed;
    if (control.check()) return control.reason;
    f_ = Sums(index(work()));
    for (size_t c = 0; c < classes_.size(); ++c) g_.emplace_back(index(work()));
    Team team(threads_);
    count(team);
    if (!control.stopped())
        for_each_item(
            team, table_.n_variables(),
            [&](int) { return Sums(index(std::max<int64_t>(work() / 2, 1))); },
            [&](int child, Sums& best) {
                if (!control.check()) prune(child, best);
            });
    f_ = {};
    g_.clear();
    control.bytes -= needed;
    control.check();
    return control.reason;
}

void AllSets::count(Team& team) {
    const int decided = std::max(0, walk_.size() - kPartPlaces);
    struct State {
        SubsetWalker walker;
        TermCache terms;
    };
    for_each_item(
        team, 1 << decided, [&](int) { return State{SubsetWalker(walk_), TermCache(score_)}; },
        [&](int part, State& state) {
            if (control.stopped()) return;
            state.walker.run(
                static_cast<uint32_t>(part), decided,
                [&](uint32_t places, const Cells& cells) { sum_up(places, cells, state.terms); },
                [&] { return control.check(); });
            control.done += work() >> decided;
        });
}

void AllSets::sum_up(uint32_t places, const Cells& cells, TermCache& terms) {
    double states = 1.0;
    uint32_t members = 0;
    for (uint32_t rest = places; rest; rest &= rest - 1) {
        const size_t v = index(walk_.variable(std::countr_zero(rest)));
        states *= table_.arities[v];
        members |= bits_[v];
    }
    const TermCache::Sum own = terms.of_cells(states);
    const auto sum = [&](const Term& term) {
        int64_t total = 0;
        cells.for_each([&](int32_t count, int32_t times) { total += times * term(count); });
        return total;
    };
    f_.data()[members] =
        own.constant == kNeverKept ? kNeverKept : sum(*own.term) + own.constant;
    for (size_t c = 0; c < classes_.size(); ++c) g_[c].data()[members] = sum(*configurations_[c]);
}

std::span<const int64_t> AllSets::sums_of_parents(int child) const {
    const auto found = std::find(classes_.begin(), classes_.end(), table_.arities[index(child)]);
    const Sums& own = found == classes_.end() ? f_ : g_[index(found - classes_.begin())];
    return {own.data(), own.size()};
}

bool AllSets::has_required(int child) const {
    return !constraints_.required.empty() && !constraints_.required[index(child)].empty();
}

void AllSets::prune(int child, Sums& best) {
    const int n = table_.n_variables();
    const uint32_t own_bit = bits_[index(child)];
    uint32_t fixed = 0, free = 0;
    if (has_required(child))
        for (const int v : constraints_.required[index(child)]) fixed |= bits_[index(v)];
    for (const int v : parents_)
        if (v != child && constraints_.allows(n, child, v)) free |= bits_[index(v)] & ~fixed;
    std::vector<Kept>& kept = kept_[index(child)];
    const std::span<const int64_t> g = sums_of_parents(child);
    const auto score_of = [&](uint32_t members) {
        // A variable with one state has the same cells as its parents.
        if (!own_bit) return int64_t{0};
        const int64_t sum = f_.data()[members | own_bit];
        return sum == kNeverKept ? kNeverKept : sum - g[members];
    };
    if (!own_bit) free = 0;
    const size_t size = size_t{1} << std::popcount(free);
    int64_t* const table = best.data();
    uint32_t own = 0;  // the subsets of `free`, in ascending order
    for (size_t s = 0; s < size; ++s, own = (own - free) & free) table[s] = score_of(own | fixed);
    raise_to_subsets(table, std::popcount(free));
    own = 0;
    for (size_t s = 0; s < size; ++s, own = (own - free) & free) {
        const int64_t score = score_of(own | fixed);
        if (score < table[s] || score == kNeverKept) continue;
        bool beats = true;
        for (size_t rest = s; rest && beats; rest &= rest - 1)
            beats = table[s ^ (rest & (~rest + 1))] < score;
        if (beats) kept.push_back({score, own | fixed});
    }
    control.bytes += static_cast<int64_t>(kept.capacity() * sizeof(Kept));
    std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
        if (a.score != b.score) return a.score > b.score;
        const int more = std::popcount(a.members) - std::popcount(b.members);
        return more != 0 ? more < 0 : lexicographic(a.members, b.members);
    });
}

std::vector<int64_t> AllSets::counts() const {
    std::vector<int64_t> result;
    for (int v = 0; v < table_.n_variables(); ++v)  // with the empty set, even if it is not allowed
        result.push_back(static_cast<int64_t>(kept_[index(v)].size()) + has_required(v));
    return result;
}

int AllSets::slots() const {
    int most = 0;
    for (const auto& own : kept_)
        for (const Kept& one : own) most = std::max(most, std::popcount(one.members));
    return most;
}

template <class Id>
void AllSets::write(std::span<const int64_t> offsets, double* scores, Id* parents,
                    int64_t total) const {
    const double unit = std::ldexp(1.0, -score_.scale_bits());
    constexpr Id none = std::numeric_limits<Id>::max();
    const int slots = this->slots();
    for (int v = 0; v < table_.n_variables(); ++v) {
        int64_t place = offsets[index(v)];
        for (const Kept& one : kept_[index(v)]) {
            scores[place] = static_cast<double>(one.score) * unit;
            uint32_t rest = one.members;
            for (int slot = 0; slot < slots; ++slot, rest &= rest - 1)
                parents[slot * total + place] =
                    rest ? static_cast<Id>(parents_[index(std::countr_zero(rest))]) : none;
            ++place;
        }
        if (!has_required(v)) continue;
        scores[place] = -std::numeric_limits<double>::infinity();
        for (int slot = 0; slot < slots; ++slot) parents[slot * total + place] = none;
    }
}

template void AllSets::write<uint16_t>(std::span<const int64_t>, double*, uint16_t*, int64_t) const;
template void AllSets::write<uint32_t>(std::span<const int64_t>, double*, uint32_t*, int64_t) const;

}  // namespace forebear
