// SPDX-License-Identifier: Apache-2.0
// Text to value, and rows of values.
#include "fmi/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmi/caller.h"
#include "fmi/number_list.h"
#include "fmi/unwritten.h"

namespace orrery::fmi {

std::optional<std::int64_t> item_value(const Description& description, const Variable& variable,
                                       const std::string& name) {
  for (const TypeDefinition& type : description.types) {
    if (type.name != variable.declared_type) continue;
    for (const auto& [item, value] : type.items) {
      if (item == name) return value;
    }
  }
  return std::nullopt;
}

std::optional<std::string> from_hexadecimal(const std::string& text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string bytes;
  if (text.size() % 2 != 0) return std::nullopt;
  for (std::size_t k = 0; k < text.size(); k += 2) {
    const int high = digit(text[k]), low = digit(text[k + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string to_hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

namespace {

double negated(const Variable& variable, double value) {
  if (variable.alias != Alias::negated) return value;
  return variable.type == Type::boolean ? 1 - value : 0 - value;
}

bool is_integer(Type type) {
  return type != Type::float32 && type != Type::float64 && type != Type::boolean && type != Type::string &&
         type != Type::binary && type != Type::clock;
}

// Smallest and largest value of the integer types.
std::pair<double, double> range_of(Type type) {
  switch (type) {
    case Type::int8: return {-128, 127};
    case Type::uint8: return {0, 255};
    case Type::int16: return {-32768, 32767};
    case Type::uint16: return {0, 65535};
    case Type::int32: return {-2147483648.0, 2147483647.0};
    case Type::uint32: return {0, 4294967295.0};
    case Type::uint64: return {0, 18446744073709549568.0};
    default: return {-9223372036854775808.0, 9223372036854774784.0};
  }
}

std::optional<double> parse_one(const Description& description, const Variable& variable, const std::string& word) {
  if (variable.type == Type::boolean || variable.type == Type::clock) {
    if (const auto value = parse_boolean(word)) return *value ? 1 : 0;
    return std::nullopt;
  }
  if (variable.type == Type::enumeration) {
    if (const auto value = item_value(description, variable, word)) return static_cast<double>(*value);
  }
  auto value = parse_real(word);
  if (value && is_integer(variable.type)) {
    const auto [low, high] = range_of(variable.type);
    if (*value != std::floor(*value) || !(*value >= low && *value <= high)) return std::nullopt;
  }
  return value;
}

std::vector<std::string> elements_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == ';' || c == '[' || c == ']'; }, ' ');
  return split_list(text);
}

void report_value(const Variable& variable, const std::string& text, Diagnostics& diagnostics) {
  diagnostics.error("fmi-bad-value", {{}, 0, 0, {}, variable.name},
                    fmt::format("\"{}\" is not a value of type {}", text, name_of(variable.type)));
}

}  // namespace

std::string element_name(const Description& description, const Variable& variable, std::uint64_t element) {
  if (variable.dimensions.empty()) return variable.name;
  std::string indices;
  for (std::size_t k = variable.dimensions.size(); k-- > 0;) {
    Variable one;
    one.dimensions = {variable.dimensions[k]};
    const std::uint64_t size = std::max<std::uint64_t>(element_count(description, one), 1);
    indices = fmt::format("{}{}{}", element % size + 1, indices.empty() ? "" : ",", indices);
    element /= size;
  }
  return fmt::format("{}[{}]", variable.name, indices);
}

std::optional<std::vector<double>> parse_numbers(const Description& description, const Variable& variable,
                                                 const std::string& text, Diagnostics& diagnostics) {
  const std::vector<std::string> words =
      variable.dimensions.empty() ? std::vector<std::string>{text} : elements_of(text);
  const std::uint64_t count = element_count(description, variable);
  std::vector<double> values;
  for (const std::string& word : words) {
    const auto value = parse_one(description, variable, word);
    if (!value) {
      report_value(variable, word, diagnostics);
      return std::nullopt;
    }
    values.push_back(negated(variable, *value));
  }
  if (values.size() == 1 && count < 100'000'000) values.resize(count, values[0]);
  if (values.size() != count) {
    diagnostics.error("fmi-bad-value", {{}, 0, 0, {}, variable.name},
                      fmt::format("{} elements are given, but the variable has {}", values.size(), count));
    return std::nullopt;
  }
  return values;
}

Status set_value(Instance& instance, const Description& description, const Variable& variable, const std::string& text,
                 Diagnostics& diagnostics) {
  const Instance::References reference(&variable.reference, 1);
  if (variable.is_text()) {
    std::optional<std::string> value = text;
    if (variable.type == Type::binary) value = from_hexadecimal(text);
    if (!value) {
      report_value(variable, text, diagnostics);
      return Status::error;
    }
    const std::vector<std::string> all(std::min<std::uint64_t>(element_count(description, variable), 1'000'000),
                                       *value);
    return instance.set_texts(variable.type, reference, all);
  }
  if (variable.dimensions.empty() && (variable.type == Type::int64 || variable.type == Type::uint64)) {
    // Doubles do not hold all of them.
    if (const auto natural = parse_natural(text); natural && variable.type == Type::uint64) {
      const auto exact = static_cast<std::int64_t>(*natural);
      return instance.set_integers(variable.type, reference, {&exact, 1});
    }
    if (const auto exact = parse_integer(text); exact && variable.type == Type::int64) {
      return instance.set_integers(variable.type, reference, {&*exact, 1});
    }
  }
  const auto values = parse_numbers(description, variable, text, diagnostics);
  return values ? instance.set_numbers(variable.type, reference, *values) : Status::error;
}

bool may_be_set(const Variable& variable) {
  return variable.variability != Variability::constant && variable.causality != Causality::calculated_parameter &&
         variable.causality != Causality::independent;
}

bool check_value(const Description& description, const Variable& variable, const std::string& text,
                 Diagnostics& diagnostics) {
  // Doubles do not hold all integers of 64 bits.
  if (variable.type == Type::uint64 && variable.dimensions.empty() && parse_natural(text)) return true;
  if (variable.type == Type::int64 && variable.dimensions.empty() && parse_integer(text)) return true;
  if (!variable.is_text()) return parse_numbers(description, variable, text, diagnostics).has_value();
  const bool ok = variable.type != Type::binary || from_hexadecimal(text).has_value();
  if (!ok) report_value(variable, text, diagnostics);
  return ok;
}

Reader::Reader(const Description& description, const std::vector<const Variable*>& variables) {
  for (const Variable* variable : variables) {
    const Type type = variable->type;
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.type == type; });
    if (group == groups_.end()) {
      groups_.push_back({type, {}, {}, {}, {}, {}, {}, {}, {}, {}});
      group = groups_.end() - 1;
    }
    const std::uint64_t count = element_count(description, *variable);
    group->references.push_back(variable->reference);
    group->variables.push_back(variable);
    group->sizes.push_back(count);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::size_t place = variable->is_text() ? texts_++ : numbers_++;
      const bool wide = type == Type::int64 || type == Type::uint64;
      const std::size_t exact = wide ? texts_++ : no_index;
      columns_.push_back({element_name(description, *variable, k), variable, variable->is_text(), place, exact});
      group->place.push_back(place);
      if (wide) group->exact.push_back(exact);
      group->negated.push_back(variable->alias == Alias::negated ? 1 : 0);
    }
  }
  for (Group& group : groups_) {
    const bool text = group.type == Type::string || group.type == Type::binary;
    if (text) group.texts.resize(group.place.size());
    if (!text) group.numbers.resize(group.place.size());
    group.integers.resize(group.exact.size());
  }
}

