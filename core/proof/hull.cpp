#include "proof/hull.h"

#include <cmath>
#include <limits>

#include "common/index.h"

namespace forebear {

namespace {

constexpr double kEntering = 1e-7;  // smaller reduced costs are rounding errors
constexpr double kPivot = 1e-9;     // smaller entries are no pivots
constexpr double kNearlyBest = 0.2;   // the value may miss the largest one by this share
constexpr int kMostPivots = 400;  // more take long, and seldom find a better cut
// The weights are changed by up to this, each by a different amount: the simplex method could
// otherwise stand still at a corner where many constraints meet.
constexpr double kPerturbation = 1e-6;

/// The simplex method on
///     minimize   sum of missing(j)
///     subject to sum over D of mix(D) D(j) + missing(j) - spare(j) = weight(j)    for each choice
///                sum over D of mix(D) = 1
/// where D runs over the acyclic combinations of choices. Those are too many to list: the one that
/// enters is found by dynamic programming over the subsets of the group. The dual prices are the
/// coefficients.
class Mixture {
public:
    Mixture(int size, const std::vector<GroupChoice>& choices)
        : choices_(choices),
          table_(size),
          rows_(choices.size() + 1),
          inverse_(rows_ * rows_, 0.0),
          basis_(rows_),
          value_(rows_),
          prices_(rows_),
          direction_(rows_) {
        for (size_t i = 0; i < rows_; ++i) inverse_[i * rows_ + i] = 1.0;
        for (size_t j = 0; j + 1 < rows_; ++j) {
            basis_[j] = true;
            const double share = static_cast<double>(j * 7919 % 1009 + 1) / 1010.0;
            value_[j] = choices[j].weight + kPerturbation * share;
        }
        basis_[rows_ - 1] = false;  // at first only the empty combination
        value_[rows_ - 1] = 1.0;
    }

    std::vector<double> coefficients(double violated) {
        std::vector<double> best;
        double most = violated;
        for (int pivots = 0; pivots < kMostPivots; ++pivots) {
            find_prices();
            if (missing() < violated) return {};
            if (enter_slack()) {
                if (!pivot()) break;
                continue;
            }
            const double own = solve();
            const std::vector<double> now = clipped();
            double sum = -own;
            for (size_t j = 0; j + 1 < rows_; ++j) sum += now[j] * choices_[j].weight;
            if (sum > most) {
                most = sum;
                best = now;
            }
            if (own + prices_[rows_ - 1] < kEntering || sum > (1.0 - kNearlyBest) * missing()) break;
            enter_combination();
            if (!pivot()) break;
        }
        return best;
    }

private:
    /// The sum that is minimized.
    double missing() const {
        double sum = 0.0;
        for (size_t i = 0; i < rows_; ++i)
            if (basis_[i]) sum += value_[i];
        return sum;
    }
    void find_prices() {
        std::fill(prices_.begin(), prices_.end(), 0.0);
        for (size_t i = 0; i < rows_; ++i)
            if (basis_[i])
                for (size_t j = 0; j < rows_; ++j) prices_[j] += inverse_[i * rows_ + j];
    }
    std::vector<double> clipped() const {
        std::vector<double> result(prices_.begin(), prices_.end() - 1);
        for (double& price : result) price = std::clamp(price, 0.0, 1.0);
        return result;
    }
    /// Lets the missing or spare amount of a choice enter whose price is outside [0, 1].
    bool enter_slack() {
        size_t which = rows_;
        double worst = kEntering;
        for (size_t j = 0; j + 1 < rows_; ++j)
            if (const double outside = std::max(prices_[j] - 1.0, -prices_[j]); outside > worst) {
                worst = outside;
                which = j;
            }
        if (which == rows_) return false;
        costs_ = prices_[which] > 1.0;
        sign_ = costs_ ? 1.0 : -1.0;
        entering_.assign(1, which);
        return true;
    }
    /// Fills the table from the clipped prices and returns the value of the best combination.
    double solve() {
        table_.clear();
        for (size_t j = 0; j + 1 < rows_; ++j) {
            double& own = table_.at(choices_[j].variable, choices_[j].parents);
            own = std::max(own, std::clamp(prices_[j], 0.0, 1.0));
        }
        table_.close_upwards();
        return table_.forward().back();
    }
    /// Lets that combination enter: it is read off the table, from the last variable to the first.
    void enter_combination() {
        entering_.assign(1, rows_ - 1);
        const std::vector<double>& best = table_.best();
        size_t left = table_.subsets() - 1;
        while (left) {
            int last = -1;
            double value = -std::numeric_limits<double>::infinity();
            for (int v = 0; v < table_.size(); ++v)
                if (const size_t before = left ^ size_t{1} << v; left >> v & 1)
                    if (best[before] + table_.at(v, before) > value) {
                        value = best[before] + table_.at(v, before);
                        last = v;
                    }
            left ^= size_t{1} << last;
            size_t chosen = rows_;
            double most = kEntering;
            for (size_t j = 0; j + 1 < rows_; ++j)
                if (choices_[j].variable == last && !(choices_[j].parents & ~left) &&
                    prices_[j] > most) {
                    most = prices_[j];
                    chosen = j;
                }
            if (chosen != rows_) entering_.push_back(chosen);
        }
        sign_ = 1.0;
        costs_ = false;
    }
    bool pivot() {
        for (size_t i = 0; i < rows_; ++i) {
            double sum = 0.0;
            for (size_t j : entering_) sum += inverse_[i * rows_ + j];
            direction_[i] = sign_ * sum;
        }
        size_t leaving = rows_;
        double step = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < rows_; ++i) {
            if (direction_[i] <= kPivot) continue;
            const double ratio = std::max(0.0, value_[i]) / direction_[i];
            if (ratio < step - kPivot ||
                (ratio < step + kPivot && direction_[i] > direction_[leaving])) {
                step = std::min(step, ratio);
                leaving = i;
            }
        }
        if (leaving == rows_) return false;
        const double by = 1.0 / direction_[leaving];
        double* const own = inverse_.data() + leaving * rows_;
        for (size_t j = 0; j < rows_; ++j) own[j] *= by;
        value_[leaving] = std::max(0.0, value_[leaving]) * by;
        for (size_t i = 0; i < rows_; ++i) {
            if (i == leaving || direction_[i] == 0.0) continue;
            double* const row = inverse_.data() + i * rows_;
            for (size_t j = 0; j < rows_; ++j) row[j] -= direction_[i] * own[j];
            value_[i] -= direction_[i] * value_[leaving];
        }
        basis_[leaving] = costs_;
        return true;
    }

    const std::vector<GroupChoice>& choices_;
    GroupTable<double> table_;
    size_t rows_;
    std::vector<double> inverse_;  // of the basis, by rows
    std::vector<char> basis_;      // whether the basic variable of a row is a missing amount
    std::vector<double> value_, prices_, direction_;
    std::vector<size_t> entering_;  // the column that enters has these rows, all with the same sign
    double sign_ = 1.0;
    bool costs_ = false;  // whether what enters is a missing amount
};

}  // namespace

std::vector<double> separate_from_hull(int size, const std::vector<GroupChoice>& choices,
                                       double violated) {
    return Mixture(size, choices).coefficients(violated);
}

}  // namespace forebear
