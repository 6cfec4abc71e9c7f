// Tables and constraints from Python, checked on the way in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/index.h"
#include "common/parallel.h"
#include "scoring/engine.h"
#include "scoring/score.h"

namespace forebear {

using Bytes = nanobind::ndarray<const uint8_t, nanobind::c_contig, nanobind::device::cpu>;
using Words = nanobind::ndarray<const uint16_t, nanobind::c_contig, nanobind::device::cpu>;

using Longs = nanobind::ndarray<const int64_t, nanobind::ndim<1>, nanobind::c_contig,
                                nanobind::device::cpu>;

inline Kind kind_named(const std::string& name) {
    static const std::map<std::string, Kind> kinds = {
        {"bdeu", Kind::bdeu}, {"bds", Kind::bds},   {"k2", Kind::k2},
        {"ll", Kind::ll},     {"aic", Kind::aic},   {"bic", Kind::bic},
        {"fnml", Kind::fnml}, {"qnml", Kind::qnml}, {"mit", Kind::mit}};
    const auto found = kinds.find(name);
    if (found == kinds.end()) throw nanobind::value_error(("unknown score " + name).c_str());
    return found->second;
}

/// What stopped a run, for Python.
inline const char* stop_name(Stop stop) {
    switch (stop) {
        case Stop::none: return "done";
        case Stop::cancelled: return "cancelled";
        case Stop::out_of_memory: return "memory";
        case Stop::out_of_time: return "time";
    }
    return "";
}

inline void check_codes(const Table& table, Team& team) {
    for_each_item(team, table.n_variables(), [&](int v) {
        const int32_t end = table.arities[index(v)] + (table.missing ? 1 : 0);
        table.codes.visit(v, [&](const auto* column) {
            for (int64_t row = 0; row < table.codes.rows; ++row)
                if (column[row] >= end)
                    throw nanobind::value_error("a code is not less than its variable's arity");
        });
    });
}

/// The table keeps pointing to the arrays, which must outlive it. With `missing`, a code may be
/// equal to the arity. A table for some children may have no rows.
inline Table make_table(const nanobind::object& codes, std::vector<int32_t> arities, bool missing,
                        Team& team) {
    Table table;
    table.missing = missing;
    table.arities = std::move(arities);
    const size_t n = table.arities.size();
    const auto view = [&](const auto& array) {
        if (array.ndim() != 2 || array.shape(0) != n || n == 0)
            throw nanobind::value_error("codes must be variables x rows, with at least one variable");
        if (array.shape(1) > INT32_MAX)
            throw nanobind::value_error("the number of rows must fit in 31 bits");
        table.codes.rows = static_cast<int64_t>(array.shape(1));
        return array.data();
    };
    if (nanobind::isinstance<Bytes>(codes)) table.codes.narrow = view(nanobind::cast<Bytes>(codes));
    else if (nanobind::isinstance<Words>(codes))
        table.codes.wide = view(nanobind::cast<Words>(codes));
    else throw nanobind::type_error("codes must be a C-contiguous array of uint8 or uint16");
    check_codes(table, team);
    return table;
}

/// The number of times that each row counts.
inline std::span<const int64_t> check_weights(const Longs& weights, const Table& table) {
    const std::span<const int64_t> counts(weights.data(), weights.shape(0));
    int64_t total = 0;
    for (const int64_t count : counts) {
        if (count < 1 || count > INT32_MAX - total)
            throw nanobind::value_error(
                "weights must be at least 1, and their sum must fit in 31 bits");
        total += count;
    }
    if (counts.size() != index(table.codes.rows))
        throw nanobind::value_error("weights must have one number per row");
    return counts;
}

/// A table, and the array that it reads.
struct Packed {
    nanobind::object codes;
    std::shared_ptr<const PackedTable> table;
};

/// `prior` has the log prior of a set by its number of parents, or is empty.
inline ScoreOptions make_score_options(const Packed& packed, const std::string& score,
                                       std::vector<double> ess,
                                       std::map<double, double> chi_squared,
                                       std::vector<double> prior) {
    const Kind kind = kind_named(score);
    if (ess.empty() || ess.size() > (kind == Kind::bdeu ? Score::kMostSizes : 1))
        throw nanobind::value_error("only bdeu averages over equivalent sample sizes, up to 8");
    const bool fits = prior.empty() ||
                      (prior.size() == packed.table->table().arities.size() && prior[0] == 0.0 &&
                       std::is_sorted(prior.begin(), prior.end(), std::greater<>()));
    if (!fits)
        throw nanobind::value_error(
            "the prior must have one number per variable, start with 0 and never increase");
    return {kind, std::move(ess), std::move(chi_squared), std::move(prior)};
}

/// `allowed` and `useful` are None, or a matrix [child][parent]; `required` is empty, or has a list
/// per variable.
inline Constraints make_constraints(const nanobind::object& allowed, size_t n,
                                    std::vector<std::vector<int>> required = {},
                                    const nanobind::object& useful = nanobind::none(),
                                    int most_useful = 0) {
    if (!required.empty() && required.size() != n)
        throw nanobind::value_error("required must have one list per variable");
    Constraints constraints;
    constraints.required = std::move(required);
    const auto read = [&](const nanobind::object& arcs) -> std::vector<uint8_t> {
        if (arcs.is_none()) return {};
        const auto matrix = nanobind::cast<Bytes>(arcs);
        if (matrix.size() != n * n)
            throw nanobind::value_error("arcs must be variables x variables");
        return {matrix.data(), matrix.data() + matrix.size()};
    };
    constraints.allowed = read(allowed);
    constraints.useful = read(useful);
    constraints.most_useful = most_useful;
    return constraints;
}

}  // namespace forebear
