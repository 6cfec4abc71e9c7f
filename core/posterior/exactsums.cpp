#include "posterior/exactsums.h"

#include <bit>
#include <stdexcept>

#include "common/index.h"
#include "posterior/wide.h"

namespace forebear {

namespace {

using Real = Wide;  // the sums of a table of 1,000 rows span thousands of nats

/// The subsets of a set of variables, as sums of single bits: places[r] is subset number r.
void list_subsets(uint32_t set, std::vector<uint32_t>& places) {
    places.assign(1, 0);
    for (uint32_t left = set; left != 0; left &= left - 1) {
        const uint32_t bit = left & (~left + 1);
        const size_t size = places.size();
        for (size_t r = 0; r < size; ++r) places.push_back(places[r] | bit);
    }
}

/// products[r]: the product of the factors in subset number r.
void multiply_subsets(const std::vector<Real>& factors, std::vector<Real>& products) {
    products.assign(1, 1.0);
    for (const Real factor : factors) {
        const size_t size = products.size();
        for (size_t r = 0; r < size; ++r) products.push_back(products[r] * factor);
    }
}

class Sums {
public:
    Sums(int n) : n_(n), size_(size_t{1} << n), allowed_(index(n) * size_) {}

    /// The sum of the weights of v's sets within a set of variables.
    Real& allowed(int v, uint32_t set) { return allowed_[index(v) * size_ + set]; }

    void add_subsets() {
        for (int v = 0; v < n_; ++v)
            for (int bit = 0; bit < n_; ++bit)
                for (uint32_t set = 0; set < size_; ++set)
                    if (set >> bit & 1) allowed(v, set) += allowed(v, set ^ 1u << bit);
    }

    /// networks_[S] sums over the networks of S. The variables without children are some R: by
    /// inclusion and exclusion, it is the sum over R of (-1)^(|R|+1) networks_[S - R] times the
    /// sets that R's members have within S - R. Returns false if the budget is spent.
    bool forward(const Budget& budget) {
        networks_.assign(size_, 0.0);
        networks_[0] = 1.0;
        for (uint32_t set = 0; set + 1 < size_; ++set) {
            if ((set & 255) == 0 && budget.spent()) return false;
            if (networks_[set].zero()) continue;
            prepare(set);
            const Real own = networks_[set];
            for (size_t r = 1; r < places_.size(); ++r)
                networks_[set | places_[r]] -= own * products_[r];
        }
        return true;
    }

    /// Replaces allowed() by the derivatives of the sum over all networks.
    bool backward(const Budget& budget) {
        std::vector<Real> slopes(size_, 0.0), folded;
        slopes[size_ - 1] = 1.0;
        for (uint32_t set = static_cast<uint32_t>(size_ - 1); set-- > 0;) {
            if ((set & 255) == 0 && budget.spent()) return false;
            prepare(set);
            folded.assign(places_.size(), 0.0);
            for (size_t r = 1; r < places_.size(); ++r) folded[r] = slopes[set | places_[r]];
            // Folding away the last variable leaves a polynomial of the others.
            for (size_t k = variables_.size(); k-- > 0;) {
                const size_t half = size_t{1} << k;
                Real slope = 0.0;
                for (size_t r = 0; r < half; ++r) slope += products_[r] * folded[half + r];
                for (size_t r = 0; r < half; ++r) folded[r] += factors_[k] * folded[half + r];
                allowed(variables_[k], set) = networks_[set] * slope;
            }
            slopes[set] = -folded[0];
        }
        for (int v = 0; v < n_; ++v)
            for (uint32_t set = 0; set < size_; ++set)
                if (set >> v & 1) allowed(v, set) = 0.0;
        return true;
    }

    void add_supersets() {
        for (int v = 0; v < n_; ++v)
            for (int bit = 0; bit < n_; ++bit)
                for (uint32_t set = 0; set < size_; ++set)
                    if (!(set >> bit & 1)) allowed(v, set) += allowed(v, set | 1u << bit);
    }

    Real total() const { return networks_[size_ - 1]; }

private:
    /// Lists the variables outside a set, minus the weights of their sets within it, and products.
    void prepare(uint32_t set) {
        const uint32_t rest = static_cast<uint32_t>(size_ - 1) & ~set;
        variables_.clear();
        factors_.clear();
        for (uint32_t left = rest; left != 0; left &= left - 1) {
            variables_.push_back(std::countr_zero(left));
            factors_.push_back(-allowed(variables_.back(), set));
        }
        list_subsets(rest, places_);
        multiply_subsets(factors_, products_);
    }

    int n_;
    size_t size_;
    std::vector<Real> allowed_, networks_;
    std::vector<int> variables_;
    std::vector<Real> factors_, products_;
    std::vector<uint32_t> places_;
};

}  // namespace

template <class Id>
ExactSums exact_sums(const ParentSetsView<Id>& sets, std::span<const double> scale,
                     const Budget& budget) {
    const int n = sets.n();
    if (n > kMostExactVariables) throw std::invalid_argument("too many variables");
    ExactSums result;
    Sums sums(n);
    const auto mask = [&](int64_t place) {
        uint32_t set = 0;
        for (int k = 0; k < sets.slots && sets.parent(k, place) != sets.kNone; ++k)
            set |= 1u << sets.parent(k, place);
        return set;
    };
    const auto weight = [&](int v, int64_t place) {
        return Real::exp(sets.scores[index(place)] - scale[index(v)]);
    };
    const auto for_each_set = [&](const auto& visit) {
        for (int v = 0; v < n; ++v)
            for (int64_t place = sets.offsets[index(v)]; place < sets.offsets[index(v) + 1]; ++place)
                visit(v, place);
    };
    for_each_set([&](int v, int64_t place) { sums.allowed(v, mask(place)) += weight(v, place); });
    sums.add_subsets();
    if (!sums.forward(budget)) return result;
    const Real total = sums.total();
    if (!total.positive() || !total.finite())
        throw std::overflow_error("the weights of networks span too wide a range");
    result.log_total = total.log();
    for (const double own : scale) result.log_total += own;
    if (!sums.backward(budget)) return result;
    sums.add_supersets();
    result.probabilities.resize(index(sets.total()));
    for_each_set([&](int v, int64_t place) {
        const Real share = weight(v, place) * sums.allowed(v, mask(place)) / total;
        if (!share.finite())
            throw std::overflow_error("the weights of networks span too wide a range");
        result.probabilities[index(place)] = static_cast<double>(share);
    });
    result.finished = true;
    return result;
}

template ExactSums exact_sums(const ParentSetsView<uint16_t>&, std::span<const double>,
                              const Budget&);

}  // namespace forebear
