// Visits all sets of a few variables, with the counts of the contingency table of each.
//
// The variables are decided one after another: in the set, or not. Rows that agree on all variables
// in the set are a group, and rows of a group that also agree on all undecided variables are one
// atom, with a weight. A group of one atom is a cell whose count is final. The deeper the walk, the
// fewer atoms are left, so a set takes far less time than a pass over the rows.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"
#include "scoring/table.h"

namespace forebear {

/// How many cells there are of each count.
class Tally {
public:
    explicit Tally(int64_t rows)
        : cells_(index(rows) + 1), there_(index(rows) / 64 + 1), words_(there_.size() / 64 + 1) {}

    void add(int32_t count) {
        if (cells_[index(count)]++) return;
        there_[index(count) / 64] |= uint64_t{1} << (count % 64);
        words_[index(count) / 4096] |= uint64_t{1} << (count / 64 % 64);
    }
    void remove(int32_t count) {
        if (--cells_[index(count)]) return;
        uint64_t& word = there_[index(count) / 64];
        word &= ~(uint64_t{1} << (count % 64));
        if (!word) words_[index(count) / 4096] &= ~(uint64_t{1} << (count / 64 % 64));
    }
    /// Calls visit(count, cells) for every count that occurs.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (size_t w = 0; w < words_.size(); ++w)
            for (uint64_t words = words_[w]; words; words &= words - 1) {
                const size_t word = 64 * w + index(std::countr_zero(words));
                for (uint64_t bits = there_[word]; bits; bits &= bits - 1) {
                    const size_t count = 64 * word + index(std::countr_zero(bits));
                    visit(static_cast<int32_t>(count), cells_[count]);
                }
            }
    }

private:
    std::vector<int32_t> cells_;   // by count
    std::vector<uint64_t> there_;  // a bit for each count that occurs ...
    std::vector<uint64_t> words_;  // ... and for each word of these that is not zero
};

/// The variables of a walk, and what rows have in common. Threads share it.
class SubsetWalk {
public:
    static constexpr int kMostVariables = 31;

    /// The variables are decided in this order.
    SubsetWalk(const Table& table, std::vector<int> order);

    int size() const { return static_cast<int>(order_.size()); }
    int variable(int place) const { return order_[index(place)]; }
    int64_t bytes() const;

private:
    friend class Cells;
    friend class SubsetWalker;
    /// Of rows that agree on the variables from some place on: their state at that place, and the
    /// number of such rows at the next place. Numbers are in lexicographic order, in which this
    /// place comes last. So atoms that become one are neighbors.
    struct Step {
        uint32_t next;
        uint32_t state;
        bool operator==(const Step&) const = default;
    };
    struct Atom {
        uint32_t number;
        int32_t weight;
    };
    struct Groups {
        std::vector<Atom> atoms;       // group by group
        std::vector<uint32_t> starts;  // of every group, and the end of the last
    };
    std::vector<int> order_;
    std::vector<int32_t> arities_;          // of the table's variables in this order
    std::vector<std::vector<Step>> steps_;  // by place, then by number
    std::vector<Atom> atoms_;               // nothing decided
    int64_t total_;
};

/// The non-empty cells of the contingency table of a set: those whose counts were final before the
/// last place was decided, and the groups that were left, split by the last place or not.
class Cells {
public:
    /// Calls visit(count, cells) for all of them; a count may come several times.
    template <class Visit>
    void for_each(const Visit& visit) const {
        tally_.for_each(visit);
        if (split_) {
            for (const SubsetWalk::Atom& atom : groups_.atoms) visit(atom.weight, 1);
            return;
        }
        for (size_t g = 0; g + 1 < groups_.starts.size(); ++g) {
            int32_t weight = 0;
            for (size_t i = groups_.starts[g]; i < groups_.starts[g + 1]; ++i)
                weight += groups_.atoms[i].weight;
            visit(weight, 1);
        }
    }

private:
    friend class SubsetWalker;
    Cells(const Tally& tally, const SubsetWalk::Groups& groups, bool split)
        : tally_(tally), groups_(groups), split_(split) {}
    const Tally& tally_;
    const SubsetWalk::Groups& groups_;
    bool split_;
};

/// Walks, on one thread.
class SubsetWalker {
public:
    explicit SubsetWalker(const SubsetWalk& walk);

    /// Visits the sets whose members among the first `decided` places, which are not all, are those
    /// of `members`, by visit(members, cells), with members as bits of places. Asks stop() now and
    /// then.
    template <class Visit, class Stop>
    void run(uint32_t members, int decided, const Visit& visit, const Stop& stop) {
        const size_t before = final_.size();
        for (int place = 0; place < decided; ++place) decide(place, members >> place & 1);
        descend(members, decided, visit, stop);
        take_back(before);
    }

private:
    using Atom = SubsetWalk::Atom;
    using Groups = SubsetWalk::Groups;
    static constexpr int kPlacesBetweenStops = 10;  // below which a stop is not asked for

    template <class Visit, class Stop>
    void descend(uint32_t members, int place, const Visit& visit, const Stop& stop) {
        if (place + 1 == walk_.size()) {
            // Atoms differ in the last place alone, so nothing needs to be made for its cells.
            visit(members, Cells(tally_, groups_[index(place)], false));
            visit(members | uint32_t{1} << place, Cells(tally_, groups_[index(place)], true));
            return;
        }
        if (walk_.size() - place == kPlacesBetweenStops && stop()) return;
        const size_t before = final_.size();
        decide(place, false);
        descend(members, place + 1, visit, stop);
        take_back(before);
        decide(place, true);
        descend(members | uint32_t{1} << place, place + 1, visit, stop);
        take_back(before);
    }

    /// Makes the groups of the next place.
    void decide(int place, bool member) {
        if (member) split(place);
        else merge(place);
    }
    void merge(int place);
    void split(int place);
    void split_group(std::span<const Atom> from, const SubsetWalk::Step* steps, Groups& to);
    /// Ends a group whose atoms are the last: one atom is a cell.
    void end_group(Groups& to) {
        if (to.atoms.size() - to.starts.back() > 1) {
            to.starts.push_back(static_cast<uint32_t>(to.atoms.size()));
            return;
        }
        settle(to.atoms.back().weight);
        to.atoms.pop_back();
    }
    void settle(int32_t count) {
        tally_.add(count);
        final_.push_back(count);
    }
    void take_back(size_t size) {
        for (; final_.size() > size; final_.pop_back()) tally_.remove(final_.back());
    }

    const SubsetWalk& walk_;
    Tally tally_;
    std::vector<Groups> groups_;          // by place
    std::vector<int32_t> final_;          // counts in the tally, in the order of decisions
    std::vector<uint32_t> sizes_, seen_;  // of the groups that a group is split into
};

}  // namespace forebear
