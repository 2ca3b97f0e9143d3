// SPDX-License-Identifier: Apache-2.0
// The arguments of a call against the list in the builtin's row.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "oml/builtin.h"

namespace orrery::oml {
namespace {

using R = ArgumentRule;

std::uint32_t kind_bit(const Value& v) {
  switch (v.kind()) {
    case Kind::number:
    case Kind::boolean:
    case Kind::real:
    case Kind::logical:
    case Kind::range: return R::real;
    case Kind::sparse: return v.is_complex() ? R::complex : R::real;
    case Kind::complex: return R::complex;
    case Kind::chars: return R::text;
    case Kind::cell: return R::cell;
    case Kind::structure: return R::structure;
    case Kind::handle: return R::handle;
    default: return R::other;
  }
}

std::string joined(const std::vector<std::string>& parts, const char* last_separator) {
  std::string out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) out += k + 1 < parts.size() ? ", " : last_separator;
    out += parts[k];
  }
  return out;
}

std::vector<std::string> words_of(const ArgumentRule& r) {
  std::vector<std::string> out;
  std::string_view rest = r.words;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    out.emplace_back(rest.substr(0, slash));
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  return out;
}

std::string quoted_words(const ArgumentRule& r) {
  std::vector<std::string> quoted;
  for (const std::string& w : words_of(r)) quoted.push_back("'" + w + "'");
  return joined(quoted, " or ");
}

// "a real vector of positive integers", "a string": what the rule asks for.
std::string wanted(const ArgumentRule& r) {
  std::vector<std::string> kinds;
  if ((r.bits & R::kinds) == R::kinds) {
    kinds.emplace_back("any value");
    if (!r.words.empty()) kinds.push_back(quoted_words(r));
    return joined(kinds, " or ");
  }
  if (r.has(R::real | R::complex)) {
    std::string number = r.has(R::scalar)   ? "scalar"
                         : r.has(R::vector) ? "vector"
                         : r.has(R::square) ? "square matrix"
                         : r.has(R::matrix) ? "matrix"
                                            : "array";
    number = std::string(r.has(R::complex) ? "a numeric " : "a real ") + number;
    if (r.has(R::whole)) number += r.has(R::scalar) ? "" : " of integers";
    if (r.has(R::scalar) && r.has(R::whole))
      number = r.has(R::positive) ? "a positive integer" : r.has(R::counting) ? "a non-negative integer" : "an integer";
    else if (r.has(R::positive))
      number += " above zero";
    else if (r.has(R::counting))
      number += " not below zero";
    else if (r.has(R::probability))
      number += " between 0 and 1";
    kinds.push_back(number);
  }
  if (r.has(R::word) && !r.words.empty())
    kinds.push_back(quoted_words(r));
  else if (r.has(R::text | R::word))
    kinds.emplace_back("a string");
  if (r.has(R::cell)) kinds.emplace_back("a cell array");
  if (r.has(R::structure)) kinds.emplace_back("a struct");
  if (r.has(R::handle)) kinds.emplace_back("a function handle");
  if (r.has(R::nothing)) kinds.emplace_back("[]");
  return joined(kinds, " or ");
}

[[noreturn]] void refuse(int number, const ArgumentRule& r) { fail_argument(number, "must be " + wanted(r)); }

