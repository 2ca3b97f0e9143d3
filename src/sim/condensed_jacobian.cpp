// SPDX-License-Identifier: Apache-2.0
// Which loops a state reaches, and elimination by groups of states that reach different ones.
#include "sim/condensed_jacobian.h"

#include <algorithm>

namespace orrery::sim {
namespace {

void sort_once(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

CondensedJacobian::CondensedJacobian(const passes::Sparsity& model, std::size_t states,
                                     std::span<const std::size_t> loops)
    : model_(model), states_(states) {
  const auto unknowns = static_cast<std::size_t>(model.n) - states;
  find_reach(loops);
  find_pattern();
  colour_columns();
  inner_.n = static_cast<int>(unknowns);
  inner_.column_start = {0};
  for (std::size_t c = states; c < static_cast<std::size_t>(model.n); ++c) {
    for (int k = model.column_start[c]; k < model.column_start[c + 1]; ++k) {
      const int row = model.row[static_cast<std::size_t>(k)];
      if (row < static_cast<int>(states)) continue;
      inner_.row.push_back(row - static_cast<int>(states));
      inner_from_.push_back(static_cast<std::size_t>(k));
    }
    inner_.column_start.push_back(static_cast<int>(inner_.row.size()));
  }
  structure_ = std::make_unique<solve::ShiftedStructure>(inner_.n, inner_, solve::MassMatrix{});
  matrix_ = std::make_unique<solve::ShiftedMatrix<double>>(*structure_);
  inner_values_.resize(inner_.row.size());
  right_.resize(unknowns);
}

void CondensedJacobian::find_reach(std::span<const std::size_t> loops) {
  std::vector<std::uint32_t> loop_of;
  for (std::uint32_t l = 0; l < loops.size(); ++l) {
    first_.push_back(loop_of.size());
    loop_of.insert(loop_of.end(), loops[l], l);
  }
  first_.push_back(loop_of.size());
  std::vector<std::vector<std::uint32_t>> needs(loops.size());  // earlier loops
  sources_.resize(loops.size());
  for (std::size_t c = 0; c < static_cast<std::size_t>(model_.n); ++c) {
    for (int k = model_.column_start[c]; k < model_.column_start[c + 1]; ++k) {
      const auto row = static_cast<std::size_t>(model_.row[static_cast<std::size_t>(k)]);
      if (row < states_) continue;
      const std::uint32_t reader = loop_of[row - states_];
      if (c < states_) {
        sources_[reader].push_back(static_cast<std::uint32_t>(c));
      } else if (loop_of[c - states_] != reader) {
        needs[reader].push_back(loop_of[c - states_]);
      }
    }
  }
  reached_.resize(states_);
  for (std::uint32_t l = 0; l < loops.size(); ++l) {
    sort_once(needs[l]);
    for (const std::uint32_t other : needs[l]) {
      sources_[l].insert(sources_[l].end(), sources_[other].begin(), sources_[other].end());
    }
    sort_once(sources_[l]);
    for (const std::uint32_t c : sources_[l]) reached_[c].push_back(l);
  }
}

void CondensedJacobian::find_pattern() {
  std::vector<std::vector<std::uint32_t>> readers(first_.size() - 1);  // by loop: the derivatives that read it
  for (std::uint32_t l = 0; l + 1 < first_.size(); ++l) {
    for (std::size_t u = first_[l]; u < first_[l + 1]; ++u) {
      for (int k = model_.column_start[states_ + u]; k < model_.column_start[states_ + u + 1]; ++k) {
        const int row = model_.row[static_cast<std::size_t>(k)];
        if (row < static_cast<int>(states_)) readers[l].push_back(static_cast<std::uint32_t>(row));
      }
    }
    sort_once(readers[l]);
  }
  pattern_.n = static_cast<int>(states_);
  pattern_.column_start = {0};
  std::vector<std::uint32_t> rows;
  for (std::size_t c = 0; c < states_; ++c) {
    rows.clear();
    for (const std::uint32_t l : reached_[c]) rows.insert(rows.end(), readers[l].begin(), readers[l].end());
    for (int k = model_.column_start[c]; k < model_.column_start[c + 1]; ++k) {
      const int row = model_.row[static_cast<std::size_t>(k)];
      if (row < static_cast<int>(states_)) rows.push_back(static_cast<std::uint32_t>(row));
    }
    sort_once(rows);
    const std::size_t begin = pattern_.row.size();
    pattern_.row.insert(pattern_.row.end(), rows.begin(), rows.end());
    for (int k = model_.column_start[c]; k < model_.column_start[c + 1]; ++k) {
      const int row = model_.row[static_cast<std::size_t>(k)];
      if (row >= static_cast<int>(states_)) continue;
      const auto at = std::lower_bound(rows.begin(), rows.end(), static_cast<std::uint32_t>(row));
      direct_.emplace_back(static_cast<std::size_t>(k), begin + static_cast<std::size_t>(at - rows.begin()));
    }
    pattern_.column_start.push_back(static_cast<int>(pattern_.row.size()));
  }
}

void CondensedJacobian::colour_columns() {
  constexpr std::uint32_t uncoloured = UINT32_MAX;
  std::vector<std::uint32_t> colour(states_, uncoloured), marked;
  for (std::uint32_t c = 0; c < states_; ++c) {
    if (reached_[c].empty()) continue;
    for (const std::uint32_t l : reached_[c]) {
      for (const std::uint32_t other : sources_[l]) {
        if (colour[other] != uncoloured) marked[colour[other]] = c + 1;
      }
    }
    std::uint32_t free = 0;
    while (free < marked.size() && marked[free] == c + 1) ++free;
    if (free == marked.size()) {
      marked.push_back(0);
      together_.emplace_back();
    }
    colour[c] = free;
    together_[free].push_back(c);
  }
}

bool CondensedJacobian::evaluate(const double* model, double* values) {
  for (std::size_t k = 0; k < inner_values_.size(); ++k) inner_values_[k] = model[inner_from_[k]];
  if (!matrix_->factor(0, inner_values_.data())) return false;
  std::fill_n(values, pattern_.row.size(), 0.0);
  for (const auto& [from, to] : direct_) values[to] = model[from];
  const auto states = static_cast<int>(states_);
  for (const auto& columns : together_) {
    std::fill(right_.begin(), right_.end(), 0.0);
    for (const std::uint32_t c : columns) {
      for (int k = model_.column_start[c]; k < model_.column_start[c + 1]; ++k) {
        const int row = model_.row[static_cast<std::size_t>(k)];
        if (row >= states) right_[static_cast<std::size_t>(row - states)] = model[k];
      }
    }
    matrix_->solve(right_.data());  // of the negative matrix: the sign is that of the formula
    for (const std::uint32_t c : columns) {
      const int* begin = pattern_.row.data() + pattern_.column_start[c];
      const int* end = pattern_.row.data() + pattern_.column_start[c + 1];
      double* column = values + pattern_.column_start[c];
      for (const std::uint32_t l : reached_[c]) {
        for (std::size_t u = first_[l]; u < first_[l + 1]; ++u) {
          if (right_[u] == 0) continue;
          for (int k = model_.column_start[states_ + u]; k < model_.column_start[states_ + u + 1]; ++k) {
            const int row = model_.row[static_cast<std::size_t>(k)];
            if (row < states) column[std::lower_bound(begin, end, row) - begin] += model[k] * right_[u];
          }
        }
      }
    }
  }
  return true;
}

}  // namespace orrery::sim
