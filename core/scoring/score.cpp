#include "scoring/score.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "common/index.h"

namespace forebear {

namespace {

// Once the tables reach this total size, further ones are short, and larger counts are computed on
// demand.
constexpr int64_t kTableBytes = int64_t{256} << 20;
constexpr int64_t kShortTable = 256;    // counts, so that at least small ones are tabulated
// Sets of every size have a table of their own. If all variables are binary, there are few sizes,
// and binary_sums requires whole tables. The neighbors of a network of hailfinder with 500,000 rows
// take 1.31 s with 2^20 here, 1.19 s with 2^16 and 1.09 s with 2^14; with 50,000 rows and five
// equivalent sample sizes, 0.28 s with 2^16 and 0.17 s with 2^14.
constexpr int64_t kLongestOfMany = int64_t{1} << 14;
constexpr size_t kEntriesAtOnce = 256;  // of a table, by one thread: up to 50 microseconds

long double n_log_n(long double n) { return n > 0.0L ? n * std::log(n) : 0.0L; }

// exp and log by basic operations alone, so that results do not depend on the processor: those of
// the library may differ in the last bit. The series end where further terms are below 2^-53.

constexpr auto kInverseFactorials = [] {
    std::array<double, 14> values{1.0};
    double factorial = 1.0;
    for (size_t i = 1; i < values.size(); ++i)
        values[i] = 1.0 / (factorial *= static_cast<double>(i));
    return values;
}();

/// exp(x) for x <= 0; 0 where it is below the unit of the sums.
double exp_of(double x) {
    if (x < -50.0) return 0.0;
    const int k = static_cast<int>(x * std::numbers::log2e - 0.5);
    // log 2 in two parts: multiples of the first are exact.
    constexpr double high = 0x1.62e42fee00000p-1, low = 0x1.a39ef35793c76p-33;
    const double rest = (x - k * high) - k * low;
    double sum = 0.0;
    for (size_t i = kInverseFactorials.size(); i-- > 0;) sum = sum * rest + kInverseFactorials[i];
    return sum * std::bit_cast<double>(static_cast<uint64_t>(1023 + k) << 52);
}

/// log(x) for 1 <= x <= kMostSizes.
double log_of(double x) {
    int k = 0;
    for (; x > std::numbers::sqrt2; x *= 0.5) ++k;
    const double ratio = (x - 1.0) / (x + 1.0), square = ratio * ratio;
    double sum = 0.0;
    for (int i = 23; i > 0; i -= 2) sum = sum * square + 2.0 / i;
    return k * std::numbers::ln2 + ratio * sum;
}

}  // namespace

Term::Term(Values values, int64_t length)
    : values_(std::move(values)),
      length_(index(length)),
      table_(std::make_unique_for_overwrite<int64_t[]>(length_)) {}

void Term::fill() {
    if (filled_.load() == length_) return;
    for (size_t begin; (begin = next_.fetch_add(kEntriesAtOnce)) < length_;) {
        const size_t end = std::min(length_, begin + kEntriesAtOnce);
        values_(static_cast<int64_t>(begin), static_cast<int64_t>(end), table_.get() + begin);
        if (filled_.fetch_add(end - begin) + end - begin == length_) filled_.notify_all();
    }
    for (size_t filled; (filled = filled_.load()) < length_;) filled_.wait(filled);
}

int64_t Term::compute(int64_t count) const {
    int64_t value;
    values_(count, count + 1, &value);
    return value;
}

Score::Score(ScoreOptions options, const PackedTable& packed, int max_parents,
             std::atomic<int64_t>& bytes)
    : options_(std::move(options)),
      packed_(packed),
      counts_(packed.table().total),
      rows_((counts_ + packed.copies() - 1) / packed.copies()),
      bytes_(bytes) {
    // Kept sets score at least as high as the empty set, so a double holds their scores exactly if
    // it holds that of the empty set. It has 53 bits.
    const double n = static_cast<double>(rows_);
    const std::vector<int32_t>& arities = packed.table().arities;
    const auto [least, most] = std::minmax_element(options_.ess.begin(), options_.ess.end());
    double worst = 1.0;
    for (size_t v = 0; v < arities.size(); ++v)
        worst = std::max(worst, packed.entropies()[v] + arities[v] * (std::log(n + 1.0) +
                                                                 std::log(n + *most + 2.0)));
    if (options_.kind == Kind::mit) worst *= 2.0;
    // The sums themselves must fit in 61 bits, above kNeverKept.
    std::vector<int32_t> largest(arities.begin(), arities.end());
    std::sort(largest.rbegin(), largest.rend());
    double log_cells = 0.0;
    for (int i = 0; i <= max_parents && i < static_cast<int>(largest.size()); ++i)
        log_cells += std::log(static_cast<double>(largest[index(i)]));
    // F has the priors of up to as many families, one below the other.
    double priors = 0.0;
    if (!options_.prior.empty())
        priors = 2.0 * (max_parents + 1) * std::abs(options_.prior.at(index(max_parents)));
    const double sum =
        priors +
        (static_cast<double>(counts_) + 1.0) * 2.0 *
        (std::log(n + *most + 1.0) + std::max(std::abs(std::log(*least)), std::abs(std::log(*most))) +
         log_cells + 2.0);
    scale_bits_ = std::min(52 - static_cast<int>(std::ceil(std::log2(worst))),
                           60 - static_cast<int>(std::ceil(std::log2(sum))));
    if (options_.kind == Kind::fnml || options_.kind == Kind::qnml)
        log_pair_regret_ = log_pair_regrets(rows_);
    account(static_cast<int64_t>(log_pair_regret_.size() * sizeof(long double)));
    if (options_.kind == Kind::bdeu || options_.kind == Kind::bds)
        account(packed.log_gammas().bytes());
    set_prior();
    for (size_t size = 0; sizes() > 1 && size < sizes(); ++size)
        normalizers_.push_back(&cells(1.0, size));
}

/// Where G is F of a smaller set, F adds up the priors: F(P + x) - G(P) has that of P alone.
void Score::set_prior() {
    if (options_.prior.empty()) return;
    set_priors_.push_back(0);
    for (const double prior : options_.prior) {
        priors_.push_back(to_fixed(prior, scale_bits_));
        const bool adds_up = shape() == Shape::set_function;
        set_priors_.push_back(priors_.back() + (adds_up ? set_priors_.back() : 0));
    }
}

void Score::account(int64_t bytes) {
    table_bytes_ += bytes;
    bytes_ += bytes;
}

Shape Score::shape() const {
    switch (options_.kind) {
        case Kind::k2:
        case Kind::fnml:
        case Kind::mit: return Shape::by_arity;
        case Kind::bds: return Shape::by_child;
        default: return Shape::set_function;
    }
}

const Term& Score::term(double key, Function function) {
    const auto unit = static_cast<long double>(packed_.copies());
    const auto values = [function = std::move(function), unit, bits = scale_bits_](
                            int64_t begin, int64_t end, int64_t* out) {
        for (int64_t count = begin; count < end; ++count)
            *out++ = count == 0 ? 0
                                : to_fixed(function(static_cast<long double>(count) / unit), bits);
    };
    return term_of(key, values, kLongestTable);
}

const Term& Score::term_of(double key, const Term::Values& values, int64_t longest) {
    Term* found;
    {
        const std::lock_guard lock(mutex_);
        std::unique_ptr<Term>& term = terms_[key];
        if (!term) term = std::make_unique<Term>(values, table_length(longest));
        found = term.get();
    }
    found->fill();
    return *found;
}

int64_t Score::table_length(int64_t longest) {
    const int64_t full = std::min(counts_, longest) + 1;
    const int64_t length =
        table_bytes_ + 8 * full <= kTableBytes ? full : std::min(full, kShortTable);
    account(8 * length);
    return length;
}

const Term& Score::dirichlet(double cells) {
    const long double each = static_cast<long double>(options_.ess[0]) / cells;
    const std::vector<int32_t>& arities = packed_.table().arities;
    const bool binary = *std::max_element(arities.begin(), arities.end()) <= 2;
    return term_of(cells, LogRising(each, packed_.log_gammas(), scale_bits_),
                   binary ? kLongestTable : kLongestOfMany);
}

/// The log of the sum of the marginal likelihoods over the sizes. The likelihoods of P are the sums
/// of those of P + x over all columns of x, and so are their sums over the sizes: F - G is the log
/// of a probability of the column of x.
int64_t Score::log_of_sum(int64_t* sums, int64_t count) const {
    for (size_t size = 0; size < sizes(); ++size)
        sums[size] -= (*normalizers_[size])(static_cast<int32_t>(count));
    const int64_t best = *std::max_element(sums, sums + sizes());
    const double unit = std::ldexp(1.0, -scale_bits_);
    double total = 0.0;
    for (size_t size = 0; size < sizes(); ++size)
        total += exp_of(unit * static_cast<double>(sums[size] - best));
    return best + static_cast<int64_t>(std::ldexp(log_of(total), scale_bits_) + 0.5);
}

const Term& Score::cells(double cells, size_t size) {
    switch (options_.kind) {
        case Kind::bdeu:
        case Kind::bds: return dirichlet(equal_cells(cells, size));
        case Kind::k2: return term(0.0, [](long double rows) { return log_gamma(rows + 1.0L); });
        case Kind::mit: return term(0.0, [](long double rows) { return 2.0L * n_log_n(rows); });
        default: return term(0.0, n_log_n);
    }
}

const Term& Score::configurations(int child_arity) {
    if (options_.kind == Kind::mit) return cells(0.0);
    const long double r = child_arity;
    if (options_.kind == Kind::k2)
        return term(-child_arity, [r, start = log_gamma(r)](long double rows) {
            return log_gamma(rows + r) - start;
        });
    return term(-child_arity, [child_arity, this](long double rows) {
        return n_log_n(rows) + log_regret(rows, child_arity, pair_regret(rows));
    });
}

long double Score::pair_regret(long double rows) const {
    const auto below = std::min(static_cast<size_t>(rows), log_pair_regret_.size() - 1);
    const long double part = rows - static_cast<long double>(below);
    // The sum of rounded fractional counts may slightly exceed the number of rows.
    if (part == 0.0L || below + 1 == log_pair_regret_.size()) return log_pair_regret_[below];
    return (1.0L - part) * log_pair_regret_[below] + part * log_pair_regret_[below + 1];
}

int64_t Score::constant(double cells) {
    switch (options_.kind) {
        case Kind::aic: return to_fixed(-static_cast<long double>(cells), scale_bits_);
        case Kind::bic:
            // Without rows, there is no penalty.
            return to_fixed(
                -0.5L * std::log(static_cast<long double>(std::max<int64_t>(rows_, 1))) * cells,
                scale_bits_);
        case Kind::qnml: return to_fixed(-static_cast<long double>(regret(cells)), scale_bits_);
        default: return 0;
    }
}

double Score::regret(double cells) {
    // Exact by recurrence as long as the table is at most 160 MB; beyond that, by the expansion
    // of Szpankowski and Weinberger (2012) for large alphabets.
    constexpr double kRecurrence = 1e7;
    if (rows_ == 0) return 0.0;
    if (cells <= kRecurrence) {
        const std::lock_guard lock(mutex_);
        const auto place = static_cast<size_t>(cells);
        if (place >= regrets_.size()) {
            const auto before = static_cast<int64_t>(regrets_.size());
            regrets_ = log_regrets(rows_, std::max<int64_t>(64, 2 * static_cast<int64_t>(cells)),
                                   log_pair_regret_.back());
            account(8 * (static_cast<int64_t>(regrets_.size()) - before));
        }
        return regrets_[place];
    }
    const double n = static_cast<double>(rows_);
    const double a = cells / n;
    const double c = 0.5 + 0.5 * std::sqrt(1.0 + 4.0 / a);
    return n * (std::log(a) + (a + 2.0) * std::log(c) - 1.0 / c) - 0.5 * std::log(c + 2.0 / a);
}

int64_t Score::penalty(int child_arity, std::span<const int32_t> parent_arities) const {
    if (options_.kind != Kind::mit) return 0;
    std::vector<int32_t> descending(parent_arities.begin(), parent_arities.end());
    std::sort(descending.rbegin(), descending.rend());
    double before = 1.0;
    long double total = 0.0L;
    for (const int32_t arity : descending) {
        const double freedom = (child_arity - 1.0) * (arity - 1.0) * before;
        before *= arity;
        if (freedom > 0.0) total += options_.chi_squared.at(freedom);
    }
    return to_fixed(total, scale_bits_);
}

TermCache::Sum TermCache::of_cells(double cells, size_t size) {
    const bool few = cells <= kFewCells;
    const size_t place = static_cast<size_t>(few ? cells : 0.0) * score_.sizes() + size;
    if (few_.size() <= place) few_.resize(place + 1);
    Sum& found = few ? few_[place] : many_[score_.equal_cells(cells, size)];
    if (!found.term) {
        found = {&score_.cells(cells, size), score_.constant(cells)};
        filled_ += found.term->length();
    }
    return found;
}

const Term& TermCache::configurations(int child_arity) {
    const Term*& term = configurations_[child_arity];
    if (!term) term = &score_.configurations(child_arity);
    return *term;
}

const Term& TermCache::dirichlet(double cells) {
    const Term*& term = dirichlets_[cells];
    if (!term) {
        term = &score_.dirichlet(cells);
        filled_ += term->length();
    }
    return *term;
}

std::vector<long double> log_pair_regrets(int64_t rows) {
    // sum_h C(n,h) (h/n)^h ((n-h)/n)^(n-h) = sum_k n! / ((n-k)! n^k) = 1 + Q(n). The terms fall
    // like exp(-k^2 / 2n), so a few times sqrt(n) of them are enough. For larger n, Ramanujan's
    // expansion of Q is exact to more digits than a double has.
    constexpr int64_t kSummed = 4096;
    std::vector<long double> logs(index(rows) + 1, 0.0L);
    for (int64_t n = kSummed + 1; n <= rows; ++n) {
        const long double x = n, root = std::sqrt(std::numbers::pi_v<long double> / (2.0L * x));
        const long double q = root * (x + 1.0L / 12.0L + 1.0L / (288.0L * x)) - 1.0L / 3.0L -
                              4.0L / (135.0L * x) + 8.0L / (2835.0L * x * x);
        logs[index(n)] = std::log(1.0L + q);
    }
    for (int64_t n = 1; n <= std::min(rows, kSummed); ++n) {
        long double total = 0.0L, term = 1.0L;
        for (int64_t k = 0; k <= n && term > 1e-22L * total; ++k) {
            total += term;
            term *= static_cast<long double>(n - k) / static_cast<long double>(n);
        }
        logs[index(n)] = std::log(total);
    }
    return logs;
}

namespace {

/// Visits log C(r, n) for r = 2..last.
template <class Visit>
void visit_log_regrets(long double n, int64_t last, long double log_pair_regret,
                       const Visit& visit) {
    // C(r+2, n) = C(r+1, n) + n/r C(r, n) (Kontkanen and Myllymäki, 2007), as ratios so that
    // nothing overflows.
    long double log_regret = 0.0L;
    long double ratio = std::exp(log_pair_regret);  // C(2, n) / C(1, n)
    for (int64_t r = 2; r <= last; ++r) {
        log_regret += std::log(ratio);
        visit(r, static_cast<double>(log_regret));
        ratio = 1.0L + n / (static_cast<long double>(r - 1) * ratio);
    }
}

}  // namespace

std::vector<double> log_regrets(int64_t n, int64_t last, long double log_pair_regret) {
    std::vector<double> logs(index(last) + 1, 0.0);
    visit_log_regrets(static_cast<long double>(n), last, log_pair_regret,
                      [&](int64_t r, double value) { logs[index(r)] = value; });
    return logs;
}

double log_regret(long double n, int64_t r, long double log_pair_regret) {
    double last = 0.0;
    visit_log_regrets(n, r, log_pair_regret, [&](int64_t, double value) { last = value; });
    return last;
}

}  // namespace forebear
