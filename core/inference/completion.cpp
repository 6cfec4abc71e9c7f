#include "inference/completion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace forebear {

namespace {

// The most cells of a table of the elimination: 8 MB. Rows that need more are sampled.
constexpr double kMostCells = 1 << 20;

// Sweeps of Gibbs sampling before the first copy, and between two copies. Successive states depend
// on each other; a few sweeps are enough to forget the random start.
constexpr int kFirstSweeps = 20, kSweeps = 3;

}  // namespace

/// Calls visit(cell, at) for all cells of some variables, the first of which varies fastest; `at`
/// is the index of the cell in a table with these strides.
template <class Visit>
void Completion::for_each_cell(const std::vector<int>& scope, const std::vector<size_t>& strides,
                               size_t at, const Visit& visit) const {
    size_t cells = 1;
    for (const int u : scope) cells *= index(network_.arities[index(u)]);
    std::vector<int32_t> digits(scope.size(), 0);
    for (size_t cell = 0; cell < cells; ++cell) {
        visit(cell, at);
        for (size_t i = 0; i < digits.size(); ++i) {
            at += strides[i];
            if (++digits[i] < network_.arities[index(scope[i])]) break;
            at -= strides[i] * index(digits[i]);
            digits[i] = 0;
        }
    }
}

Completion::Completion(const NetworkTables& network)
    : network_(network), children_(index(network.n())), marks_(index(network.n())) {
    for (int v = 0; v < network.n(); ++v)
        for (const int32_t p : network.parents[index(v)]) children_[index(p)].push_back(v);
}

double Completion::start_row(std::span<const int32_t> row) {
    missing_.clear();
    factors_.clear();
    eliminated_.clear();
    exact_ = true;
    log_probability_ = 0.0;
    for (int v = 0; v < network_.n(); ++v)
        if (row[index(v)] >= network_.arities[index(v)]) missing_.push_back(v);
    for (int v = 0; v < network_.n() && exact_; ++v) exact_ = slice(v, row);
    std::vector<uint8_t> left(index(network_.n()), 0);
    for (const int v : missing_) left[index(v)] = 1;
    for (size_t i = 0; i < missing_.size() && exact_; ++i) {
        const int next = cheapest(left);
        left[index(next)] = 0;
        exact_ = eliminate(next);
    }
    return exact_ ? log_probability_ : std::numeric_limits<double>::quiet_NaN();
}

bool Completion::slice(int v, std::span<const int32_t> row) {
    // The part of the table of v that is consistent with the observed values.
    const auto& parents = network_.parents[index(v)];
    const ConditionalTable& table = network_.tables[index(v)];
    Factor factor;
    std::vector<size_t> strides;
    size_t stride = 1, start = 0;
    const auto member = [&](int u) {
        const auto states = index(network_.arities[index(u)]);
        if (index(row[index(u)]) < states) {
            start += stride * index(row[index(u)]);
        } else {
            factor.scope.push_back(u);
            strides.push_back(stride);
        }
        stride *= states;
    };
    member(v);
    for (size_t i = parents.size(); i-- > 0;) member(parents[i]);
    if (factor.scope.empty()) {
        log_probability_ += std::log(table.at(start));
        return true;
    }
    double size = 1.0;
    for (const int u : factor.scope) size *= network_.arities[index(u)];
    if (size > kMostCells) return false;
    factor.values.resize(static_cast<size_t>(size));
    for_each_cell(factor.scope, strides, start,
                  [&](size_t cell, size_t at) { factor.values[cell] = table.at(at); });
    factors_.push_back(std::move(factor));
    return true;
}

double Completion::cells_of(int variable) const {
    double cells = 1.0;
    std::fill(marks_.begin(), marks_.end(), uint8_t{0});
    for (const Factor& factor : factors_) {
        if (std::find(factor.scope.begin(), factor.scope.end(), variable) == factor.scope.end())
            continue;
        for (const int u : factor.scope) {
            if (marks_[index(u)]) continue;
            marks_[index(u)] = 1;
            cells *= network_.arities[index(u)];
        }
    }
    return cells;
}

int Completion::cheapest(std::span<const uint8_t> left) const {
    int best = -1;
    double least = HUGE_VAL;
    for (const int v : missing_) {
        if (!left[index(v)]) continue;
        const double cells = cells_of(v);
        if (cells < least) {
            least = cells;
            best = v;
        }
    }
    return best;
}

