// SPDX-License-Identifier: Apache-2.0
// Reads a table of elements and holds a document against it.
#include "fmi/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/check.h"
#include "fmi/number_list.h"

namespace orrery::fmi {
namespace {

struct AttributeRule {
  std::string_view name, type;
  bool required = false;
};

struct ChildRule {
  struct Choice {
    std::string_view name, line;
  };
  std::vector<Choice> choices;
  bool required = true, many = false;

  const Choice* find(std::string_view name) const {
    const auto found = std::find_if(choices.begin(), choices.end(), [&](const Choice& c) { return c.name == name; });
    return found == choices.end() ? nullptr : &*found;
  }
};

struct ElementRule {
  std::string_view section;
  std::vector<AttributeRule> attributes;
  std::vector<ChildRule> children;
  bool anything = false;

  const AttributeRule* attribute(std::string_view name) const {
    const auto found =
        std::find_if(attributes.begin(), attributes.end(), [&](const AttributeRule& a) { return a.name == name; });
    return found == attributes.end() ? nullptr : &*found;
  }
};

// Cuts at any of the separators; pieces are never empty.
std::vector<std::string_view> pieces_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) pieces.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return pieces;
}

AttributeRule attribute_rule(std::string_view word) {
  AttributeRule rule;
  const std::size_t colon = std::min(word.find(':'), word.size());
  rule.name = word.substr(0, colon);
  if (colon < word.size()) rule.type = word.substr(colon + 1);
  rule.required = rule.name.ends_with('!');
  if (rule.required) rule.name.remove_suffix(1);
  return rule;
}

ChildRule child_rule(std::string_view word) {
  ChildRule rule;
  const char sign = word.back();
  if (sign == '?' || sign == '*' || sign == '+') word.remove_suffix(1);
  rule.required = sign != '?' && sign != '*';
  rule.many = sign == '*' || sign == '+';
  for (const std::string_view choice : pieces_of(word, "|")) {
    const std::size_t equals = choice.find('=');
    if (equals == std::string_view::npos) {
      rule.choices.push_back({choice, choice});
    } else {
      rule.choices.push_back({choice.substr(0, equals), choice.substr(equals + 1)});
    }
  }
  return rule;
}

class Schema {
 public:
  explicit Schema(std::string_view table) {
    for (const std::string_view line : pieces_of(table, "\n")) {
      const bool continued = line.front() == ' ';
      std::vector<std::string_view> words = pieces_of(line, " ");
      if (!continued) {
        ORRERY_CHECK(words.size() >= 2);
        if (root_.empty()) root_ = words[0];
        rule_ = &rules_[words[0]];
        rule_->section = words[1] == "-" ? std::string_view() : words[1];
        words.erase(words.begin(), words.begin() + 2);
        in_children_ = false;
      }
      for (const std::string_view word : words) add(word);
    }
  }

  std::string_view root() const { return root_; }
  const ElementRule& rule(std::string_view line) const {
    const auto found = rules_.find(line);
    ORRERY_CHECK(found != rules_.end());
    return found->second;
  }

 private:
  void add(std::string_view word) {
    if (word == ">") {
      in_children_ = true;
    } else if (word == "...") {
      rule_->anything = true;
    } else if (in_children_) {
      rule_->children.push_back(child_rule(word));
    } else if (word.front() == '%') {
      const std::vector<AttributeRule>& group = rule(word).attributes;
      rule_->attributes.insert(rule_->attributes.end(), group.begin(), group.end());
    } else {
      rule_->attributes.push_back(attribute_rule(word));
    }
  }

  std::map<std::string_view, ElementRule> rules_;
  std::string_view root_;
  ElementRule* rule_ = nullptr;
  bool in_children_ = false;
};

bool is_whole(std::string_view type, std::string_view text) {
  const bool natural = type.starts_with("uint");
  const int bits = static_cast<int>(parse_natural(type.substr(natural ? 4 : 3)).value_or(64));
  if (natural) {
    const auto value = parse_natural(text);
    return value && (bits == 64 || *value >> bits == 0);
  }
  const auto value = parse_integer(text);
  return value &&
         (bits == 64 || (*value >= -(std::int64_t{1} << (bits - 1)) && *value < std::int64_t{1} << (bits - 1)));
}

// "2026-11-16T08:30:00", with fractions of seconds and a time zone if one likes.
bool is_date(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  if (text.size() < form.size()) return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t k = 0; k < form.size(); ++k) {
    if (form[k] == '0' ? !digit(text[k]) : text[k] != form[k]) return false;
  }
  text.remove_prefix(form.size());
  if (text.starts_with('.')) {
    std::size_t end = 1;
    while (end < text.size() && digit(text[end])) ++end;
    if (end == 1) return false;
    text.remove_prefix(end);
  }
  if (text.empty() || text == "Z") return true;
  return text.size() == 6 && (text[0] == '+' || text[0] == '-') && digit(text[1]) && digit(text[2]) && text[3] == ':' &&
         digit(text[4]) && digit(text[5]);
}

