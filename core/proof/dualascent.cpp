#include "proof/dualascent.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "proof/clustercuts.h"
#include "proof/localcuts.h"
#include "common/index.h"

namespace forebear {

namespace {

// Fixed, so that the bound is the same in every run; any numbers will do.
constexpr uint64_t kSeed[4] = {0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB,
                               0x2545F4914F6CDD1D};

// The constants below decide how fast the bound rises, not whether it holds. The temperature starts
// as a share of the average cost range of a variable's sets. It falls by a factor when a round
// gains less than kLittle temperatures per variable. When it is frozen, below a share of the first
// temperature, it rises to kReheated of that.
constexpr double kFirstTemperature = 0.01, kCooling = 0.7, kLittle = 0.005, kReheated = 0.02;
// Each time, the work becomes finer: lower temperatures, more sweeps in a round, and clusters that
// are violated less. At first coarse work raises the bound faster, but it ends too early: on nltcs
// (3 parents, clusters alone) 53 nats from the optimum, finer work at 22.
constexpr double kFrozen = 0.001, kFrozenLast = 0.00003;
constexpr double kViolation = 0.1, kViolationLast = 0.01;
constexpr int kBoundSweeps = 16, kSweepsLast = 128;
// Temperatures per variable: if the bound falls by more, return to the best multipliers.
constexpr double kFall = 2.0;

// The columns of a variable cost at most slack temperatures more than the cheapest. The slack is
// between kNarrow and kWide. It doubles if the sets left out have more than kInTheWay of the
// weight, else it shrinks by kNarrowing.
constexpr double kNarrow = 25.0, kWide = 600.0, kInTheWay = 0.01, kNarrowing = 0.8;
// Of these, the cheapest are columns of their own, the others join at most kMostGroups groups. At
// the temperatures of local cuts, the number of columns is adapted in the same way: it doubles if
// the groups have more than kGrouped of the weight. More columns make sweeps slower, but with 50
// the gap of pumsb-star-test was 1,400 nats after 45 processor seconds, and 1,300 with up to 400.
// At all temperatures, audio-train would be slower by a third.
constexpr double kFewColumns = 50.0, kManyColumns = 400.0, kGrouped = 0.1;
constexpr size_t kMostGroups = 12;

// Every so many rounds, clusters of the second and the third level are separated in turn, too.
constexpr int kHigherLevel = 2;
// Local cuts are separated every so many rounds once the temperature is below a share of the first
// one; before, the solution is too soft. They move the multipliers of clusters far, so there are
// more sweeps in a round: with 4 times as many, the gap of pumsb-star-test was 1.93% after 52
// processor seconds instead of 2.08%.
constexpr int kLocalEvery = 2, kFineSweeps = 4;
constexpr double kLocalFrom = 0.1;
// There the temperature also falls when a round closes less than this share of the gap: local cuts
// gain a little for long, and on pumsb-star-test the bound rose faster at 0.03 than at 0.08 of the
// first temperature.
constexpr double kFineLittle = 0.003;
// Local cuts must be violated by this share of what clusters must. If there are fewer than one for
// so many variables, their separation pauses: on audio-train, it would take a third of the time.
constexpr double kLocalViolation = 0.2;
// Variables and choices of their groups: small groups find most cuts, larger ones what is left.
constexpr GroupLimits kGroups[] = {{5, 60}, {8, 120}};
static_assert(kGroups[1].variables <= Pricing::kLargestGroup);
constexpr size_t kFew = 30;  // the smallest limit on the number of local cuts that are added
// Less likely sets are left out by the search for clusters, and for local cuts, where they only make
// groups smaller.
constexpr double kUnlikely = 0.001, kUnlikelyLocally = 0.005;
constexpr size_t kFewLocal = 10;
constexpr int kEvery = 4;        // every so many sweeps, clusters without a multiplier are included
constexpr double kStill = 1e-2;  // temperatures: the sweeps end when the largest change is smaller
// Up to so many variables, separation never pauses. With pauses, the gap of nltcs (16 variables)
// was 13 nats after 6 processor seconds instead of 7; on plants.valid (69) they make no difference.
constexpr int kAlways = 50;
constexpr int kPatience = 3;  // rounds for which a cluster without a multiplier is kept

// Sets are dropped when the gap is below kWorthDropping of what it was the last time; at first, of
// kFirstDrop of the average cost range of a variable's sets.
constexpr double kFirstDrop = 0.3, kWorthDropping = 0.7;

// Ticks: the sum of the multipliers over all members, so that no sum overflows.
constexpr double kMostReduction = 0x1p60;
constexpr double kMostTicks = 0x1p56;  // no sum of such numbers overflows here

int64_t to_ticks(double ticks) { return static_cast<int64_t>(std::min(ticks, kMostTicks)); }

bool cheaper(const Column& a, const Column& b) {
    return a.reduced != b.reduced ? a.reduced < b.reduced : a.rank < b.rank;
}

/// The cut with shortfalls instead of values, if these are small enough.
std::optional<Cut> as_cut(const LocalCut& local) {
    const size_t size = local.group.size(), subsets = size_t{1} << size;
    Cut cut{{local.group.begin(), local.group.end()}, 0, {}, 0};
    int64_t sum = 0;
    for (size_t i = 0; i < size; ++i) {
        const int64_t* const values = local.values.data() + i * subsets;
        const int64_t most = values[subsets - 1];
        sum += most;
        if (most - values[0] > UINT8_MAX) return std::nullopt;
        for (size_t s = 0; s < subsets; ++s)
            cut.shortfalls.push_back(static_cast<uint8_t>(most - values[s]));
    }
    cut.due = static_cast<int>(sum - local.limit);
    return cut;
}

}  // namespace

DualAscent::DualAscent(SetCosts sets, std::span<const PricedCut> cuts, bool local_cuts)
    : sets_(std::move(sets)),
      local_cuts_(local_cuts),
      frozen_(kFrozen),
      violation_(kViolation),
      sweeps_(kBoundSweeps),
      kept_(index(sets_.n())),
      columns_(kept_.size()),
      cheapest_(kept_.size()),
      slack_(kept_.size(), kNarrow),
      most_columns_(kept_.size(), kFewColumns),
      pauses_(Pricing::kMostLevel, std::vector<Pause>(kept_.size())),
      random_(kSeed) {
    double range = 0.0;
    for (int v = 0; v < sets_.n(); ++v) {
        range += static_cast<double>(sets_.cost(v, sets_.count(v) - 1));
        kept_[index(v)].resize(index(sets_.count(v)));
        std::iota(kept_[index(v)].begin(), kept_[index(v)].end(), 0);
    }
    temperature_ = first_temperature_ = std::max(1.0, kFirstTemperature * range / sets_.n());
    dropped_at_ = static_cast<int64_t>(kFirstDrop * range / sets_.n());
    if (cuts.empty()) return;
    clusters_.restore(cuts);
    temperature_ = std::max(1.0, kReheated * first_temperature_);
}

void DualAscent::advance(const Budget& budget, Team& team) {
    if (!started_) {
        started_ = true;
        proven_ = prove(team);
        best_ = multipliers();
        least_ = incumbent_ ? std::min(proven_, *incumbent_) : proven_;
        return;
    }
    ascend(budget, team);
    accept(prove(team), team);
    if (incumbent_ && !budget.spent()) drop(team);
}

/// Whether the temperature is so low that local cuts are worth their time.
bool DualAscent::is_fine() const {
    return local_cuts_ && temperature_ <= kLocalFrom * first_temperature_;
}

/// Improves the multipliers and adds clusters, on the current columns.
void DualAscent::ascend(const Budget& budget, Team& team) {
    clusters_.forget_idle(kPatience);
    SoftAscent ascent(sets_, columns_, temperature_, team);
    ascent.extend(clusters_);
    separate(ascent, 1, team);
    // A set of fewer parents hits no cluster of that level.
    const int levels = std::min(Pricing::kMostLevel, sets_.slots());
    if (++rounds_ % kHigherLevel == 0 && levels > 1 && !budget.spent())
        separate(ascent, 2 + rounds_ / kHigherLevel % (levels - 1), team);
    if (is_fine() && rounds_ % kLocalEvery == 0 && !budget.spent())
        separate_local(ascent, budget, team);
    ascent.extend(clusters_);
    const int sweeps = is_fine() ? std::min(kSweepsLast, kFineSweeps * sweeps_) : sweeps_;
    for (int i = 0; i < sweeps && !budget.spent(); ++i)
        if (ascent.sweep(clusters_, i % kEvery == 0) < kStill) break;
    adapt_columns(ascent);
}

/// Widens the slack of variables for which the sets left out have much weight, and gives more
/// columns to those for which the groups have.
void DualAscent::adapt_columns(const SoftAscent& ascent) {
    const auto adapt = [](double& width, bool wider, double least, double most) {
        width = wider ? std::min(most, 2.0 * width) : std::max(least, kNarrowing * width);
    };
    for (int v = 0; v < sets_.n(); ++v) {
        const auto& columns = columns_[index(v)];
        const double* const weights = ascent.weights(v);
        const size_t inside = columns.size() - 2;  // the last two stand for the sets left out
        double sum = 0.0, grouped = 0.0;
        for (size_t i = 0; i < columns.size(); ++i) {
            sum += weights[i];
            if (i < inside && !columns[i].is_set()) grouped += weights[i];
        }
        const double left_out = weights[inside] + weights[inside + 1];
        adapt(slack_[index(v)], left_out > kInTheWay * sum, kNarrow, kWide);
        adapt(most_columns_[index(v)], is_fine() && grouped > kGrouped * sum, kFewColumns,
              kManyColumns);
    }
}

/// Adds clusters that the solution violates, grown from every variable that does not pause.
void DualAscent::separate(const SoftAscent& ascent, int level, Team& team) {
    const Support support = ascent.support(kUnlikely);
    std::vector<std::vector<int32_t>> grown(kept_.size());
    // Each variable has its own random numbers, so that the number of threads does not matter.
    std::vector<Random> random;
    for (size_t v = 0; v < grown.size(); ++v) {
        const uint64_t seed[4] = {random_(), random_(), random_(), random_()};
        random.emplace_back(seed);
    }
    auto& pauses = pauses_[index(level) - 1];
    std::vector<int> starts;
    for (int v = 0; v < sets_.n(); ++v)
        if (sets_.n() <= kAlways || pauses[index(v)].left-- <= 0) starts.push_back(v);
    for_each_item(
        team, static_cast<int>(starts.size()),
        [&](int) { return ClusterSearch(support, level); },
        [&](int i, ClusterSearch& search) {
            const auto v = index(starts[index(i)]);
            const ClusterCut found = search.grow(static_cast<int>(v), violation_, random[v]);
            grown[v].assign(found.members.begin(), found.members.end());
        });
    for (int start : starts) {
        auto& cluster = grown[index(start)];
        auto& pause = pauses[index(start)];
        const bool found =
            !cluster.empty() && clusters_.add(Cut::cluster(std::move(cluster), level));
        pause.set(!found);
    }
}

/// Adds local cuts that the solution violates, unless too few were found the last time.
void DualAscent::separate_local(const SoftAscent& ascent, const Budget& budget, Team& team) {
    if (local_pause_.left-- > 0) return;
    const Support support = ascent.support(kUnlikelyLocally);
    std::vector<LocalCut> found;
    for (const GroupLimits& limits : kGroups)
        for (LocalCut& cut : find_local_cuts(support, limits, budget, team))
            if (cut.violation >= kLocalViolation * violation_) found.push_back(std::move(cut));
    std::stable_sort(found.begin(), found.end(), [](const LocalCut& a, const LocalCut& b) {
        return a.violation > b.violation;
    });
    found.resize(std::min(found.size(), std::max(kFew, kept_.size())));
    size_t added = 0;
    for (const LocalCut& local : found)
        if (const auto cut = as_cut(local)) added += clusters_.add(*cut);
    local_pause_.set(kFewLocal * added < kept_.size());
}

/// The multipliers as whole ticks, small enough that no sum of them overflows.
std::vector<PricedCut> DualAscent::multipliers() const {
    double sum = 0.0;
    for (const Cluster& cluster : clusters_.items())
        sum += static_cast<double>(cluster.cut.most()) * cluster.multiplier;
    const double scale = sum > kMostReduction ? kMostReduction / sum : 1.0;
    std::vector<PricedCut> result;
    for (const Cluster& cluster : clusters_.items())
        if (const auto ticks = static_cast<int64_t>(cluster.multiplier * scale); ticks > 0)
            result.push_back({cluster.cut, ticks});
    return result;
}

/// Returns the bound that the multipliers prove, and chooses the columns of the next round.
int64_t DualAscent::prove(Team& team) {
    const Pricing pricing(sets_, multipliers());
    for_each_item(team, sets_.n(), [&](int v) { choose_columns(pricing, v); });
    int64_t cost = pricing.total();
    for (int64_t own : cheapest_) cost += own;
    return cost;
}

void DualAscent::choose_columns(const Pricing& pricing, int v) {
    const auto at = index(v);
    const int64_t slack = to_ticks(slack_[at] * temperature_);
    cheapest_[at] = pricing.price(v, kept_[at], slack, columns_[at]);
    group(v, columns_[at]);
    for (int32_t others : {Column::kAll, Column::kAny})
        columns_[at].push_back({others, cheapest_[at] + slack});
}

/// Replaces all but the cheapest columns by groups. A column joins the group of that member which
/// the cheapest columns contain most often.
void DualAscent::group(int v, std::vector<Column>& columns) const {
    const auto most = static_cast<size_t>(most_columns_[index(v)]);
    if (columns.size() <= most) return;
    std::nth_element(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(most),
                     columns.end(), cheaper);
    const auto visit_parents = [&](const Column& column, const auto& visit) {
        for (int k = 0; k < sets_.slots(); ++k)
            if (const uint16_t p = sets_.parent(v, k, column.rank); p != kNoParent) visit(p);
    };
    const size_t none = kept_.size();
    std::vector<int> held(none + 1);
    for (size_t i = 0; i < most; ++i) visit_parents(columns[i], [&](uint16_t p) { ++held[p]; });
    // Only the most frequent members have a group.
    std::vector<int> counts = held;
    const size_t last = std::min(kMostGroups, none);
    std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(last),
                     counts.end(), std::greater<>());
    const int often = std::max(1, counts[last]);
    std::vector<int64_t> least(none + 1, INT64_MAX);
    for (size_t i = most; i < columns.size(); ++i) {
        size_t chosen = none;
        visit_parents(columns[i], [&](uint16_t p) {
            if (held[p] >= often && held[p] > held[chosen]) chosen = p;
        });
        least[chosen] = std::min(least[chosen], columns[i].reduced);
    }
    columns.resize(most);
    for (size_t p = 0; p < none; ++p)
        if (least[p] != INT64_MAX)
            columns.push_back(Column::group(static_cast<int32_t>(p), least[p]));
    if (least[none] != INT64_MAX) columns.push_back({Column::kAny, least[none]});
}