// The word of the list that the text spells, whatever the case of its letters.
void settle_word(int number, Value& v, const ArgumentRule& r) {
  const std::string given = one_text(v);
  const std::vector<std::string> words = words_of(r);
  const auto same = [&](const std::string& w) {
    return std::equal(w.begin(), w.end(), given.begin(), given.end(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
  };
  const auto it = std::find_if(words.begin(), words.end(), same);
  if (it != words.end())
    v = Value::text(*it);
  else if (words.empty() || r.has(R::open_word))
    v = Value::text(given);
  else
    refuse(number, r);
}

template <class Test>
bool every_element(const Value& v, Test test) {
  if (v.kind() == Kind::number || v.kind() == Kind::boolean) return test(v.number());
  if (v.is_complex()) return true;
  const Value numbers = to_real(v);
  return std::all_of(numbers.real().data.begin(), numbers.real().data.end(), test);
}

bool meets(const Value& v, const ArgumentRule& r) {
  const Dims d = v.dims();
  if (r.has(R::scalar) && v.numel() != 1) return false;
  if (r.has(R::vector) && !d.is_vector()) return false;
  if (r.has(R::matrix | R::square) && d.count() > 2) return false;
  if (r.has(R::square) && d.rows() != d.cols()) return false;
  if (r.has(R::whole) && !every_element(v, [](double x) { return x == std::floor(x) && std::isfinite(x); }))
    return false;
  if (r.has(R::positive) && !every_element(v, [](double x) { return x > 0; })) return false;
  if (r.has(R::probability) && !every_element(v, [](double x) { return !(x <= 0 || x >= 1); })) return false;
  return !r.has(R::counting) || every_element(v, [](double x) { return x >= 0; });
}

// One scalar or vector of sizes, or several scalars. Complex scalars count by their real part.
void check_sizes(Values& args, std::size_t first, bool only_real) {
  std::size_t last = args.size();
  while (last > first && is_class_name(args[last - 1])) --last;
  for (std::size_t k = first; k < last; ++k) {
    Value& v = args[k];
    const int number = static_cast<int>(k) + 1;
    if (v.kind() == Kind::symbolic) continue;
    if (!v.is_arithmetic()) fail_argument(number, "must be a number or a vector of sizes");
    if (last - first > 1 && v.numel() != 1) fail_argument(number, "must be a scalar");
    if (v.numel() == 0) fail_argument(number, "must not be empty");
    if (v.numel() > 1 && !v.dims().is_vector()) fail_argument(number, "must be a scalar or a vector of sizes");
    if (v.is_complex() && (v.numel() > 1 || only_real)) fail_argument(number, "must be a vector of real sizes");
    if (v.numel() == 1) v = Value(to_double(v));
  }
}

void check_argument(int number, Value& v, const ArgumentRule& r) {
  const std::uint32_t kind = kind_bit(v);
  if (r.has(R::nothing) && kind == R::real && v.numel() == 0) return;
  if (r.has(R::filled) && v.numel() == 0) fail_argument(number, "must not be empty");
  if ((r.bits & kind) == 0 || (kind == R::text && r.has(R::word))) {
    // Where numbers have a meaning of their own, only text is a word.
    const bool spelled = kind == R::text || !r.has(R::real | R::complex | R::cell);
    if (!r.has(R::word) || !spelled || (kind & (R::real | R::text | R::cell)) == 0) refuse(number, r);
    return settle_word(number, v, r);
  }
  if ((kind & (R::real | R::complex)) != 0 && !meets(v, r)) refuse(number, r);
}

}  // namespace

bool is_class_name(const Value& v) {
  static constexpr std::string_view names[] = {"double", "single", "float",  "int8",   "int16", "int32",
                                               "int64",  "uint8",  "uint16", "uint32", "uint64"};
  return v.is_text() && std::find(std::begin(names), std::end(names), one_text(v)) != std::end(names);
}

void check_arguments(const Arguments& rules, Values& args) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgumentRule* r = rules.rule(static_cast<int>(k));
    if (r == nullptr) return;
    if (r->bits == R::kinds || args[k].kind() == Kind::symbolic) continue;
    if (r->has(R::sizes)) return check_sizes(args, k, r->has(R::real_sizes));
    check_argument(static_cast<int>(k) + 1, args[k], *r);
  }
}

std::string argument_help(const Arguments& rules) {
  std::string out;
  for (int k = 0; k < rules.count; ++k) {
    const ArgumentRule& r = *rules.rule(k);
    const std::string what = r.has(R::sizes) ? "sizes of an array" : wanted(r);
    out += "  argument " + std::to_string(k + 1) + (rules.repeats && k + 1 == rules.count ? " and further ones" : "") +
           ": " + what + "\n";
  }
  return out;
}

std::vector<std::string> argument_words(const Arguments& rules) {
  std::vector<std::string> out;
  for (int k = 0; k < rules.count; ++k)
    for (std::string& w : words_of(*rules.rule(k))) out.push_back(std::move(w));
  return out;
}

}  // namespace orrery::oml
