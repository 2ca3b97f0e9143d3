// SPDX-License-Identifier: Apache-2.0
// Brackets in prose.
#include "units/annotation.h"

#include <algorithm>

namespace orrery::units {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_unit_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%'; }
bool is_gap(char c) { return c == ' ' || c == '\t'; }

bool looks_like_unit(std::string_view text) {
  return text == "1" || std::any_of(text.begin(), text.end(), is_unit_letter);
}

}  // namespace

std::vector<Annotation> find_annotations(std::string_view remark) {
  std::vector<Annotation> found;
  std::size_t before = 0;  // what has been used
  for (std::size_t open = remark.find('['); open != std::string_view::npos; open = remark.find('[', open + 1)) {
    const std::size_t close = remark.find(']', open);
    if (close == std::string_view::npos) break;
    const std::string_view unit = remark.substr(open + 1, close - open - 1);
    if (!looks_like_unit(unit)) continue;
    std::size_t end = open;
    while (end > before && is_gap(remark[end - 1])) --end;
    std::size_t begin = end;
    while (begin > before && is_name_character(remark[begin - 1])) --begin;
    const std::string name(remark.substr(begin, end - begin));
    const std::string_view between = remark.substr(before, begin - before);
    const bool first = found.empty() && name.empty() &&
                       std::none_of(between.begin(), between.end(), [](char c) { return is_name_character(c); });
    if (!name.empty() || first) found.push_back({name, std::string(unit), open + 1});
    before = close + 1;
    open = close;
  }
  return found;
}

}  // namespace orrery::units