/// Stores the bound that was proven, and chooses the next temperature, slack and multipliers.
void DualAscent::accept(int64_t cost, Team& team) {
    const bool fell = static_cast<double>(proven_ - cost) > kFall * temperature_ * sets_.n();
    const bool reheated = cool(cost - proven_);
    if (cost > proven_) {
        proven_ = cost;
        best_ = multipliers();
        // Networks with dropped sets cost more than the incumbent, but perhaps less than this.
        least_ = incumbent_ ? std::min(cost, *incumbent_) : cost;
    }
    if (fell)  // too many sets were left out
        for (double& slack : slack_) slack = std::min(kWide, 2.0 * slack);
    if (fell || reheated) {
        clusters_.restore(best_);
        prove(team);
    }
}

/// Lowers the temperature if little was gained. Returns whether it was frozen and rose again.
bool DualAscent::cool(int64_t gain) {
    double little = kLittle * temperature_ * sets_.n();
    if (is_fine() && incumbent_)
        little = std::max(little, kFineLittle * static_cast<double>(*incumbent_ - proven_));
    if (static_cast<double>(gain) >= little) return false;
    temperature_ *= kCooling;
    for (auto& level : pauses_) std::fill(level.begin(), level.end(), Pause{});
    const bool frozen = temperature_ < frozen_ * first_temperature_;
    if (frozen) {
        temperature_ = kReheated * first_temperature_;
        frozen_ = std::max(kFrozenLast, frozen_ / 2.0);
        violation_ = std::max(kViolationLast, violation_ / 2.0);
        sweeps_ = std::min(kSweepsLast, 2 * sweeps_);
    }
    temperature_ = std::max(1.0, temperature_);
    return frozen;
}