bool Completion::eliminate(int variable) {
    // The product of all factors with this variable, which is the first in its scope.
    if (cells_of(variable) > kMostCells) return false;
    Factor product;
    product.scope.push_back(variable);
    std::vector<Factor> used;
    for (size_t i = 0; i < factors_.size();) {
        Factor& factor = factors_[i];
        const auto& scope = factor.scope;
        if (std::find(scope.begin(), scope.end(), variable) == scope.end()) {
            ++i;
            continue;
        }
        for (const int u : scope)
            if (std::find(product.scope.begin(), product.scope.end(), u) == product.scope.end())
                product.scope.push_back(u);
        used.push_back(std::move(factor));
        std::swap(factors_[i], factors_.back());
        factors_.pop_back();
    }
    size_t cells = 1;
    for (const int u : product.scope) cells *= index(network_.arities[index(u)]);
    product.values.assign(cells, 1.0);
    std::vector<size_t> steps(product.scope.size());
    for (const Factor& factor : used) {
        std::fill(steps.begin(), steps.end(), size_t{0});
        size_t stride = 1;
        for (const int u : factor.scope) {
            const auto found = std::find(product.scope.begin(), product.scope.end(), u);
            steps[index(found - product.scope.begin())] = stride;
            stride *= index(network_.arities[index(u)]);
        }
        for_each_cell(product.scope, steps, 0, [&](size_t cell, size_t at) {
            product.values[cell] *= factor.values[at];
        });
    }
    // Sum over the variable, and scale the result so that nothing underflows.
    const auto states = index(network_.arities[index(variable)]);
    Factor rest;
    rest.scope.assign(product.scope.begin() + 1, product.scope.end());
    rest.values.resize(cells / states);
    double largest = 0.0;
    for (size_t i = 0; i < rest.values.size(); ++i) {
        double sum = 0.0;
        for (size_t s = 0; s < states; ++s) sum += product.values[i * states + s];
        rest.values[i] = sum;
        largest = std::max(largest, sum);
    }
    log_probability_ += std::log(largest);
    if (largest > 0.0)
        for (double& value : rest.values) value /= largest;
    eliminated_.push_back(std::move(product));
    if (!rest.scope.empty()) factors_.push_back(std::move(rest));
    return true;
}

void Completion::draw(std::span<const int32_t> row, int copies, Random& random, int32_t* out) {
    for (int k = 0; k < copies; ++k) std::copy(row.begin(), row.end(), out + index(k) * row.size());
    if (missing_.empty()) return;
    if (exact_) draw_exactly(copies, random, out);
    else draw_by_gibbs(copies, random, out);
}

namespace {

/// Draws a state by a number in [0, 1); states of weight 0 are never drawn.
int32_t state_at(std::span<const double> weights, double uniform) {
    double total = 0.0;
    for (const double weight : weights) total += weight;
    if (!(total > 0.0)) return static_cast<int32_t>(uniform * static_cast<double>(weights.size()));
    double rest = uniform * total;
    int32_t last = 0;
    for (size_t s = 0; s < weights.size(); ++s) {
        if (!(weights[s] > 0.0)) continue;
        last = static_cast<int32_t>(s);
        rest -= weights[s];
        if (rest < 0.0) break;
    }
    return last;
}

}  // namespace

void Completion::draw_exactly(int copies, Random& random, int32_t* out) {
    const size_t n = index(network_.n());
    strata_.resize(index(copies));
    for (int k = 0; k < copies; ++k) strata_[index(k)] = k;
    for (size_t i = eliminated_.size(); i-- > 0;) {
        const Factor& factor = eliminated_[i];
        const int variable = factor.scope[0];
        const auto states = index(network_.arities[index(variable)]);
        // Stratified: one copy in each part of [0, 1), so that the frequencies in the copies are
        // close to the probabilities.
        shuffle(strata_, random);
        for (int k = 0; k < copies; ++k) {
            int32_t* const row = out + index(k) * n;
            size_t at = 0, stride = states;
            for (size_t j = 1; j < factor.scope.size(); ++j) {
                at += stride * index(row[factor.scope[j]]);
                stride *= index(network_.arities[index(factor.scope[j])]);
            }
            const double uniform = (strata_[index(k)] + random.uniform()) / copies;
            row[variable] = state_at({factor.values.data() + at, states}, uniform);
        }
    }
}

double Completion::conditional(int v, int32_t state, const int32_t* row) const {
    size_t at = 0;
    for (const int32_t p : network_.parents[index(v)])
        at = at * index(network_.arities[index(p)]) + index(row[p]);
    return network_.tables[index(v)].at(at * index(network_.arities[index(v)]) + index(state));
}

void Completion::draw_by_gibbs(int copies, Random& random, int32_t* out) {
    const size_t n = index(network_.n());
    std::vector<int32_t> row(out, out + n);
    for (const int v : missing_) row[index(v)] = random.below(network_.arities[index(v)]);
    const auto sweep = [&] {
        for (const int v : missing_) {
            weights_.clear();
            for (int32_t state = 0; state < network_.arities[index(v)]; ++state) {
                row[index(v)] = state;
                double weight = conditional(v, state, row.data());
                for (const int32_t child : children_[index(v)])
                    weight *= conditional(child, row[index(child)], row.data());
                weights_.push_back(weight);
            }
            row[index(v)] = state_at(weights_, random.uniform());
        }
    };
    for (int i = 0; i < kFirstSweeps; ++i) sweep();
    for (int k = 0; k < copies; ++k) {
        for (int i = 0; i < kSweeps; ++i) sweep();
        std::copy(row.begin(), row.end(), out + index(k) * n);
    }
}

}  // namespace forebear
