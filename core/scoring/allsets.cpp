#include "scoring/allsets.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "common/lattice.h"
#include "scoring/kernels.h"

namespace forebear {

namespace {

constexpr int kPartPlaces = 14;  // undecided variables in one thread's unit of work: about 10 ms

std::vector<int> variables_with_states(const Table& table) {
    std::vector<int> found;
    for (int v = 0; v < table.n_variables(); ++v)
        if (table.arities[index(v)] > 1) found.push_back(v);
    if (found.empty() || found.size() > index(SubsetWalk::kMostVariables))
        throw std::invalid_argument("too few or too many variables for all sets");
    return found;
}

/// Many states first, then high entropy: few atoms are then left deep in the walk, where most
/// sets are. Without the second rule, autos (26 variables of two states) took three times as long.
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

}  // namespace

AllSets::AllSets(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                 Constraints constraints, int threads)
    : Scoring(packed, std::move(score), std::move(constraints),
              {packed->table().n_variables() - 1, threads}),
      parents_(variables_with_states(table_)),
      bits_(table_.arities.size(), 0) {
    const Score& own = scores_.at(0);
    if (table_.missing || own.shape() == Shape::by_child || own.relative_to_empty())
        throw std::invalid_argument("this score or table is not for all sets");
    for (size_t i = 0; i < parents_.size(); ++i) bits_[index(parents_[i])] = uint32_t{1} << i;
    if (own.shape() == Shape::by_arity) {
        const std::set<int32_t> arities(table_.arities.begin(), table_.arities.end());
        classes_.assign(arities.begin(), arities.end());
    }
}

int64_t AllSets::bytes(int variables, int classes, int threads) {
    const int64_t sets = int64_t{1} << variables;
    return 8 * (sets * (1 + classes) + sets / 2 * threads);
}

void AllSets::walk(Team& team) {
    std::vector<std::vector<int>> children(packed_->n_tables());
    for (int v = 0; v < table_.n_variables(); ++v) children[packed_->place_of(v)].push_back(v);
    for (size_t place = 0; place < children.size(); ++place)
        if (!children[place].empty()) walk_table(place, children[place], team);
}

/// Scores the sets of the children that have this table.
void AllSets::walk_table(size_t place, std::span<const int> children, Team& team) {
    const PackedTable& packed = packed_->at(place);
    Score& score = scores_.at(place);
    const SubsetWalk walk(packed.table(), by_states(packed));
    configurations_.clear();
    for (const int32_t arity : classes_) configurations_.push_back(&score.configurations(arity));
    const int64_t needed = bytes(walk.size(), static_cast<int>(classes_.size()), team.size()) +
                           walk.bytes() * (1 + team.size());
    control.bytes += needed;
    if (control.check()) return;
    f_ = Sums(index(sets()));
    for (size_t c = 0; c < classes_.size(); ++c) g_.emplace_back(index(sets()));
    count(walk, score, team);
    struct State {
        Sums best;
        std::vector<RecordList>& lists;
    };
    for_each_item(
        team, static_cast<int>(children.size()),
        [&](int thread) {
            return State{Sums(index(std::max<int64_t>(sets() / 2, 1))), lists_[index(thread)]};
        },
        [&](int i, State& state) {
            const int child = children[index(i)];
            if (!control.check()) prune(child, state.best, state.lists[index(child)]);
        });
    f_ = {};
    g_.clear();
    control.bytes -= needed;
}

void AllSets::count(const SubsetWalk& walk, Score& score, Team& team) {
    const int decided = std::max(0, walk.size() - kPartPlaces);
    struct State {
        SubsetWalker walker;
        TermCache terms;
    };
    for_each_item(
        team, 1 << decided, [&](int) { return State{SubsetWalker(walk), TermCache(score)}; },
        [&](int part, State& state) {
            if (control.stopped()) return;
            state.walker.run(
                static_cast<uint32_t>(part), decided,
                [&](uint32_t places, const Cells& cells) {
                    sum_up(walk, places, cells, score, state.terms);
                },
                [&] { return control.check(); });
            control.done += sets() >> decided;
        });
}

void AllSets::sum_up(const SubsetWalk& walk, uint32_t places, const Cells& cells, Score& score,
                     TermCache& terms) {
    double states = 1.0;
    uint32_t members = 0;
    for (uint32_t rest = places; rest; rest &= rest - 1) {
        const size_t v = index(walk.variable(std::countr_zero(rest)));
        states *= table_.arities[v];
        members |= bits_[v];
    }
    const int64_t prior = score.prior_of_set(index(std::popcount(members)));
    const auto sum = [&](const Term& term) {
        int64_t total = 0;
        cells.for_each([&](int32_t count, int32_t times) { total += times * term(count); });
        return total;
    };
    const int64_t own = terms.sum(states, score.counts(), sum);
    f_.data()[members] = own == kNeverKept ? kNeverKept : own + prior;
    for (size_t c = 0; c < classes_.size(); ++c) g_[c].data()[members] = sum(*configurations_[c]);
}

std::span<const int64_t> AllSets::sums_of_parents(int child) const {
    const auto found = std::find(classes_.begin(), classes_.end(), table_.arities[index(child)]);
    const Sums& own = found == classes_.end() ? f_ : g_[index(found - classes_.begin())];
    return {own.data(), own.size()};
}

/// Packs a set into a word: the size, then the inverted members, with the first variable as the
/// highest bit. Words compare like the sets: by size, then lexicographically.
uint64_t AllSets::packed(uint32_t members) const {
    uint64_t places = 0;
    for (uint32_t rest = members; rest; rest &= rest - 1)
        places |= uint64_t{1} << (SubsetWalk::kMostVariables - 1 - std::countr_zero(rest));
    constexpr uint64_t all = (uint64_t{1} << SubsetWalk::kMostVariables) - 1;
    return static_cast<uint64_t>(std::popcount(members)) << 32 | (all & ~places);
}

int AllSets::unpack(uint64_t parents, int* members) const {
    int size = 0;
    for (size_t i = 0; i < parents_.size(); ++i)
        if (!(parents >> (index(SubsetWalk::kMostVariables) - 1 - i) & 1))
            members[size++] = parents_[i];
    return size;
}

void AllSets::prune(int child, Sums& best, RecordList& kept) {
    const int n = table_.n_variables();
    const uint32_t own_bit = bits_[index(child)];
    uint32_t fixed = 0, free = 0;
    if (has_required(child))
        for (const int v : constraints_.required[index(child)]) fixed |= bits_[index(v)];
    for (const int v : parents_)
        if (v != child && constraints_.allows(n, child, v)) free |= bits_[index(v)] & ~fixed;
    int largest = 0;
    const std::span<const int64_t> g = sums_of_parents(child);
    const auto score_of = [&](uint32_t members) {
        // A variable with one state has the same cells as its parents.
        if (!own_bit) return scores_.of(child).prior_of_set(index(std::popcount(members)) + 1);
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
        if (!beats) continue;
        kept.push({score, packed(own | fixed)});
        largest = std::max(largest, std::popcount(own | fixed));
    }
    for (int before = largest_; before < largest && !largest_.compare_exchange_weak(before, largest);) {
    }
}

}  // namespace forebear