// Elements from `at` on of `count` references.
Status Reader::get(Instance& instance, Group& group, std::size_t first, std::size_t count, std::size_t at,
                   std::size_t elements) {
  const Instance::References references = Instance::References(group.references).subspan(first, count);
  if (!group.texts.empty()) {
    return instance.get_texts(group.type, references, std::span(group.texts).subspan(at, elements));
  }
  if (!group.integers.empty()) {
    const std::span<std::int64_t> integers = std::span(group.integers).subspan(at, elements);
    std::fill(integers.begin(), integers.end(), 0);
    return instance.get_integers(group.type, references, integers);
  }
  const std::span<double> numbers = std::span(group.numbers).subspan(at, elements);
  std::fill(numbers.begin(), numbers.end(), unwritten_number);
  return instance.get_numbers(group.type, references, numbers);
}

// An FMU may say ok and write nothing.
void Reader::note_unwritten(const Instance& instance, const Group& group) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < group.references.size() && gap_.empty(); at += group.sizes[k], ++k) {
    const auto begin = group.numbers.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(group.sizes[k]);
    if (std::all_of(begin, end, [](double number) { return is_written(number); })) continue;
    gap_ = group.variables[k]->name;
    gap_call_ = instance.last_call();
  }
}

// Sets `any` when a variable has a value.
Status Reader::get_one_by_one(Instance& instance, Group& group, bool& any) {
  std::size_t at = 0;
  Status worst = Status::ok;
  for (std::size_t k = 0; k < group.references.size(); at += group.sizes[k], ++k) {
    const Status status = get(instance, group, k, 1, at, group.sizes[k]);
    any = any || succeeded(status);
    if (succeeded(status)) continue;
    if (status == Status::fatal) return status;
    worst = std::max(worst, status);
    if (gap_.empty()) gap_ = group.variables[k]->name, gap_call_ = instance.last_call();
    for (std::size_t element = at; element < at + group.sizes[k]; ++element) {
      if (!group.texts.empty()) group.texts[element].clear();
      if (!group.integers.empty()) group.integers[element] = 0;
      if (!group.numbers.empty()) group.numbers[element] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return worst;
}

Status Reader::read(Instance& instance, double* number_row, std::string* text_row) {
  gap_.clear();
  Status worst = Status::ok;
  bool any = groups_.empty();
  for (Group& group : groups_) {
    Status status = get(instance, group, 0, group.references.size(), 0, group.place.size());
    any = any || succeeded(status);
    if (status == Status::discard || status == Status::error) status = get_one_by_one(instance, group, any);
    if (status == Status::fatal) return status;
    if (!succeeded(status)) worst = std::max(worst, status);
    if (!group.numbers.empty()) note_unwritten(instance, group);
    for (std::size_t k = 0; k < group.place.size(); ++k) {
      if (!group.texts.empty()) {
        text_row[group.place[k]] = group.type == Type::binary ? to_hexadecimal(group.texts[k]) : group.texts[k];
      } else if (!group.integers.empty()) {
        const std::int64_t value = group.integers[k];
        const bool natural = group.type == Type::uint64;
        const auto bits = static_cast<std::uint64_t>(value);
        number_row[group.place[k]] = natural ? static_cast<double>(bits) : static_cast<double>(value);
        text_row[group.exact[k]] = natural ? std::to_string(bits) : std::to_string(value);
      } else {
        const double value = group.numbers[k];
        const bool boolean = group.type == Type::boolean;
        number_row[group.place[k]] = group.negated[k] == 0 ? value : boolean ? 1 - value : 0 - value;
      }
    }
  }
  return worst == Status::error && !any ? worst : Status::ok;
}

}  // namespace orrery::fmi
