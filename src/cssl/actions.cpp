// SPDX-License-Identifier: Apache-2.0
// Actions as statements.
#include "cssl/actions.h"

#include <fmt/format.h>

#include "text/scan.h"

namespace orrery::cssl {
namespace {

NodeId add_node(Program& program, Node node) {
  program.nodes.push_back(std::move(node));
  return static_cast<NodeId>(program.nodes.size() - 1);
}

NodeId number_of(Program& program, double value) {
  Node node;
  node.value = value;
  return add_node(program, std::move(node));
}

NodeId name_of(Program& program, const std::string& name) {
  Node node;
  node.kind = Node::Kind::name;
  node.name = name;
  return add_node(program, std::move(node));
}

// name, or name(2)
NodeId target_of(Program& program, const Action& action) {
  if (action.element == 0) return name_of(program, action.changed);
  Node node;
  node.kind = Node::Kind::call;
  node.name = action.changed;
  node.arguments = {number_of(program, action.element)};
  return add_node(program, std::move(node));
}

// Words of a text of an action: names with digits, dots and signs, and what stands alone.
class ActionWords {
 public:
  explicit ActionWords(std::string_view text) : text_(text) {}

  bool sign(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  std::string name() {
    skip();
    const std::size_t length =
        at_ < text_.size() && text::is_letter(text_[at_]) ? text::count_while(text_, at_, text::is_word) : 0;
    const std::string found(text_.substr(at_, length));
    at_ += length;
    return found;
  }
  std::optional<double> number() {
    skip();
    const std::size_t length =
        text::count_while(text_, at_, [](char c) { return text::is_word(c) || c == '.' || c == '+' || c == '-'; });
    const auto found = text::number_of(text_.substr(at_, length));
    at_ += length;
    return found;
  }
  bool ended() {
    skip();
    return at_ == text_.size();
  }

 private:
  void skip() { at_ += text::count_while(text_, at_, text::is_blank); }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void apply_actions(Program& program) {
  Section initial;
  initial.kind = Section::Kind::initial;
  int count = 0;
  for (const Action& action : program.actions) {
    const std::string name = fmt::format("zzaction{}", ++count);
    Section happens;
    happens.kind = Section::Kind::discrete;
    happens.name = name;
    Statement change;
    change.targets = {target_of(program, action)};
    change.value = number_of(program, action.becomes);
    happens.statements.push_back(std::move(change));
    Statement schedule;
    schedule.kind = Statement::Kind::schedule;
    schedule.name = name;
    if (action.watched.empty()) {
      schedule.value = number_of(program, action.reaches);
      initial.statements.push_back(std::move(schedule));
    } else {
      Node difference;
      difference.kind = Node::Kind::binary;
      difference.name = "-";
      difference.arguments = {name_of(program, action.watched), number_of(program, action.reaches)};
      schedule.when = When::crossing;
      schedule.value = add_node(program, std::move(difference));
      for (Section& section : program.sections) {
        if (section.kind != Section::Kind::derivative) continue;
        section.statements.push_back(std::move(schedule));
        break;
      }
    }
    program.sections.push_back(std::move(happens));
  }
  if (!initial.statements.empty()) program.sections.push_back(std::move(initial));
}

std::optional<Action> parse_action(std::string_view text) {
  ActionWords words(text);
  Action made;
  made.changed = words.name();
  if (words.sign('(')) {
    const auto element = words.number();
    if (!element || !(*element >= 1 && *element <= 1e6) || !words.sign(')')) return std::nullopt;
    made.element = static_cast<int>(*element);
  }
  if (made.changed.empty() || !words.sign('=')) return std::nullopt;
  const auto becomes = words.number();
  if (!becomes || words.name() != "when") return std::nullopt;
  made.watched = words.name();
  if (made.watched.empty() || !words.sign('=')) return std::nullopt;
  const auto reaches = words.number();
  if (!reaches || !words.ended()) return std::nullopt;
  made.becomes = *becomes;
  made.reaches = *reaches;
  if (made.watched == "t") made.watched.clear();
  return made;
}

std::string to_text(const Action& action) {
  const std::string changed =
      action.element == 0 ? action.changed : fmt::format("{}({})", action.changed, action.element);
  return fmt::format("{} = {} when {} = {}", changed, action.becomes, action.watched.empty() ? "t" : action.watched,
                     action.reaches);
}

}  // namespace orrery::cssl