bool is_value(std::string_view type, std::string_view text) {
  if (type.empty()) return true;
  if (type == "bool") return text == "true" || text == "false" || text == "1" || text == "0";
  if (type == "real") return parse_real(text).has_value();
  if (type == "positive") return parse_real(text).value_or(0) > 0;
  if (type == "date") return is_date(text);
  if (type == "hex") {
    return text.size() % 2 == 0 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  }
  if (type.starts_with("int") || type.starts_with("uint")) return is_whole(type, text);
  const std::vector<std::string_view> words = pieces_of(type, "|");
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string demand(std::string_view type) {
  if (type.find('|') != std::string_view::npos) return fmt::format("one of {}", fmt::join(pieces_of(type, "|"), ", "));
  if (type == "bool") return "true or false";
  if (type == "real") return "a number";
  if (type == "positive") return "a number greater than 0";
  if (type == "date") return "a date such as 2026-11-16T08:30:00Z";
  if (type == "hex") return "pairs of hexadecimal digits";
  return fmt::format("a whole number of type {}", type);
}

class SchemaChecker {
 public:
  SchemaChecker(const Schema& schema, const SchemaViolation& violation) : schema_(schema), violation_(violation) {}

  void check(pugi::xml_node node, const ElementRule& rule, int depth = 0) const {
    if (depth > deepest) return violation_(node, fmt::format("{}: nested too deeply", node.name()), rule.section);
    check_attributes(node, rule);
    if (!rule.anything) check_children(node, rule, depth);
  }

 private:
  static constexpr int deepest = 100;  // terminals can hold terminals

  void check_attributes(pugi::xml_node node, const ElementRule& rule) const {
    const auto tell = [&](const std::string& message) {
      violation_(node, fmt::format("{}: {}", node.name(), message), rule.section);
    };
    for (const pugi::xml_attribute attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      // Names with a prefix belong to other standards: xsi:noNamespaceSchemaLocation.
      if (rule.anything || name == "xmlns" || name.find(':') != std::string_view::npos) continue;
      const AttributeRule* known = rule.attribute(name);
      if (known == nullptr) {
        tell(fmt::format("there is no attribute {}", name));
      } else {
        check_value(*known, attribute.value(), tell);
      }
    }
    for (const AttributeRule& attribute : rule.attributes) {
      if (attribute.required && !node.attribute(std::string(attribute.name).c_str())) {
        tell(fmt::format("the attribute {} is missing", attribute.name));
      }
    }
  }

  template <class Tell>
  static void check_value(const AttributeRule& rule, std::string_view value, const Tell& tell) {
    std::string_view type = rule.type;
    const bool list = type.ends_with("[]");
    if (list) type.remove_suffix(2);
    const std::vector<std::string> words = list ? split_list(value) : std::vector<std::string>{std::string(value)};
    for (const std::string& word : words) {
      if (is_value(type, word)) continue;
      tell(fmt::format("{}=\"{}\" is not {}", rule.name, word, demand(type)));
      return;
    }
  }

  void check_children(pugi::xml_node node, const ElementRule& rule, int depth) const {
    std::vector<int> counts(rule.children.size(), 0);
    std::size_t reached = 0;
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string_view name = child.name();
      std::size_t k = 0;
      while (k < rule.children.size() && rule.children[k].find(name) == nullptr) ++k;
      if (k == rule.children.size()) {
        violation_(child, fmt::format("{} does not belong into {}", name, node.name()), rule.section);
        continue;
      }
      if (k < reached) violation_(child, fmt::format("{}: {} comes too late", node.name(), name), rule.section);
      reached = std::max(reached, k);
      if (++counts[k] > 1 && !rule.children[k].many) {
        violation_(child, fmt::format("{}: there can be only one {}", node.name(), name), rule.section);
      }
      check(child, schema_.rule(rule.children[k].find(name)->line), depth + 1);
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] > 0 || !rule.children[k].required) continue;
      std::vector<std::string_view> names;
      for (const ChildRule::Choice& choice : rule.children[k].choices) names.push_back(choice.name);
      violation_(node, fmt::format("{}: {} is missing", node.name(), fmt::join(names, " or ")), rule.section);
    }
  }

  const Schema& schema_;
  const SchemaViolation& violation_;
};

}  // namespace

void check_schema(const pugi::xml_document& document, std::string_view table, const SchemaViolation& violation) {
  const Schema schema(table);
  const pugi::xml_node root = document.document_element();
  if (root.name() != schema.root()) {
    violation(root, fmt::format("the root element is {}, not {}", root.name(), schema.root()), {});
    return;
  }
  SchemaChecker(schema, violation).check(root, schema.rule(schema.root()));
}

}  // namespace orrery::fmi
