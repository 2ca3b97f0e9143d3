// SPDX-License-Identifier: Apache-2.0
// The structure of partial derivatives of an FMU's derivatives or of one output, and which columns go together.
#pragma once

#include <cstdint>
#include <vector>

#include "foreign/fmu_interface.h"

namespace orrery::foreign {

class FmuPartials {
 public:
  // A state, or an element of an input.
  struct Column {
    bool is_state = true;
    std::uint32_t index = 0;    // state, or input port
    std::uint32_t element = 0;  // of the port
  };
  struct Entry {
    std::uint32_t row;
    std::uint32_t place;  // in the list of partials
  };

  // rows[r]: on what element r of the result depends; the list of partials goes through the rows in order, in each
  // through the states, then through those of `inputs` that it depends on.
  FmuPartials(const FmuInterface& interface, const std::vector<blocks::ForeignDependencies>& rows,
              const std::vector<std::uint32_t>& inputs);

  std::size_t rows() const { return rows_; }
  std::size_t size() const { return size_; }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<Entry>& entries(std::size_t column) const { return entries_[column]; }
  // Columns that share no row. Those of discrete inputs are in none: in continuous time they do not change.
  const std::vector<std::vector<std::uint32_t>>& groups() const { return groups_; }

 private:
  void colour(const FmuInterface& interface);

  std::size_t rows_ = 0, size_ = 0;
  std::vector<Column> columns_;
  std::vector<std::vector<Entry>> entries_;
  std::vector<std::vector<std::uint32_t>> groups_;
};

}  // namespace orrery::foreign
