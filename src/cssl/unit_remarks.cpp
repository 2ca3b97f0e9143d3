// SPDX-License-Identifier: Apache-2.0
// Comments with brackets, and the tokens they stand behind.
#include "cssl/unit_remarks.h"

#include <fmt/format.h>

#include <set>

#include "cssl/languages.h"
#include "text/scan.h"
#include "units/annotation.h"

namespace orrery::cssl {
namespace {

class RemarkReading {
 public:
  RemarkReading(const Program& program, const std::function<bool(const std::string&)>& is_name,
                Diagnostics& diagnostics)
      : source_(*program.source), is_name_(is_name), diagnostics_(diagnostics) {
    const Language* language = find_language(program.language);
    rules_ = language->rules();
    Diagnostics ignored;  // the program has been read: what is wrong in it was told
    tokens_ = tokenise(source_, rules_, ignored, &comments_);
  }

  UnitRemarks run() {
    for (const Comment& comment : comments_) {
      const std::string_view text = source_.text().substr(comment.begin, comment.end - comment.begin);
      for (const units::Annotation& found : units::find_annotations(text)) one(comment, found);
    }
    return std::move(remarks_);
  }

 private:
  void one(const Comment& comment, const units::Annotation& found) {
    const Position at = source_.position(comment.begin + found.at);
    const std::string name = rules_.lower_case ? text::lower_case(found.name) : found.name;
    const Token* number = name.empty() ? number_before(comment) : nullptr;
    const bool named = !name.empty() && is_name_(name);
    const std::set<std::string> assigned = named || number != nullptr ? std::set<std::string>{} : assigned_in(at.line);
    if (!named && number == nullptr && assigned.empty()) return;  // prose
    units::UnitError error;
    const auto unit = units::parse_unit(found.unit, rules_.lower_case, error);
    if (!unit) {
      source_.error(diagnostics_, "bad-unit", at, error.message, error.help);
      return;
    }
    if (number != nullptr) {
      remarks_.numbers[{number->at.line, number->at.column}] = {*unit, at.line};
    } else if (named) {
      give(name, *unit, at);
    } else if (assigned.size() == 1) {
      give(*assigned.begin(), *unit, at);
    } else {
      source_.warning(diagnostics_, "ambiguous-unit", at,
                      fmt::format("[{}] belongs to one of {} names of this line", found.unit, assigned.size()),
                      fmt::format("write the name before it: {} [{}]", *assigned.begin(), found.unit));
    }
  }

  void give(const std::string& name, const units::ParsedUnit& unit, Position at) {
    const auto [known, fresh] = remarks_.names.emplace(name, UnitRemark{unit, at.line});
    if (fresh) return;
    const units::Unit& before = known->second.unit.unit;
    if (units::same_dimension(before, unit.unit) && units::same_size(before, unit.unit)) return;
    source_.error(diagnostics_, "unit-mismatch", at,
                  fmt::format("{} is said to be {} here, but {} in line {}", name, units::to_text(unit.unit),
                              units::to_text(before), known->second.line),
                  "one of both remarks is wrong");
  }

  // 1.0 "[1/s]": the number right before a comment.
  const Token* number_before(const Comment& comment) const {
    if (comment.tokens == 0) return nullptr;
    const Token& token = tokens_[comment.tokens - 1];
    if (token.kind != Token::Kind::number || source_.text()[comment.begin] != '"') return nullptr;
    const std::string_view between = source_.text().substr(token.end, comment.begin - token.end);
    return between.find_first_not_of(" \t") == std::string_view::npos ? &token : nullptr;
  }

  // Names that are given a value in a line: x =, X. =, d/dt x =.
  std::set<std::string> assigned_in(int line) const {
    std::set<std::string> names;
    for (std::size_t k = 0; k + 1 < tokens_.size(); ++k) {
      if (tokens_[k].at.line != line || tokens_[k].kind != Token::Kind::name || !is_name_(tokens_[k].word)) continue;
      const bool state = tokens_[k + 1].is(".") && k + 2 < tokens_.size() && tokens_[k + 2].is("=");
      if (tokens_[k + 1].is("=") || state) names.insert(tokens_[k].word);
    }
    return names;
  }

  const text::Source& source_;
  const std::function<bool(const std::string&)>& is_name_;
  Diagnostics& diagnostics_;
  LexerRules rules_;
  std::vector<Token> tokens_;
  std::vector<Comment> comments_;
  UnitRemarks remarks_;
};

}  // namespace

UnitRemarks read_unit_remarks(const Program& program, const std::function<bool(const std::string&)>& is_name,
                              Diagnostics& diagnostics) {
  return RemarkReading(program, is_name, diagnostics).run();
}

}  // namespace orrery::cssl
