// SPDX-License-Identifier: Apache-2.0
// Words of a command, read one by one.
#include "edit/words.h"

#include <charconv>
#include <cmath>

#include "model/limits.h"

namespace orrery::edit {
namespace {

struct Port {
  BlockPath block;
  int number;
};

Port port_of(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  Port port{block_path(word.substr(0, colon)), 1};
  if (colon == std::string::npos) return port;
  const char* end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data() + colon + 1, end, port.number);
  if (status != std::errc{} || stop != end || port.number < 1 || port.number > model::highest_port) {
    throw WordError{"\"" + word + "\" is not a port: write Block:1"};
  }
  return port;
}

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (!quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) {
      open = false;
      continue;
    }
    if (!open) {
      words.emplace_back();
      open = true;
    }
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '\\' && quoted && k + 1 < text.size()) {
      ++k;
      words.back() += text[k] == 'n' ? '\n' : text[k];
    } else {
      words.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return words;
}

const std::string& Words::peek() const {
  static const std::string nothing;
  return empty() ? nothing : words_[next_];
}

std::string Words::take(const char* what) {
  if (empty()) throw WordError{std::string("here must be ") + what};
  return words_[next_++];
}

bool Words::take_if(std::string_view word) {
  if (empty() || words_[next_] != word) return false;
  ++next_;
  return true;
}

BlockPath Words::block() { return block_path(take("the name of a block")); }

std::vector<BlockPath> Words::blocks() {
  std::vector<BlockPath> list;
  while (!empty() && peek() != "by" && peek() != "to") list.push_back(block());
  if (list.empty()) throw WordError{"here must be the name of a block"};
  return list;
}

std::string Words::diagram() {
  std::string path = take("the path of a super block");
  while (path.ends_with('/')) path.pop_back();
  if (!path.empty() && path[0] != '/') path.insert(0, "/");
  return path;
}

std::string Words::diagram_option() { return take_if("in") ? diagram() : std::string(); }

Branch Words::branch() {
  Branch result;
  result.activation = take_if("event");
  const Port from = port_of(take("the output that the link comes from, such as Gain:1"));
  take_if(">");
  const Port to = port_of(take("the input that the link goes to, such as Scope:1"));
  if (from.block.diagram != to.block.diagram) throw WordError{"both ends of a link are in one diagram"};
  result.diagram = from.block.diagram;
  result.from = {from.block.name, from.number};
  result.to = {to.block.name, to.number};
  return result;
}

Branch Words::port() {
  Branch result;
  result.activation = take_if("event");
  const Port from = port_of(take("a port, such as Gain:1"));
  result.diagram = from.block.diagram;
  result.from = {from.block.name, from.number};
  return result;
}

std::vector<double> Words::numbers(std::size_t least, std::size_t most, const char* what) {
  const std::string word = take(what);
  std::vector<double> list;
  const char *at = word.data(), *end = at + word.size();
  while (at < end) {
    double x = 0;
    const auto [stop, status] = std::from_chars(*at == '+' ? at + 1 : at, end, x);
    if (status != std::errc{} || !std::isfinite(x) || (stop < end && *stop != ','))
      throw WordError{"\"" + word + "\" is not " + what};
    list.push_back(x);
    at = stop < end ? stop + 1 : end;
  }
  if (list.size() < least || list.size() > most || word.ends_with(','))
    throw WordError{"\"" + word + "\" is not " + what};
  return list;
}

Point Words::point() {
  const auto list = numbers(2, 2, "a point X,Y");
  return {list[0], list[1]};
}

std::pair<std::string, std::string> Words::assignment() {
  const std::string word = take("NAME=VALUE");
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) throw WordError{"\"" + word + "\" is not of the form NAME=VALUE"};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::size_t Words::count(const char* what) {
  const auto list = numbers(1, 1, what);
  if (list[0] < 1 || list[0] > 1e9 || list[0] != std::floor(list[0]))
    throw WordError{std::string("here must be ") + what};
  return static_cast<std::size_t>(list[0]);
}

void Words::end() {
  if (!empty()) throw WordError{"\"" + peek() + "\" is one word too many"};
}

}  // namespace orrery::edit
