#include "scoring/engine.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/index.h"
#include "scoring/worker.h"

namespace forebear {

namespace {

// Of one variable: the unit of work at level 2.
constexpr int kPrefixesAtOnce = 8;

template <class T>
std::unique_ptr<T[]> array(int64_t size) {
    // One more vector, because the kernels read whole vectors at the end of a row.
    return std::make_unique_for_overwrite<T[]>(index(size) + kLanes);
}

std::vector<int32_t> pick(std::span<const int32_t> values, std::span<const int> places) {
    std::vector<int32_t> picked;
    for (const int place : places) picked.push_back(values[index(place)]);
    return picked;
}

std::vector<int32_t> distinct(std::span<const int32_t> values) {
    const std::set<int32_t> seen(values.begin(), values.end());
    return {seen.begin(), seen.end()};
}

}  // namespace

bool Control::check() {
    if (bytes.load(std::memory_order_relaxed) > byte_limit) stop(Stop::out_of_memory);
    if (budget->cancelled()) stop(Stop::cancelled);
    if (budget->late()) stop(Stop::out_of_time);
    return stopped();
}

Engine::Engine(const PackedTable& packed, Score& score, std::vector<int> universe,
               const Constraints& constraints, ScoringOptions options, Control& control, Team& team,
               std::span<std::vector<RecordList>> lists)
    : table_(packed.table()),
      score_(score),
      universe_(std::move(universe)),
      constraints_(constraints),
      options_(options),
      control_(control),
      team_(team),
      lists_(lists),
      n_(static_cast<int>(universe_.size())),
      shape_(score.shape()),
      arities_(pick(table_.arities, universe_)),
      subsets_(n_, std::min(options.max_parents, n_ - 1) + 1),
      own_items_(!options.shared_walk ? std::make_unique<const Items>(table_, universe_, team)
                                    : nullptr),
      items_(own_items_ ? *own_items_ : packed.items(team)),
      packing_(table_.n_variables(), options.max_parents),
      margin_(std::llround(std::min(std::ldexp(options.margin, score.scale_bits()),
                                    -static_cast<double>(kNeverKept)))) {
    options_.max_parents = std::min(options_.max_parents, n_ - 1);
    // The universe of an only child contains only its allowed parents.
    constrained_ = only_first()
                       ? !pruned_simply(0)
                       : margin_ > 0 || !constraints.allowed.empty() ||
                             !constraints.required.empty() || !constraints.useful.empty();
    all_binary_ =
        std::all_of(arities_.begin(), arities_.end(), [](int32_t arity) { return arity == 2; });
    const bool classes = shape_ == Shape::by_arity && !table_.missing;
    const std::span<const int32_t> of_children(arities_.data(),
                                               only_first() ? 1 : arities_.size());
    classes_ = classes ? distinct(of_children) : std::vector<int32_t>(1, 0);
    class_of_.assign(index(n_ + kLanes), 0);
    if (classes && !only_first())
        for (int i = 0; i < n_; ++i)
            class_of_[index(i)] = static_cast<int32_t>(
                std::lower_bound(classes_.begin(), classes_.end(), arities_[index(i)]) -
                classes_.begin());
    if (table_.missing) zeros_.assign(index(n_ + kLanes), 0);
    control_.bytes += items_.bytes();
}

const std::vector<int>& Engine::required(int i) const {
    static const std::vector<int> none;
    return constraints_.required.empty() ? none : constraints_.required[index(universe_[index(i)])];
}

bool Engine::counted_by_bits(std::span<const int> prefix) const {
    // Measured CPU cycles for a word of bits, a cell and a row of the data. The cost of counting by
    // bits grows with the prefix, so all subsets of a set that is counted by bits are, too.
    const double per_word = kernels().cycles_per_word, per_cell = 2.5, per_row = 4.0;
    double rows = 1, cells = 1;
    for (const int m : prefix) {
        if (!items_.has(m)) return false;
        rows *= std::max(1, items_.first(m + 1) - items_.first(m));
        cells *= arities_[index(m)];
    }
    const double items = std::max(1.0, static_cast<double>(items_.count()) / n_);
    return rows * per_word * static_cast<double>(items_.words()) + per_cell * cells <=
           per_row * static_cast<double>(table_.codes.rows) / items;
}

bool Engine::allocate(int level) {
    Level& kept = levels_[index(level)];
    kept.size = subsets_.count(level);
    const bool by_child = shape_ == Shape::by_child && !table_.missing;
    const int n_f = by_child || table_.missing ? std::max(level, 1) : 1;
    const int n_g = shape_ == Shape::set_function || table_.missing ? 0
                    : shape_ == Shape::by_arity                  ? static_cast<int>(classes_.size())
                                                                 : 1;
    int64_t bytes = kept.size * (8 * (n_f + n_g) + (by_child ? 4 : 0));
    // The item counts of each prefix that is counted by bits.
    int64_t counts = 0;
    if (level >= 2 && !table_.missing) {
        std::vector<int> prefix(index(level - 1));
        kept.item_rows.assign(index(subsets_.count(level - 1)), -1);
        for (int64_t rank = 0; rank < subsets_.count(level - 1); ++rank) {
            if (rank == 0) subsets_.unrank(0, prefix);
            else subsets_.advance(prefix);
            if (!counted_by_bits(prefix)) continue;
            int64_t rows = 1;
            for (const int m : prefix) rows *= arities_[index(m)] - 1;
            kept.item_rows[index(rank)] = counts;
            counts += rows * (items_.count() - items_.first(prefix.back() + 1));
        }
        bytes += 4 * counts + 8 * subsets_.count(level - 1);
    }
    kept.bytes = bytes;
    control_.bytes += bytes;
    if (control_.check()) return false;
    for (int i = 0; i < n_f; ++i) kept.f.push_back(array<int64_t>(kept.size));
    for (int i = 0; i < n_g; ++i) kept.g.push_back(array<int64_t>(kept.size));
    if (by_child) kept.occupied = array<int32_t>(kept.size);
    kept.item_counts = array<int32_t>(counts);
    return true;
}

void Engine::run() {
    levels_.resize(index(options_.max_parents + 1));
    const auto rows = static_cast<int32_t>(table_.total);
    if (!allocate(0)) return;
    make_first_terms();
    Level& nothing = levels_[0];
    nothing.f[0][0] = shape_ == Shape::by_child || table_.missing
                          ? 0
                          : TermCache(score_).sum(1.0, rows,
                                                  [&](const Term& term) { return term(rows); });
    for (size_t c = 0; c < nothing.g.size(); ++c)
        nothing.g[c][0] = shape_ == Shape::by_child ? score_.dirichlet(1.0)(rows)
                                                    : score_.configurations(classes_[c])(rows);
    if (nothing.occupied) nothing.occupied[0] = 1;
    for (int level = 1; level <= options_.max_parents + 1 && !control_.stopped(); ++level) {
        if (level <= options_.max_parents && !allocate(level)) return;
        run_level(level);
    }
    for (Level& level : levels_) control_.bytes -= level.bytes;
    levels_.clear();
    control_.bytes -= items_.bytes();
}

void Engine::make_first_terms() {
    const auto make = [&](int) {
        if (shape_ == Shape::by_child) return;
        for (size_t size = 0; size < score_.sizes(); ++size) {
            score_.cells(1.0, size);
            for (const int32_t arity : distinct(arities_)) score_.cells(arity, size);
        }
        if (shape_ == Shape::by_arity)
            for (const int32_t arity : distinct(arities_)) score_.configurations(arity);
    };
    team_.run(team_.size(), make, [] {});
}

void Engine::run_level(int level) {
    if (level == 1) {
        Worker(*this, lists_[0]).run_singletons();
        control_.done += n_;
        return;
    }
    // A unit of work has all prefixes that differ only in their last member. At level 2, these
    // would be all prefixes, so they are split.
    const bool last = level == options_.max_parents + 1 && level >= 3;
    // Of the largest sets, an only child needs only those that contain it.
    const int last_member = std::min(options_.last_member, only_first() ? 1 : n_);
    if (last && options_.first_member > 0)  // the levels below belong to the first part
        for (auto& lists : lists_)
            for (const int v : std::span(universe_).first(only_first() ? 1 : universe_.size()))
                lists[index(v)].clear();
    const int base_size = level - 2;
    const int chunks = base_size == 0 ? (n_ + kPrefixesAtOnce - 1) / kPrefixesAtOnce : 1;
    const int64_t shares =
        last ? subsets_.first_with(base_size, last_member) : subsets_.count(base_size) * chunks;
    const int64_t begin =
        last && !only_first()
            ? subsets_.first_with(base_size, std::min(options_.first_member, n_))
            : 0;
    std::atomic<int64_t> next{begin};
    const auto work = [&](int thread) {
        Worker worker(*this, lists_[index(thread)]);
        std::vector<int> base(index(base_size));
        for (int64_t share; !control_.check() && (share = next.fetch_add(1)) < shares;) {
            subsets_.unrank(share / chunks, base);
            const int first =
                base.empty() ? static_cast<int>(share) * kPrefixesAtOnce : base.back() + 1;
            const int last = base.empty() ? std::min(n_, first + kPrefixesAtOnce) : n_;
            control_.done += worker.run(base, first, last) * level;
            if (options_.max_sets > 0)
                for (RecordList& list : lists_[index(thread)])
                    if (list.size() > 2 * options_.max_sets + 1024)
                        list.keep_best(options_.max_sets);
        }
    };
    team_.run(static_cast<int>(std::clamp<int64_t>(shares - begin, 1, team_.size())), work,
              [&] { control_.stop(Stop::cancelled); });
}

}  // namespace forebear
