#include "scoring/scoring.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/index.h"
#include "common/mappedarray.h"
#include "common/parallel.h"

namespace forebear {

namespace {

/// One thread's memory for sorting records. It grows as needed.
class Buffer {
public:
    /// Room for twice as many records.
    Record* room_for(int64_t count) {
        constexpr size_t page = kLargePage / sizeof(Record);
        size_t needed = 2 * index(count);
        if (needed > page) needed = (needed + page - 1) / page * page;
        if (needed > records_.size()) {
            records_ = {};
            records_ = MappedArray<Record>(needed);
        }
        return records_.data();
    }

private:
    MappedArray<Record> records_;
};

}  // namespace

Scoring::Scoring(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                 Constraints constraints, ScoringOptions options)
    : packed_(std::move(packed)),
      table_(packed_->table()),
      constraints_(std::move(constraints)),
      options_(options),
      scores_(*packed_, score, options.max_parents, control.bytes) {
    for (int t = 0; t < options_.threads; ++t) {
        arenas_.push_back(std::make_unique<RecordArena>(control.bytes));
        lists_.emplace_back(table_.n_variables(), RecordList(*arenas_.back()));
    }
}

Stop Scoring::run(const Budget& budget) {
    control.budget = &budget;
    Team team(options_.threads);
    walk(team);
    control.check();
    return control.reason;
}

bool Scoring::has_required(int v) const {
    return !constraints_.required.empty() && !constraints_.required[index(v)].empty();
}

int64_t Scoring::count(int v) const {
    int64_t count = 0;
    for (const auto& own : lists_) count += own[index(v)].size();
    return count;
}

std::vector<int64_t> Scoring::counts() const {
    std::vector<int64_t> result(index(table_.n_variables()), 0);
    for (int v = 0; v < table_.n_variables(); ++v) {
        int64_t& kept = result[index(v)];
        kept = count(v) + has_required(v);  // the empty set is listed even if it is not allowed
        if (options_.max_sets > 0) kept = std::min(kept, options_.max_sets);
    }
    return result;
}

template <class Id>
void Scoring::write_one(int v, Record* room, int64_t begin, int64_t end, double* scores,
                        Id* parents, int64_t total) {
    const Score& score = scores_.of(v);
    const double unit = std::ldexp(1.0, -score.scale_bits());
    const int slots = this->slots();
    const auto put = [&](int64_t place, double value, std::span<const int> members) {
        scores[place] = value;
        for (int slot = 0; slot < slots; ++slot)
            parents[slot * total + place] = index(slot) < members.size()
                                                ? static_cast<Id>(members[index(slot)])
                                                : std::numeric_limits<Id>::max();
    };
    const int64_t found = count(v);
    Record* end_of = room;
    for (auto& lists : lists_) end_of = lists[index(v)].drain(end_of);
    const Record* const ranked = rank(room, room + found, found);
    // MIT is relative to the empty set.
    const int64_t zero = score.relative_to_empty() && !table_.missing ? empty_score(v) : 0;
    std::vector<int> members(index(slots));
    const auto put_record = [&](const Record& record, int64_t place) {
        const int size = unpack(record.parents, members.data());
        put(place, static_cast<double>(record.score - zero) * unit, {members.data(), index(size)});
    };
    if (has_required(v)) put(--end, -std::numeric_limits<double>::infinity(), {});
    // If only the best sets are kept, the empty set is also kept. It ranks last.
    else if (end - begin < found) put_record(ranked[found - 1], --end);
    for (int64_t place = begin; place < end; ++place) put_record(ranked[place - begin], place);
}

template <class Id>
void Scoring::write(std::span<const int64_t> offsets, double* scores, Id* parents, int64_t total) {
    const int n = table_.n_variables();
    // The variables with most sets come first, so that all threads finish at about the same time.
    std::vector<int> turns(index(n));
    std::iota(turns.begin(), turns.end(), 0);
    std::stable_sort(turns.begin(), turns.end(), [&](int a, int b) {
        return offsets[index(a) + 1] - offsets[index(a)] > offsets[index(b) + 1] - offsets[index(b)];
    });
    Team team(options_.threads);
    for_each_item(
        team, n, [](int) { return Buffer(); },
        [&](int turn, Buffer& buffer) {
            const int v = turns[index(turn)];
            write_one(v, buffer.room_for(count(v)), offsets[index(v)], offsets[index(v + 1)],
                      scores, parents, total);
        });
    for_each_item(team, static_cast<int>(arenas_.size()),
                  [&](int t) { arenas_[index(t)]->clear(); });
}

int64_t Scoring::empty_score(int v) {
    const Table& table = packed_->of(v).table();
    std::vector<int32_t> counts(index(table.arities[index(v)]));
    table.codes.visit_counted(v, [&](const auto* column, auto count) {
        for (uint32_t row = 0; row < table.codes.rows; ++row) counts[column[row]] += count(row);
    });
    const Term& term = scores_.of(v).cells(1.0);
    int64_t sum = -term(static_cast<int32_t>(table.total));
    for (const int32_t count : counts) sum += term(count);
    return sum;
}

template void Scoring::write<uint16_t>(std::span<const int64_t>, double*, uint16_t*, int64_t);
template void Scoring::write<uint32_t>(std::span<const int64_t>, double*, uint32_t*, int64_t);

LimitedScoring::LimitedScoring(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                               Constraints constraints, ScoringOptions options)
    : Scoring(std::move(packed), std::move(score), std::move(constraints), options),
      packing_(table_.n_variables(), options.max_parents) {}

int LimitedScoring::unpack(uint64_t parents, int* members) const {
    const int size = packing_.size(parents);
    for (int slot = 0; slot < size; ++slot) members[slot] = packing_.parent(parents, slot);
    return size;
}

void LimitedScoring::walk(Team& team) {
    const int n = table_.n_variables();
    std::vector<int> everything(index(n)), alone;
    std::iota(everything.begin(), everything.end(), 0);
    for (const int child : everything)
        if (!options_.shared_walk || packed_->place_of(child) != 0) alone.push_back(child);
    if (alone.size() < everything.size()) {
        Engine(*packed_, scores_.at(0), everything, constraints_, options_, control, team, lists_)
            .run();
        for (auto& lists : lists_)
            for (const int child : alone) lists[index(child)].clear();
    }
    for_each_item(
        team, static_cast<int>(alone.size()), [](int thread) { return thread; },
        [&](int i, int thread) { walk_alone(alone[index(i)], thread); });
}

/// Scores one child over its allowed parents. The first part of a run has its families of fewer than
/// max_parents, and the part that the child is in has the others.
void LimitedScoring::walk_alone(int child, int thread) {
    std::vector<int> universe(1, child);
    for (int v = 0; v < table_.n_variables(); ++v)
        if (v != child && constraints_.allows(table_.n_variables(), child, v)) universe.push_back(v);
    const bool is_first = options_.first_member == 0;
    const bool is_small = universe.size() <= index(options_.max_parents);  // fewer than max_parents
    const bool is_here = is_small ? is_first
                                  : child >= options_.first_member && child < options_.last_member;
    if (control.check() || !(is_first || is_here)) return;
    ScoringOptions own = options_;
    own.shared_walk = false;
    own.first_member = is_first ? 0 : 1;
    own.last_member = is_here ? INT_MAX : 0;
    Team one(1);
    Engine(packed_->of(child), scores_.of(child), universe, constraints_, own, control, one,
           std::span(lists_).subspan(index(thread), 1))
        .run();
}

}  // namespace forebear
