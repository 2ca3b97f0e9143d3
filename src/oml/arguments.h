// SPDX-License-Identifier: Apache-2.0
// What the arguments of a builtin may be: written in its row as text, read by the compiler, checked before it runs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace orrery::oml {

// The demands on one argument. Kinds are alternatives, the other bits are demands on numbers.
struct ArgumentRule {
  enum Bits : std::uint32_t {
    real = 1u << 0,
    complex = 1u << 1,
    text = 1u << 2,
    cell = 1u << 3,
    structure = 1u << 4,
    handle = 1u << 5,
    other = 1u << 6,  // objects, environments
    kinds = 0x7f,
    word = 1u << 7,          // one text: of a matrix the first row, of a cell the first element, numbers are codes
    nothing = 1u << 8,       // [] is taken, whatever the demands
    scalar = 1u << 9,        // one element
    vector = 1u << 10,       // a row or column
    matrix = 1u << 11,       // two dimensions
    square = 1u << 12,       // as many rows as columns
    filled = 1u << 13,       // not empty, of any kind
    whole = 1u << 14,        // integers
    positive = 1u << 15,     // all above zero
    counting = 1u << 16,     // none below zero
    sizes = 1u << 17,        // this and all further arguments are sizes of an array, perhaps with a class name behind
    open_word = 1u << 18,    // words are suggestions
    real_sizes = 1u << 19,   // sizes that may not be complex
    probability = 1u << 20,  // between 0 and 1, both excluded
  };
  std::uint32_t bits = kinds;
  std::string_view words{};  // the texts allowed, separated by /

  constexpr bool has(std::uint32_t b) const { return (bits & b) != 0; }
};

// "number, dim|word:all": an item for each argument, words of demands separated by blanks; "..." repeats the last.
struct Arguments {
  static constexpr int capacity = 8;
  std::array<ArgumentRule, capacity> rules{};
  int count = 0;
  bool repeats = false;

  constexpr Arguments() = default;
  constexpr Arguments(const char* given) {  // NOLINT(google-explicit-constructor): rows are written as texts
    std::string_view spec(given);
    while (!spec.empty()) {
      const std::size_t comma = spec.find(',');
      std::string_view item = spec.substr(0, comma);
      spec = comma == std::string_view::npos ? std::string_view() : spec.substr(comma + 1);
      while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
      if (item == "...")
        repeats = true;
      else if (count >= capacity)
        throw "too many arguments";
      else
        rules[static_cast<std::size_t>(count++)] = rule_of(item);
    }
  }

  // The rule of argument k (from 0), or null when nothing is demanded.
  constexpr const ArgumentRule* rule(int k) const {
    if (k < count) return &rules[static_cast<std::size_t>(k)];
    return repeats && count > 0 ? &rules[static_cast<std::size_t>(count - 1)] : nullptr;
  }

 private:
  static constexpr ArgumentRule rule_of(std::string_view item) {
    ArgumentRule r;
    r.bits = 0;
    while (!item.empty()) {
      std::size_t end = 0;
      while (end < item.size() && item[end] != ' ') ++end;
      const std::string_view token = item.substr(0, end);
      item = end < item.size() ? item.substr(end + 1) : std::string_view();
      const std::size_t colon = token.find(':');
      if (colon != std::string_view::npos) r.words = token.substr(colon + 1);
      r.bits |= bits_of(token.substr(0, colon));
    }
    if ((r.bits & (ArgumentRule::kinds | ArgumentRule::word | ArgumentRule::nothing)) == 0)
      r.bits |= ArgumentRule::kinds;
    return r;
  }

  static constexpr std::uint32_t bits_of(std::string_view token) {
    using R = ArgumentRule;
    constexpr std::uint32_t dim = R::real | R::scalar | R::whole | R::positive;
    constexpr std::pair<std::string_view, std::uint32_t> known[] = {
        {"any", R::kinds},
        {"real", R::real},
        {"number", R::real | R::complex},
        {"codes", R::real | R::text},
        {"data", R::real | R::complex | R::text},
        {"text", R::text},
        {"texts", R::text | R::cell},
        {"word", R::word},
        {"option", R::word | R::open_word},
        {"cell", R::cell},
        {"struct", R::structure},
        {"handle", R::handle},
        {"function", R::handle | R::text},
        {"[]", R::nothing},
        {"scalar", R::scalar},
        {"vector", R::vector},
        {"matrix", R::matrix},
        {"square", R::square},
        {"filled", R::filled},
        {"whole", R::whole},
        {"positive", R::positive},
        {"counting", R::counting},
        {"sizes", R::sizes | R::kinds},
        {"realsizes", R::sizes | R::real_sizes | R::kinds},
        {"probability", R::probability},
        {"dim", dim},
        {"dim?", dim | R::nothing},
        {"count", R::real | R::scalar | R::whole | R::counting},
    };
    for (const auto& [name, bits] : known)
      if (name == token) return bits;
    throw "unknown word in a list of arguments";
  }
};

}  // namespace orrery::oml