/// Drops sets that no network as cheap as the incumbent has, if that is worth a pass.
void DualAscent::drop(Team& team) {
    const int64_t gap = *incumbent_ - proven_;
    if (static_cast<double>(gap) > kWorthDropping * static_cast<double>(dropped_at_)) return;
    dropped_at_ = gap;
    const Pricing pricing(sets_, best_);
    std::vector<std::vector<int32_t>> left(kept_.size());
    for_each_item(team, sets_.n(), [&](int v) {
        std::vector<Column> columns;
        pricing.price(v, kept_[index(v)], std::max<int64_t>(0, gap), columns);
        for (const Column& column : columns) left[index(v)].push_back(column.rank);
    });
    const auto count = [](const auto& lists) {
        return std::accumulate(lists.begin(), lists.end(), size_t{0},
                               [](size_t sum, const auto& list) { return sum + list.size(); });
    };
    if (2 * count(left) > count(kept_)) return;
    drops_.push_back(best_);
    kept_ = std::move(left);
    for (size_t v = 0; v < kept_.size(); ++v)
        std::erase_if(columns_[v], [&](const Column& column) {
            return column.is_set() &&
                   !std::binary_search(kept_[v].begin(), kept_[v].end(), column.rank);
        });
}

std::vector<std::vector<PricedCut>> DualAscent::proofs() const {
    auto result = drops_;
    result.push_back(best_);
    return result;
}

std::vector<int64_t> DualAscent::avoided(const std::vector<PricedCut>& multipliers, Team& team) const {
    const Pricing pricing(sets_, multipliers);
    std::vector<std::vector<int64_t>> parts(kept_.size());
    for_each_item(team, sets_.n(),
                  [&](int v) { parts[index(v)] = pricing.avoided(v, sets_.all(v)); });
    std::vector<int64_t> sums;
    for (const auto& part : parts) sums.insert(sums.end(), part.begin(), part.end());
    return sums;
}

}  // namespace forebear
