#include "scoring/scoring.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/index.h"
#include "common/mappedarray.h"
#include "common/parallel.h"

namespace forebear {

namespace {

int thread_number(int thread) { return thread; }

/// One thread's room to sort records, which grows when it is too small.
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
      score_(score, table_.codes.rows, table_.arities, packed_->entropies(), options.max_parents,
             control.bytes),
      packing_(table_.n_variables(), options.max_parents) {
    for (int t = 0; t < options_.threads; ++t) {
        arenas_.push_back(std::make_unique<RecordArena>(control.bytes));
        lists_.emplace_back(table_.n_variables(), RecordList(*arenas_.back()));
    }
}

Stop Scoring::run(const Budget& budget) {
    control.budget = &budget;
    if (options_.together) {
        std::vector<int> everything;
        for (int v = 0; v < table_.n_variables(); ++v) everything.push_back(v);
        Team team(options_.threads);
        Engine(*packed_, score_, everything, constraints_,
               {options_.max_parents, options_.max_sets, false, options_.first_member,
                options_.last_member},
               control, team, lists_)
            .run();
    } else {
        run_each();
    }
    control.check();
    return control.reason;
}

void Scoring::run_each() {
    const int n = table_.n_variables();
    Team team(options_.threads);
    for_each_item(team, n, thread_number, [&](int child, int thread) {
        if (control.check()) return;
        std::vector<int> universe(1, child);
        for (int v = 0; v < n; ++v)
            if (v != child && constraints_.allows(n, child, v)) universe.push_back(v);
        Team alone(1);
        Engine(*packed_, score_, universe, constraints_,
               {options_.max_parents, options_.max_sets, true}, control, alone,
               std::span(lists_).subspan(index(thread), 1))
            .run();
    });
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
void Scoring::write(std::span<const int64_t> offsets, double* scores, Id* parents, int64_t total) {
    const double unit = std::ldexp(1.0, -score_.scale_bits());
    const int n = table_.n_variables(), slots = options_.max_parents;
    constexpr Id none = std::numeric_limits<Id>::max();
    const auto put = [&](const Record& record, int64_t zero, int64_t place) {
        scores[place] = static_cast<double>(record.score - zero) * unit;
        const int size = packing_.size(record.parents);
        for (int slot = 0; slot < slots; ++slot)
            parents[slot * total + place] =
                slot < size ? static_cast<Id>(packing_.parent(record.parents, slot)) : none;
    };
    const auto rank_one = [&](int v, Buffer& buffer) {
        const int64_t found = count(v), begin = offsets[index(v)];
        Record* const records = buffer.room_for(found);
        Record* end_of = records;
        for (auto& lists : lists_) end_of = lists[index(v)].drain(end_of);
        const Record* const ranked = rank(records, records + found, found);
        // MIT is relative to the empty set.
        const int64_t zero = score_.relative_to_empty() && !table_.missing ? empty_score(v) : 0;
        const int64_t room = offsets[index(v + 1)] - begin - has_required(v);
        // Where only the best sets are kept, the empty set is kept, too. It ranks last.
        const bool empty_moves = room < found && !has_required(v);
        const int64_t end = std::min(found, room - empty_moves);
        for (int64_t i = 0; i < end; ++i) put(ranked[i], zero, begin + i);
        if (empty_moves) put(ranked[found - 1], zero, begin + room - 1);
        if (has_required(v)) {
            scores[begin + room] = -std::numeric_limits<double>::infinity();
            for (int slot = 0; slot < slots; ++slot) parents[slot * total + begin + room] = none;
        }
    };
    // The variables with the most sets first, so that all threads end at about the same time.
    std::vector<int> turns(index(n));
    std::iota(turns.begin(), turns.end(), 0);
    std::stable_sort(turns.begin(), turns.end(), [&](int a, int b) {
        return offsets[index(a) + 1] - offsets[index(a)] > offsets[index(b) + 1] - offsets[index(b)];
    });
    Team team(options_.threads);
    for_each_item(
        team, n, [](int) { return Buffer(); },
        [&](int turn, Buffer& buffer) { rank_one(turns[index(turn)], buffer); });
    for_each_item(team, static_cast<int>(arenas_.size()),
                  [&](int t) { arenas_[index(t)]->clear(); });
}

int64_t Scoring::empty_score(int v) {
    std::vector<int32_t> counts(index(table_.arities[index(v)]));
    table_.codes.visit(v, [&](const auto* column) {
        for (int64_t row = 0; row < table_.codes.rows; ++row) ++counts[column[row]];
    });
    const Term& term = score_.cells(1.0);
    int64_t sum = -term(static_cast<int32_t>(table_.codes.rows));
    for (const int32_t count : counts) sum += term(count);
    return sum;
}

template void Scoring::write<uint16_t>(std::span<const int64_t>, double*, uint16_t*, int64_t);
template void Scoring::write<uint32_t>(std::span<const int64_t>, double*, uint32_t*, int64_t);

}  // namespace forebear
