// SPDX-License-Identifier: Apache-2.0
// Reading, writing and deleting parts of arrays: a(i,j), a(i,j) = v, a(i) = [].
#pragma once

#include <span>

#include "oml/value.h"

namespace orrery::oml {

// One subscript as zero-based positions, without storing them when they form a progression.
class Subscript {
 public:
  // `extent`: number of positions of the dimension, which a colon stands for.
  Subscript(const Value& v, Index extent);

  Index count() const { return count_; }
  Index operator[](Index i) const { return list_.empty() ? first_ + i * step_ : list_[static_cast<std::size_t>(i)]; }
  Index highest() const { return highest_; }  // largest position + 1
  bool is_colon() const { return colon_; }
  bool is_mask() const { return mask_; }
  const Dims& shape() const { return shape_; }

 private:
  void from_mask(const ByteArray& mask);
  bool colon_ = false, mask_ = false;
  Index count_ = 0, first_ = 0, step_ = 1, highest_ = 0;
  std::vector<Index> list_;
  Dims shape_;
};

Value index_value(const Value& v, std::span<const Value> subscripts);
// The elements a brace index selects, appended to out.
void index_cell(const Value& cell, std::span<const Value> subscripts, Values& out);
void assign_index(Value& target, std::span<const Value> subscripts, Value value);
void delete_elements(Value& target, std::span<const Value> subscripts);
// The value of `end` at position k of n subscripts.
Index end_value(const Value& v, int position, int count);
// One element to write into, growing the array as needed; the cell or struct array is made when target is empty.
Value& cell_element(Value& target, std::span<const Value> subscripts);
Value& struct_field(Value& target, std::span<const Value> subscripts, const std::string& field);
// The single linear position the subscripts name, growing nothing; error when they name several.
Index single_position(const Dims& dims, std::span<const Value> subscripts);
// Sizes grown so that the subscripts fit.
void grow(Value& target, const Dims& dims);

Value sparse_index(const Value& v, std::span<const Value> subscripts);

// Glues values of one row (horizontally) or rows (vertically), or along dimension `dim` (0-based). Rows of text are
// padded with blanks to one length when `pad_text` is set.
Value concatenate(std::span<const Value> parts, int dim, bool pad_text = true);

}  // namespace orrery::oml
