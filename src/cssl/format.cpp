// SPDX-License-Identifier: Apache-2.0
// How deep each line is: what its statements open and close.
#include "cssl/format.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/scan.h"

namespace orrery::cssl {
namespace {

using TokenLine = std::vector<Token>;

bool begins_with(const TokenLine& s, std::initializer_list<const char*> words) {
  if (s.empty() || s[0].kind != Token::Kind::name || (s.size() > 1 && s[1].is("="))) return false;
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return text::lower_case(s[0].word) == word; });
}

bool ends_with(const TokenLine& s, const char* word) {
  return !s.empty() && s.back().kind == Token::Kind::name && text::lower_case(s.back().word) == word;
}

bool has_word(const TokenLine& s, const char* word) {
  return std::any_of(s.begin(), s.end(), [&](const Token& token) {
    return token.kind == Token::Kind::name && text::lower_case(token.word) == word;
  });
}

// What a statement does to the depth: steps before it (closing) and behind it (opening).
struct Steps {
  int before = 0, behind = 0;
};

// IF … THEN, DO, ELSE and what closes them, as in Fortran.
Steps fortran_steps(const TokenLine& s) {
  if (begins_with(s, {"else", "elseif"})) return {-1, 1};
  if (begins_with(s, {"endif", "enddo", "end"})) return {-1, 0};
  if (begins_with(s, {"if"}) && ends_with(s, "then")) return {0, 1};
  if (begins_with(s, {"do"}) && s.size() > 1 && s[1].kind == Token::Kind::name) return {0, 1};
  if (begins_with(s, {"function", "subroutine"}) && s.size() > 2 && s[2].is("(")) return {0, 1};
  return {};
}

Steps acsl_steps(const TokenLine& s) {
  if (begins_with(s, {"program", "initial", "dynamic", "derivative", "discrete", "terminal", "procedural"}))
    return {0, 1};
  if (begins_with(s, {"macro"}) && s.size() > 1) {
    if (s[1].is_name("end")) return {-1, 0};
    return {0, s.size() > 2 && s[2].is("(") && !s[1].is_name("if") ? 1 : 0};
  }
  return fortran_steps(s);
}

Steps darep_steps(const TokenLine& s) {
  if (begins_with(s, {"proced"})) return {0, 1};
  if (begins_with(s, {"endpro"})) return {-1, 0};
  return fortran_steps(s);
}

Steps csmp_steps(const TokenLine& s) {
  if (begins_with(s, {"procedure", "macro"})) return {0, 1};
  if (begins_with(s, {"endpro", "endprocedure", "endmac"})) return {-1, 0};
  if (begins_with(s, {"function"}) && (s.size() < 3 || !s[2].is("("))) return {};
  return fortran_steps(s);
}

Steps desire_steps(const TokenLine& s) {
  if (begins_with(s, {"for", "while", "repeat"})) return {0, 1};
  if (begins_with(s, {"next", "endwhile", "until"})) return {-1, 0};
  if (begins_with(s, {"if"}) && has_word(s, "then") && !has_word(s, "else")) return {0, 1};
  if (begins_with(s, {"else"})) return {-1, 0};
  return {};
}

class Formatting {
 public:
  Formatting(const Language& language, const text::Source& source, Diagnostics& diagnostics)
      : language_(language), source_(source), diagnostics_(diagnostics) {}

