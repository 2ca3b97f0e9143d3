// SPDX-License-Identifier: Apache-2.0
// regexp, regexpi and regexprep.
#include <map>

#include "oml/builtins/families.h"
#include "oml/builtins/open_files.h"
#include "oml/builtins/printf_format.h"
#include "oml/interpreter.h"
#include "oml/regex.h"

namespace orrery::oml {
namespace {

struct Request {
  RegexOptions options;
  bool once = false;
  std::vector<std::string> outputs;  // named outputs in the order given
};

Request request_of(const Call& c, int first, bool ignore_case) {
  Request r;
  r.options.ignore_case = ignore_case;
  for (int k = first; k < c.count(); ++k) {
    const std::string o = c.text(k);
    if (o == "once")
      r.once = true;
    else if (o == "ignorecase")
      r.options.ignore_case = true;
    else if (o == "matchcase")
      r.options.ignore_case = false;
    else if (o == "lineanchors")
      r.options.line_anchors = true;
    else if (o == "stringanchors")
      r.options.line_anchors = false;
    else if (o == "dotall")
      r.options.dot_matches_newline = true;
    else if (o == "dotexceptnewline")
      r.options.dot_matches_newline = false;
    else if (o == "freespacing")
      r.options.free_spacing = true;
    else if (o == "literalspacing" || o == "noemptymatch" || o == "emptymatch" || o == "warnings")
      continue;
    else if (o == "match" || o == "tokens" || o == "names" || o == "start" || o == "end" || o == "split" ||
             o == "tokenExtents")
      r.outputs.push_back(o);
    else
      fail_argument(k + 1, "is an unknown option");
  }
  return r;
}

std::vector<RegexMatch> all_matches(Call& c, const Regex& regex, const std::string& text, bool once) {
  std::vector<RegexMatch> out;
  const std::function<void()> turn = [&] { c.oml.tick(); };
  RegexMatch m;
  std::size_t from = 0;
  while (from <= text.size() && regex.search(text, from, m, turn)) {
    turn();
    from = m.end > m.begin ? m.end : m.end + 1;
    if (m.end == m.begin) continue;
    // Room for twice as many is needed while the list grows.
    if (out.size() == out.capacity()) expect_growth(out.size() * 3 * (sizeof m + sizeof m.groups[0] * m.groups.size()));
    out.push_back(m);
    if (once) break;
  }
  return out;
}

// What the groups caught: a pattern without groups has no tokens, as the reference guide shows.
Value tokens_of(const RegexMatch& m, const std::string& text, bool extents) {
  std::vector<Value> items;
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  for (const auto& g : m.groups) {
    if (g.first != std::string::npos) spans.push_back(g);  // groups that took part
  }
  if (extents) {
    Value v = Value::zeros(Dims(static_cast<Index>(spans.size()), 2));
    for (std::size_t k = 0; k < spans.size(); ++k) {
      v.edit_real().at(static_cast<Index>(k), 0) = static_cast<double>(spans[k].first + 1);
      v.edit_real().at(static_cast<Index>(k), 1) = static_cast<double>(spans[k].second);
    }
    return v;
  }
  if (m.groups.empty()) return Value::cell(Dims(0, 0));
  for (const auto& s : spans) items.push_back(Value::text(text.substr(s.first, s.second - s.first)));
  return Value::cell_row(items);
}

Value row_or_empty(const std::vector<double>& x) {
  return x.empty() ? Value::zeros(Dims(1, 0)) : unboxed(Value::row(x));
}

Value output(const std::string& what, const Regex& regex, const std::vector<RegexMatch>& matches,
             const std::string& text, bool once) {
  if (what == "names") {
    Value s = Value::structure();
    // Groups may share a name: whichever took part in a match gives its text.
    std::map<std::string, std::vector<Value>> found;
    for (const std::string& name : regex.group_names())
      if (!name.empty()) found[name];
    for (const RegexMatch& m : matches) {
      for (std::size_t g = 0; g < regex.group_names().size() && g < m.groups.size(); ++g) {
        const auto& span = m.groups[g];
        if (regex.group_names()[g].empty() || span.first == std::string::npos) continue;
        found[regex.group_names()[g]].push_back(Value::text(text.substr(span.first, span.second - span.first)));
      }
    }
    for (const std::string& name : regex.group_names()) {
      if (name.empty()) continue;
      const std::vector<Value>& texts = found[name];
      s.edit_structure().set(name, texts.empty()       ? Value::text("")
                                   : texts.size() == 1 ? texts[0]
                                                       : Value::cell_row(texts));
    }
    return s;
  }
  if (what == "split") {
    std::vector<std::string> parts;
    std::size_t at = 0;
    for (const RegexMatch& m : matches) {
      parts.push_back(text.substr(at, m.begin - at));
      at = m.end;
    }
    parts.push_back(text.substr(at));
    return Value::text_cell(parts, false);
  }
  if (what == "start" || what == "end") {
    std::vector<double> x;
    for (const RegexMatch& m : matches) x.push_back(static_cast<double>(what == "start" ? m.begin + 1 : m.end));
    if (once) return x.empty() ? Value::empty() : Value(x[0]);
    return row_or_empty(x);
  }
  std::vector<Value> items;
  for (const RegexMatch& m : matches) {
    if (what == "match")
      items.push_back(Value::text(text.substr(m.begin, m.end - m.begin)));
    else
      items.push_back(tokens_of(m, text, what == "tokenExtents"));
  }
  if (once)
    return !items.empty()     ? items[0]
           : what == "match"  ? Value::text("")
           : what == "tokens" ? Value::cell(Dims(0, 0))
                              : Value::empty();
  return items.empty() ? Value::cell(Dims(1, 0)) : Value::cell_row(items);
}

void run(Call& c, bool ignore_case) {
  const Request r = request_of(c, 2, ignore_case);
  static const std::vector<std::string> standard = {"start",  "end",   "tokenExtents", "match",
                                                    "tokens", "names", "split"};
  std::vector<std::string> wanted = r.outputs;
  for (const std::string& s : standard)
    if (std::find(wanted.begin(), wanted.end(), s) == wanted.end()) wanted.push_back(s);
  const int n = std::max(c.nargout, 1);
  if (c[0].is_cell() || c[1].is_cell()) {
    const bool many = c[0].is_cell();
    const Value& cells = many ? c[0] : c[1];
    for (int k = 0; k < n; ++k) {
      Value out = cells;
      for (Index i = 0; i < cells.numel(); ++i) {
        const std::string text = many ? to_string(cells.cell()[i]) : c.text(0);
        const std::string pattern = c[1].is_cell() ? to_string(c[1].cell()[c[1].numel() == 1 ? 0 : i]) : c.text(1);
        const Regex regex(pattern, r.options);
        out.edit_cell()[i] =
            output(wanted[static_cast<std::size_t>(k)], regex, all_matches(c, regex, text, r.once), text, r.once);
      }
      c.ret(out);
    }
    return;
  }
  const std::string text = c.text(0);
  const Regex regex(c.text(1), r.options);
  const std::vector<RegexMatch> matches = all_matches(c, regex, text, r.once);
  for (int k = 0; k < n && k < static_cast<int>(wanted.size()); ++k)
    c.ret(output(wanted[static_cast<std::size_t>(k)], regex, matches, text, r.once));
}

std::string replaced(Call& c, const std::string& text, const Regex& regex, const std::string& with, bool once) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::string out;
  std::size_t at = 0, looked = 0;
  for (const RegexMatch& m : all_matches(c, regex, text, once)) {
    out += text.substr(at, m.begin - at);
    for (std::size_t k = 0; k < with.size(); ++k) {
      if (out.size() > looked + step) expect_growth(looked = out.size());
      if (with[k] == '$' && k + 1 < with.size() && std::isdigit(static_cast<unsigned char>(with[k + 1]))) {
        const auto g = static_cast<std::size_t>(with[++k] - '0');
        if (g == 0)
          out += text.substr(m.begin, m.end - m.begin);
        else if (g <= m.groups.size() && m.groups[g - 1].first != std::string::npos) {
          out += text.substr(m.groups[g - 1].first, m.groups[g - 1].second - m.groups[g - 1].first);
        }
      } else if (with[k] == '\\' && k + 1 < with.size()) {
        const char next = with[++k];
        out += next == '$' || next == '\\' ? std::string(1, next) : process_escapes(std::string("\\") + next);
      } else {
        out += with[k];
      }
    }
    at = m.end;
  }
  out += text.substr(at);
  return out;
}

void regexprep(Call& c) {
  Request r = request_of(c, 3, false);
  const std::vector<std::string> patterns = text_list(c[1]), with = text_list(c[2]);
  const auto one = [&](std::string s) {
    for (std::size_t k = 0; k < patterns.size(); ++k) {
      s = replaced(c, s, Regex(patterns[k], r.options),
                   with.empty() ? "" : with[with.size() == 1 ? 0 : std::min(k, with.size() - 1)], r.once);
    }
    return s;
  };
  if (!c[0].is_cell()) return c.ret(Value::text(one(c.text(0))));
  Value out = c[0];
  for (Value& item : out.edit_cell().data) item = Value::text(one(to_string(item)));
  if (out.dims().rows() == 1) out.edit_cell().dims = Dims(out.numel(), 1);  // a row becomes a column
  c.ret(out);
}

constexpr Builtin regexp_table[] = {
    {"regexp", 2, -1, [](Call& c) { run(c, false); },
     "[start, end, extents, match, tokens, names, split] = regexp(s, pattern, options...): matches of a regular "
     "expression; 'once', 'match', 'tokens', ... choose outputs.",
     "texts, texts, word, ..."},
    {"regexpi", 2, -1, [](Call& c) { run(c, true); }, "regexpi(s, pattern, options...): regexp without regard to case.",
     "texts, texts, word, ..."},
    {"regexprep", 3, -1, regexprep,
     "regexprep(s, pattern, replacement, options...): s with matches replaced; $1 stands for group 1.",
     "texts, texts, texts, word, ..."},
};

}  // namespace

BuiltinFamily regexp_builtins() { return regexp_table; }

}  // namespace orrery::oml
