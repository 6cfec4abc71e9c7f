#include "scoring/scoring.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "common/parallel.h"

namespace forebear {

namespace {

int thread_number(int thread) { return thread; }

/// A buffer of records that grows when it is too small.
class RecordBuffer {
public:
    Record* room_for(int64_t count) {
        if (count > capacity_) {
            capacity_ = count + count / 4;
            records_ = std::make_unique_for_overwrite<Record[]>(index(capacity_));
        }
        return records_.get();
    }

private:
    std::unique_ptr<Record[]> records_;
    int64_t capacity_ = 0;
};

}  // namespace

Scoring::Scoring(Table table, ScoreOptions score, Constraints constraints, ScoringOptions options)
    : table_(std::move(table)),
      constraints_(std::move(constraints)),
      options_(options),
      score_(std::move(score), table_.codes.rows, table_.arities, entropies(table_),
             options.max_parents, control.bytes),
      packing_(table_.n_variables(), options.max_parents) {
    for (int t = 0; t < options_.threads; ++t)
        for (int v = (lists_.emplace_back(), 0); v < table_.n_variables(); ++v)
            lists_.back().emplace_back(control.bytes);
}

Stop Scoring::run(const Budget& budget) {
    control.budget = &budget;
    if (options_.together) {
        std::vector<int> everything;
        for (int v = 0; v < table_.n_variables(); ++v) everything.push_back(v);
        Engine(table_, score_, everything, constraints_,
               {options_.max_parents, options_.threads, options_.max_sets, -1,
                options_.first_member, options_.last_member},
               control, lists_)
            .run();
    } else {
        run_each();
    }
    control.check();
    return control.reason;
}

void Scoring::run_each() {
    const int n = table_.n_variables();
    for_each_item(n, options_.threads, thread_number, [&](int child, int thread) {
        if (control.check()) return;
        std::vector<int> universe;
        for (int v = 0; v < n; ++v)
            if (v == child || constraints_.allows(n, child, v)) universe.push_back(v);
        const auto place = static_cast<int>(
            std::lower_bound(universe.begin(), universe.end(), child) - universe.begin());
        Engine(table_, score_, universe, constraints_,
               {options_.max_parents, 1, options_.max_sets, place}, control,
               std::span(lists_).subspan(index(thread), 1))
            .run();
    });
}

bool Scoring::has_required(int v) const {
    return !constraints_.required.empty() && !constraints_.required[index(v)].empty();
}

std::vector<int64_t> Scoring::counts() const {
    std::vector<int64_t> result(index(table_.n_variables()), 0);
    for (int v = 0; v < table_.n_variables(); ++v) {
        int64_t& count = result[index(v)];
        for (const auto& lists : lists_) count += lists[index(v)].size();
        count += has_required(v);  // the empty set, which is listed although it is not allowed
        if (options_.max_sets > 0) count = std::min(count, options_.max_sets);
    }
    return result;
}

bool Scoring::fits(std::span<const int64_t> offsets, size_t scores, size_t parents) const {
    const std::vector<int64_t> kept = counts();
    if (offsets.size() != kept.size() + 1 || offsets[0] != 0) return false;
    for (size_t v = 0; v < kept.size(); ++v)
        if (offsets[v + 1] - offsets[v] != kept[v]) return false;
    return scores == index(offsets.back()) && parents == scores * index(options_.max_parents);
}

template <class Id>
void Scoring::write(std::span<const int64_t> offsets, double* scores, Id* parents, int64_t total) {
    const double unit = std::ldexp(1.0, -score_.scale_bits());
    const int slots = options_.max_parents;
    constexpr Id none = std::numeric_limits<Id>::max();
    std::vector<RecordBuffer> buffers(index(options_.threads)), scratches(index(options_.threads));
    for_each_item(table_.n_variables(), options_.threads, thread_number, [&](int v, int thread) {
        int64_t found = 0;
        for (const auto& lists : lists_) found += lists[index(v)].size();
        Record* const records = buffers[index(thread)].room_for(found);
        Record* end = records;
        for (auto& lists : lists_) end = lists[index(v)].drain(end);
        rank(records, scratches[index(thread)].room_for(found), found);
        const int64_t begin = offsets[index(v)],
                      room = offsets[index(v + 1)] - begin - has_required(v);
        // Where only the best sets are kept, the empty set is kept, too. It ranks last.
        if (room < found && !has_required(v)) records[room - 1] = records[found - 1];
        // MIT is relative to the empty set.
        const int64_t zero = score_.relative_to_empty() ? empty_score(v) : 0;
        for (int64_t i = 0; i < room; ++i) {
            const Record& record = records[i];
            scores[begin + i] = static_cast<double>(record.score - zero) * unit;
            const int size = packing_.size(record.parents);
            for (int slot = 0; slot < slots; ++slot)
                parents[slot * total + begin + i] =
                    slot < size ? static_cast<Id>(packing_.parent(record.parents, slot)) : none;
        }
        if (has_required(v)) {
            scores[begin + room] = -std::numeric_limits<double>::infinity();
            for (int slot = 0; slot < slots; ++slot) parents[slot * total + begin + room] = none;
        }
    });
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
