#include "posterior/sampler.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"

namespace forebear {

std::vector<Chain*> Ladder::by_temperature() {
    std::vector<Chain*> result;
    for (Chain& rung : rungs) result.push_back(&rung);
    std::sort(result.begin(), result.end(),
              [](const Chain* a, const Chain* b) { return a->beta() > b->beta(); });
    return result;
}

Chain& Ladder::coldest() {
    return *std::max_element(rungs.begin(), rungs.end(), [](const Chain& a, const Chain& b) {
        return a.beta() < b.beta();
    });
}

void Ladder::sweep() {
    for (Chain& rung : rungs) rung.sweep();
    if (rungs.size() > 1) {
        // Two neighbors by temperature try to exchange their networks.
        const std::vector<Chain*> by_beta = by_temperature();
        const size_t at = index(random.below(static_cast<int>(rungs.size()) - 1));
        Chain &cold = *by_beta[at], &warm = *by_beta[at + 1];
        const double ratio = (cold.beta() - warm.beta()) * (warm.score() - cold.score());
        ++exchanges[at].tried;
        if (ratio >= 0.0 || std::log(random.uniform()) < ratio) {
            cold.swap_temperature(warm);
            ++exchanges[at].accepted;
        }
    }
}

Sampler::Sampler(const ParentSetsView<uint16_t>& all, std::span<const double> betas,
                 Relations relations, std::span<const int32_t> starts,
                 std::span<const Random> seeds, double tail)
    : sets_(all), relations_(std::move(relations)) {
    for (const double beta : betas) weights_.emplace_back(sets_, beta);
    const size_t n = index(sets_.n());
    for (size_t c = 0; c < seeds.size(); ++c) {
        Ladder ladder{{}, seeds[c], {}, {}, std::vector<uint32_t>(index(sets_.total())), 0,
                      std::vector<MoveCounts>(betas.size() - 1)};
        for (size_t t = 0; t < betas.size(); ++t) {
            Random& from = ladder.random;
            const uint64_t seed[4] = {from(), from(), from(), from() | 1};
            ladder.rungs.emplace_back(sets_, weights_[t], relations_,
                                      starts.subspan((c * betas.size() + t) * n, n), tail,
                                      Random(seed));
        }
        ladders_.push_back(std::move(ladder));
    }
}

std::vector<int32_t> Sampler::networks() {
    std::vector<int32_t> result;
    for (Ladder& ladder : ladders_)
        for (const Chain* rung : ladder.by_temperature())
            result.insert(result.end(), rung->ranks().begin(), rung->ranks().end());
    return result;
}

void Sampler::advance(int64_t samples, int64_t thin, int threads, const Budget& budget) {
    for_each_item(chains(), threads, [&](int c) {
        Ladder& ladder = ladders_[index(c)];
        for (int64_t s = 0; s < samples; ++s) {
            for (int64_t t = 0; t < thin; ++t) {
                if (budget.spent()) return;
                ladder.sweep();
                const std::vector<int32_t>& ranks = ladder.coldest().ranks();
                for (int v = 0; v < sets_.n(); ++v)
                    ++ladder.visits[index(sets_.place(v, ranks[index(v)]))];
                ++ladder.sweeps;
            }
            const Chain& chain = ladder.coldest();
            ladder.ranks.insert(ladder.ranks.end(), chain.ranks().begin(), chain.ranks().end());
            ladder.scores.push_back(chain.score());
        }
    });
}

void Sampler::forget() {
    for (Ladder& ladder : ladders_) {
        ladder.ranks.clear();
        ladder.scores.clear();
        std::fill(ladder.visits.begin(), ladder.visits.end(), 0);
        ladder.sweeps = 0;
    }
}

void Sampler::halve() {
    const size_t n = index(sets_.n());
    for (Ladder& ladder : ladders_) {
        const size_t kept = ladder.scores.size() / 2;
        for (size_t s = 0; s < kept; ++s) {
            ladder.scores[s] = ladder.scores[2 * s + 1];
            std::copy_n(ladder.ranks.begin() + static_cast<int64_t>((2 * s + 1) * n), n,
                        ladder.ranks.begin() + static_cast<int64_t>(s * n));
        }
        ladder.scores.resize(kept);
        ladder.ranks.resize(kept * n);
    }
}

double Sampler::left_out() const {
    double most = 0.0;
    for (const Ladder& ladder : ladders_)
        for (const Chain& rung : ladder.rungs) most = std::max(most, rung.left_out());
    return most;
}

}  // namespace forebear
