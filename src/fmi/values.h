// SPDX-License-Identifier: Apache-2.0
// Values of variables by name and text: what is set before a run, and what is read in every row.
#pragma once

#include <string>
#include <vector>

#include "fmi/description.h"
#include "fmi/instance.h"

namespace orrery::fmi {

// "y", "y[3]", "A[2,1]": the name of an element, counted from 1, last index fastest.
std::string element_name(const Description& description, const Variable& variable, std::uint64_t element);

// The elements of a value as numbers, after the negation of FMI 1.0 aliases; nothing, and a diagnostic, when the text
// is none of this type. Elements are separated by blanks, commas or semicolons; one element may stand for all.
std::optional<std::vector<double>> parse_numbers(const Description& description, const Variable& variable,
                                                 const std::string& text, Diagnostics& diagnostics);
// The number behind the name of an enumeration item.
std::optional<std::int64_t> item_value(const Description& description, const Variable& variable,
                                       const std::string& name);
// The bytes behind pairs of hexadecimal digits.
std::optional<std::string> from_hexadecimal(const std::string& text);
std::string to_hexadecimal(const std::string& bytes);
// Sets a variable from text: numbers, true/false, names of enumeration items, strings, binaries in hexadecimal digits.
Status set_value(Instance& instance, const Description& description, const Variable& variable, const std::string& text,
                 Diagnostics& diagnostics);

// Whether a variable may have a value set before a run; a text, whether it is a value of the variable.
bool may_be_set(const Variable& variable);
bool check_value(const Description& description, const Variable& variable, const std::string& text,
                 Diagnostics& diagnostics);

// Reads a fixed list of variables, few calls for all of them.
class Reader {
 public:
  Reader(const Description& description, const std::vector<const Variable*>& variables);

  std::size_t numbers() const { return numbers_; }  // columns of numbers
  std::size_t texts() const { return texts_; }      // columns of texts
  // Column names; is_text tells which list of the row the column is in.
  struct Column {
    std::string name;
    const Variable* variable;
    bool is_text;
    std::size_t place;  // among the numbers, or among the texts
    std::size_t exact;  // 64-bit integers stand among the texts too, digit by digit; otherwise no_index
  };
  const std::vector<Column>& columns() const { return columns_; }
  // Variables that have no value at the moment are NaN, or empty, and do not spoil the others; it is an error when none
  // has. Binaries are texts of hexadecimal digits.
  Status read(Instance& instance, double* number_row, std::string* text_row);
  // The first variable of the last row that had no value; empty: all had.
  const std::string& gap() const { return gap_; }
  const std::string& gap_call() const { return gap_call_; }  // that failed

 private:
  struct Group {
    Type type;
    std::vector<ValueReference> references;
    std::vector<const Variable*> variables;  // of each reference
    std::vector<std::size_t> sizes;          // of each reference
    std::vector<std::size_t> place;          // of each element
    std::vector<std::int8_t> negated;        // of each element
    std::vector<std::size_t> exact;          // of each element of 64-bit integers
    std::vector<double> numbers;
    std::vector<std::int64_t> integers;
    std::vector<std::string> texts;
  };
  static Status get(Instance& instance, Group& group, std::size_t first, std::size_t count, std::size_t at,
                    std::size_t elements);
  Status get_one_by_one(Instance& instance, Group& group, bool& any);
  void note_unwritten(const Instance& instance, const Group& group);

  std::vector<Group> groups_;
  std::string gap_, gap_call_;
  std::vector<Column> columns_;
  std::size_t numbers_ = 0, texts_ = 0;
};

}  // namespace orrery::fmi
