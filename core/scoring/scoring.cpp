#include "scoring/scoring.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "common/parallel.h"

namespace forebear {

namespace {

int thread_number(int thread) { return thread; }

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

std::vector<int64_t> Scoring::counts() const {
    std::vector<int64_t> result(index(table_.n_variables()), 0);
    for (int v = 0; v < table_.n_variables(); ++v) {
        int64_t& count = result[index(v)];
        count = count_records(lists_, v);
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
    const int n = table_.n_variables(), slots = options_.max_parents;
    constexpr Id none = std::numeric_limits<Id>::max();
    std::vector<int64_t> found;
    for (int v = 0; v < n; ++v) found.push_back(count_records(lists_, v));
    const auto put = [&](const Record& record, int64_t zero, int64_t place) {
        scores[place] = static_cast<double>(record.score - zero) * unit;
        const int size = packing_.size(record.parents);
        for (int slot = 0; slot < slots; ++slot)
            parents[slot * total + place] =
                slot < size ? static_cast<Id>(packing_.parent(record.parents, slot)) : none;
    };
    Team team(options_.threads);
    rank_lists(lists_, n, team, [&](const Slice& slice, const Record* ranked) {
        const int v = slice.variable;
        const int64_t begin = offsets[index(v)];
        const int64_t room = offsets[index(v + 1)] - begin - has_required(v);
        // MIT is relative to the empty set.
        const int64_t zero = score_.relative_to_empty() && !table_.gaps ? empty_score(v) : 0;
        // Where only the best sets are kept, the empty set is kept, too. It ranks last.
        const bool empty_moves = room < found[index(v)] && !has_required(v);
        const int64_t end = std::min(slice.end, room - empty_moves);
        for (int64_t i = slice.begin; i < end; ++i) put(ranked[i - slice.begin], zero, begin + i);
        if (slice.end < found[index(v)]) return;
        if (empty_moves) put(ranked[slice.size() - 1], zero, begin + room - 1);
        if (has_required(v)) {
            scores[begin + room] = -std::numeric_limits<double>::infinity();
            for (int slot = 0; slot < slots; ++slot) parents[slot * total + begin + room] = none;
        }
    });
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
