#include "scoring/subsetwalk.h"

#include <algorithm>
#include <numeric>

namespace forebear {

SubsetWalk::SubsetWalk(const Table& table, std::vector<int> order)
    : order_(std::move(order)), steps_(order_.size()), total_(table.total) {
    for (const int v : order_) arities_.push_back(table.arities[index(v)]);
    // From the last place on: rows are numbered by their number at the next place, then by state.
    std::vector<uint32_t> number(index(table.codes.rows), 0), rows(number.size());
    if (number.empty()) {  // one atom of no row, so that every set has a cell
        for (std::vector<Step>& steps : steps_) steps.push_back({0, 0});
        atoms_.push_back({0, 0});
        return;
    }
    for (size_t place = order_.size(); place-- > 0;) {
        std::iota(rows.begin(), rows.end(), 0u);
        table.codes.visit(order_[place], [&](const auto* column) {
            std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
                return number[a] != number[b] ? number[a] < number[b] : column[a] < column[b];
            });
            std::vector<uint32_t> finer(rows.size());
            for (const uint32_t row : rows) {
                const Step own{number[row], column[row]};
                std::vector<Step>& steps = steps_[place];
                if (steps.empty() || steps.back() != own) steps.push_back(own);
                finer[row] = static_cast<uint32_t>(steps.size() - 1);
            }
            number = std::move(finer);
        });
    }
    const uint32_t last = *std::max_element(number.begin(), number.end());
    for (uint32_t i = 0; i <= last; ++i) atoms_.push_back({i, 0});
    for (uint32_t row = 0; row < number.size(); ++row)
        atoms_[number[row]].weight += int32_t{1} << table.codes.shift(row);
}

int64_t SubsetWalk::bytes() const {
    size_t bytes = atoms_.size() * sizeof(Atom);
    for (const auto& own : steps_) bytes += own.size() * sizeof(Step);
    return static_cast<int64_t>(bytes);
}

SubsetWalker::SubsetWalker(const SubsetWalk& walk)
    : walk_(walk),
      tally_(walk.total_),
      groups_(walk.order_.size() + 1),
      sizes_(index(*std::max_element(walk.arities_.begin(), walk.arities_.end()))) {
    groups_[0].atoms = walk.atoms_;
    groups_[0].starts.push_back(0);
    end_group(groups_[0]);
}

void SubsetWalker::merge(int place) {
    const Groups& from = groups_[index(place)];
    Groups& to = groups_[index(place) + 1];
    const SubsetWalk::Step* steps = walk_.steps_[index(place)].data();
    to.atoms.clear();
    to.starts.assign(1, 0);
    for (size_t g = 0; g + 1 < from.starts.size(); ++g) {
        for (size_t i = from.starts[g]; i < from.starts[g + 1]; ++i) {
            const Atom atom = from.atoms[i];
            const uint32_t next = steps[atom.number].next;
            if (to.atoms.size() > to.starts.back() && to.atoms.back().number == next)
                to.atoms.back().weight += atom.weight;
            else to.atoms.push_back({next, atom.weight});
        }
        end_group(to);
    }
}

void SubsetWalker::split(int place) {
    const Groups& from = groups_[index(place)];
    Groups& to = groups_[index(place) + 1];
    const SubsetWalk::Step* steps = walk_.steps_[index(place)].data();
    to.atoms.clear();
    to.starts.assign(1, 0);
    for (size_t g = 0; g + 1 < from.starts.size(); ++g) {
        const size_t size = from.starts[g + 1] - from.starts[g];
        split_group(std::span(from.atoms).subspan(from.starts[g], size), steps, to);
    }
}

void SubsetWalker::split_group(std::span<const Atom> from, const SubsetWalk::Step* steps,
                               Groups& to) {
    seen_.clear();
    for (const Atom& atom : from) {
        const uint32_t state = steps[atom.number].state;
        if (sizes_[state]++ == 0) seen_.push_back(state);
    }
    if (seen_.size() == from.size()) {  // each for itself
        for (const Atom& atom : from) settle(atom.weight);
        for (const uint32_t state : seen_) sizes_[state] = 0;
        return;
    }
    // The number of atoms in each state becomes the place for them; a single one is a cell.
    constexpr uint32_t kSingle = UINT32_MAX;
    auto end = static_cast<uint32_t>(to.atoms.size());
    for (const uint32_t state : seen_) {
        const uint32_t size = sizes_[state];
        sizes_[state] = size == 1 ? kSingle : end;
        if (size == 1) continue;
        end += size;
        to.starts.push_back(end);
    }
    to.atoms.resize(end);
    for (const Atom& atom : from) {
        const SubsetWalk::Step step = steps[atom.number];
        if (sizes_[step.state] == kSingle) settle(atom.weight);
        else to.atoms[sizes_[step.state]++] = {step.next, atom.weight};
    }
    for (const uint32_t state : seen_) sizes_[state] = 0;
}

}  // namespace forebear