  std::optional<std::string> run() {
    const int errors = diagnostics_.error_count();
    std::vector<TokenLine> statements = statements_of(source_, diagnostics_, language_.name != "acsl");
    if (diagnostics_.error_count() > errors) return std::nullopt;
    std::string made;
    int empty = 0;
    for (int number = 1; number <= source_.lines(); ++number) {
      std::string_view line = source_.line(number);
      while (!line.empty() && text::is_blank(line.back())) line.remove_suffix(1);
      if (line.empty()) {
        ++empty;
        continue;
      }
      if (!made.empty() && empty > 0) made += '\n';
      empty = 0;
      made += laid_out(line, number, statements) + '\n';
    }
    // Whatever goes wrong here must not go wrong with the program.
    const text::Source after(source_.file(), made);
    Diagnostics ignored;
    std::vector<TokenLine> same = statements_of(after, ignored, true);
    const bool kept = std::equal(
        statements.begin(), statements.end(), same.begin(), same.end(), [](const TokenLine& a, const TokenLine& b) {
          return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                            [](const Token& x, const Token& y) { return x.kind == y.kind && x.word == y.word; });
        });
    if (kept) return made;
    source_.error(diagnostics_, "not-formatted", {1, 0}, "the layout of this program cannot be changed safely",
                  "it is left as it is");
    return std::nullopt;
  }

 private:
  // Marks of DARE-P and what follows a DESIRE program are no statements: their mistakes are not told.
  std::vector<TokenLine> statements_of(const text::Source& source, Diagnostics& diagnostics, bool quiet) const {
    Diagnostics ignored;
    std::vector<Token> tokens = tokenise(source, language_.rules(), quiet ? ignored : diagnostics);
    std::vector<TokenLine> list(1);
    for (Token& token : tokens) {
      if (token.kind == Token::Kind::end) break;
      if (token.kind == Token::Kind::end_of_statement) {
        list.emplace_back();
      } else {
        list.back().push_back(std::move(token));
      }
    }
    if (list.back().empty()) list.pop_back();
    return list;
  }

  std::string laid_out(std::string_view line, int number, const std::vector<TokenLine>& statements) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::string_view text = line.substr(begin);
    int behind = 0;
    bool any = false;
    int here = depth_;
    while (next_ < statements.size() && statements[next_][0].at.line <= number) {
      const Steps steps = steps_of(statements[next_]);
      if (!any) here = std::max(0, depth_ + steps.before);
      any = true;
      depth_ = std::max(0, depth_ + steps.before + steps.behind);
      behind = statements[next_].back().at.line;
      ++next_;
    }
    const bool continues = !any && number <= last_;
    if (any) last_ = behind;
    if (stays(line, begin)) return std::string(line);
    const std::size_t base = base_of(text);
    return std::string(base + 2 * static_cast<std::size_t>(here) + (continues ? 2 : 0), ' ') + std::string(text);
  }

  Steps steps_of(const TokenLine& s) const {
    TokenLine plain = s;
    if (plain.size() > 2 && plain[1].is(":")) plain.erase(plain.begin(), plain.begin() + 2);  // behind a label
    if (plain.size() > 1 && plain[0].kind == Token::Kind::number) plain.erase(plain.begin());
    if (language_.name == "acsl") return acsl_steps(plain);
    if (language_.name == "darep")
      return plain[0].at.column == 1 && begins_with(plain, {"end"}) ? Steps{} : darep_steps(plain);
    if (language_.name == "csmp") return begins_with(plain, {"end"}) && depth_ == 0 ? Steps{} : csmp_steps(plain);
    return desire_steps(plain);
  }

  // Columns that mean something.
  bool stays(std::string_view line, std::size_t begin) {
    if (language_.name == "darep") {
      if (begin <= 1 && line[begin] == '$') return true;
      if (begin == 0) {  // END, *title, data and output; a model that begins in column 1 too
        if (text::lower_case(line.substr(0, 3)) == "end") depth_ = 0;
        return true;
      }
      return text::is_digit(line[begin]);  // labels in columns 1 to 5
    }
    if (language_.name == "csmp") return line[0] == '*';
    if (language_.name == "desire") {
      if (line[0] == '/') ended_ = true;
      return ended_ || line.starts_with("--");
    }
    return false;
  }

  std::size_t base_of(std::string_view text) const {
    if (language_.name == "darep") return 3;
    if (language_.name != "csmp") return 0;
    for (const char* word :
         {"initial", "dynamic",  "terminal", "sort",   "nosort", "end",     "stop",   "endjob", "title",
          "label",   "param",    "const",    "incon",  "timer",  "method",  "finish", "print",  "prtplt",
          "output",  "function", "relerr",   "abserr", "table",  "storage", "fixed",  "range",  "prepare"}) {
      const std::string lower = text::lower_case(text.substr(0, text::count_while(text, 0, text::is_letter)));
      if (lower == word || (std::string_view(word) == "param" && lower == "parameter")) return 0;
    }
    return 2;
  }

  const Language& language_;
  const text::Source& source_;
  Diagnostics& diagnostics_;
  std::size_t next_ = 0;  // statement
  int depth_ = 0, last_ = 0;
  bool ended_ = false;
};

}  // namespace

std::optional<std::string> format(const Language& language, const std::string& text, const std::string& file,
                                  Diagnostics& diagnostics) {
  const text::Source source(file, text);
  return Formatting(language, source, diagnostics).run();
}

}  // namespace orrery::cssl
