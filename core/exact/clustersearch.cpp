#include "exact/clustersearch.h"

namespace forebear {

namespace {

constexpr int kBudgetEvery = 256;  // nodes between two looks at the clock

/// Depth-first search over clusters that contain `start` and none of the variables ruled out. A
/// variable is inside, outside or open. The weight of the inside variables' sets without any inside
/// or open member is slim whatever is decided next, so a branch where it reaches 1 is cut off.
class ClusterSearch {
public:
    ClusterSearch(const Support& support, double violated, int64_t nodes, const Budget& budget)
        : support_(support),
          most_(1.0 - violated),
          nodes_(nodes),
          budget_(budget),
          state_(index(support.n()), kOpen) {}

    std::vector<int> find() {
        for (int start : support_.cyclic()) {
            state_[index(start)] = kInside;
            if (extend()) return members();
            if (nodes_ <= 0) return {};
            // Clusters that contain it have all been seen.
            state_[index(start)] = kOutside;
        }
        return {};
    }

private:
    enum State : uint8_t { kOpen, kInside, kOutside };

    std::vector<int> members() const {
        std::vector<int> result;
        for (int v : support_.cyclic())
            if (state_[index(v)] == kInside) result.push_back(v);
        return result;
    }

    /// Decides the open variables; true if the inside variables are then a violated cluster.
    bool extend() {
        if (--nodes_ <= 0 || (nodes_ % kBudgetEvery == 0 && budget_.spent())) {
            nodes_ = 0;
            return false;
        }
        std::vector<double> wanted(state_.size(), 0.0);
        double certain = 0.0, waiting = 0.0;
        int best = -1;
        for (int v : support_.cyclic()) {
            if (state_[index(v)] != kInside) continue;
            for (const SupportSet& set : support_.of(v)) {
                bool hit = false, open = false;
                for (int p : set.members) {
                    hit |= state_[index(p)] == kInside;
                    open |= state_[index(p)] == kOpen;
                }
                if (hit) continue;
                if (!open) {
                    certain += set.weight;
                    continue;
                }
                waiting += set.weight;
                for (int p : set.members)
                    if (state_[index(p)] == kOpen) {
                        wanted[index(p)] += set.weight;
                        if (best < 0 || wanted[index(p)] > wanted[index(best)]) best = p;
                    }
            }
        }
        if (certain >= most_) return false;
        if (certain + waiting < most_) return true;  // all others may stay outside
        for (const State state : {kInside, kOutside}) {
            state_[index(best)] = state;
            if (extend()) return true;
            if (nodes_ <= 0) break;
        }
        state_[index(best)] = kOpen;
        return false;
    }

    const Support& support_;
    double most_;
    int64_t nodes_;
    const Budget& budget_;
    std::vector<State> state_;
};

}  // namespace

std::vector<int> search_cluster(const Support& support, double violated, int64_t most_nodes,
                                const Budget& budget) {
    return ClusterSearch(support, violated, most_nodes, budget).find();
}

}  // namespace forebear
