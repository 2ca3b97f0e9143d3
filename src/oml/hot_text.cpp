// SPDX-License-Identifier: Apache-2.0
// C from the tree: what stands around the code of hot_expressions.cpp and hot_statements.cpp.
#include "oml/hot_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "oml/hot_types.h"
#include "oml/hot_writer.h"

namespace orrery::oml {

void HotWriter::list_variables() {
  for (std::size_t k = 0; k < scope_.types.size(); ++k) {
    if (!scope_.used[k] && !scope_.assigned[k] && !scope_.stored[k]) continue;
    const bool array = is_array_type(scope_.types[k]);
    out_.variables.push_back({static_cast<int>(k), array, scope_.assigned[k] || scope_.stored[k]});
  }
}

std::string HotWriter::finished_loop() {
  std::string begin, end;
  for (std::size_t k = 0; k < out_.variables.size(); ++k) {
    const HotVariable& v = out_.variables[k];
    const int s = v.slot;
    if (v.is_array) {
      const bool reals = scope_.types[static_cast<std::size_t>(s)] == reals_type;
      begin += fmt::format(
          "{}* a{} = c->arrays[{}].{}; long n{} = c->arrays[{}].count, r{} = c->arrays[{}].rows, q{} = "
          "c->arrays[{}].cols;\n",
          reals ? "double" : "unsigned char", s, k, reals ? "reals" : "bytes", s, k, s, k, s, k);
      continue;
    }
    begin += fmt::format("double v{} = c->numbers[{}]; unsigned char k{} = c->tags[{}];\n", s, k, s, k);
    if (!v.is_written) continue;
    const bool tagged = scope_.is_tagged(s);
    const bool truth = scope_.types[static_cast<std::size_t>(s)] == truth_type;
    end += fmt::format("c->numbers[{}] = v{}; c->tags[{}] = {};\n", k, s, k,
                       tagged ? "k" + std::to_string(s) : std::string(truth ? "2" : "1"));
  }
  for (int j = 0; j < loops_; ++j) {
    begin += fmt::format("long f{}k = 0, f{}n = 0; double f{}b = 0, f{}s = 0;\n", j, j, j, j);
    end += fmt::format(
        "c->loops[{}].turn = f{}k; c->loops[{}].count = f{}n; c->loops[{}].base = f{}b; c->loops[{}].step = "
        "f{}s;\n",
        j, j, j, j, j, j, j, j);
  }
  std::string text = "long hot(Context* c) {\nlong ended = 0; unsigned long turns = 0, room = c->limit - c->steps;\n";
  text += begin + declared_ + body_ + "goto out;\n";
  for (const long id : surprises_) text += fmt::format("S{}: c->at = {}; ended = 1; goto out;\n", id, id);
  return text + "stop: ended = 2;\nout:\n" + end + "c->steps += turns;\nreturn ended;\n}\n";
}

std::string HotWriter::function(const Function& f, int number) {
  // The depth is handed down, not counted up and down: a chain of stores would cost more than the call.
  std::string head = fmt::format("static int F{}(Context* c, long depth", number);
  for (const int slot : f.input_slots) head += fmt::format(", double v{}", slot);
  std::string begin = "if (++c->steps > c->limit || *c->stop || depth > c->deepest) return 1;\n";
  for (std::size_t k = 0; k < scope_.types.size(); ++k) {
    const bool input =
        std::find(f.input_slots.begin(), f.input_slots.end(), static_cast<int>(k)) != f.input_slots.end();
    if (input) {
      begin += fmt::format("unsigned char k{} = 1; (void)k{};\n", k, k);
    } else if (scope_.assigned[k]) {
      begin += fmt::format("double v{} = 0; unsigned char k{} = 0; (void)k{};\n", k, k, k);
    }
  }
  block(f.body);
  for (int j = 0; j < loops_; ++j)
    begin += fmt::format("long f{}k = 0, f{}n = 0; double f{}b = 0, f{}s = 0;\n", j, j, j, j);
  const int out = f.output_slots[0];
  std::string end = "goto done; done:\n";
  if (scope_.is_tagged(out)) end += fmt::format("if (k{} == 0) goto fail;\n", out);
  end += fmt::format("*result = v{}; c->steps += turns; return 0;\nfail: return 1;\n", out);
  end += "stop: goto fail;\n}\n";
  return head + ", double* result) {\nunsigned long turns = 0, room = c->limit - c->steps; (void)turns; (void)room;\n" +
         begin + body_ + end;
}

namespace {

constexpr const char* preamble = R"(
typedef struct { double* reals; unsigned char* bytes; long count, rows, cols; } Array;
typedef struct { long turn, count; double base, step; } Loop;
typedef struct {
  double* numbers; unsigned char* tags; Array* arrays; Loop* loops; const volatile char* stop;
  unsigned long steps, limit, pause; long deepest; long at; double nan, inf;
} Context;
double sqrt(double); double exp(double); double log(double); double sin(double); double cos(double);
double tan(double); double atan(double); double floor(double); double ceil(double); double round(double);
double trunc(double); double fabs(double); double pow(double, double); double fmod(double, double);
#ifndef __TINYC__
#define sqrt __builtin_sqrt
#define fabs __builtin_fabs
#endif
static double hot_mod(double x, double y) {
  double q, r;
  if (y == 0) return x;
  if (y == y && y - y != 0 && x - x == 0) return (x < 0) != (y < 0) && x != 0 ? y : x;
  q = x / y;
  if (y != floor(y) && fabs(q - round(q)) < 2.3e-16 * fabs(q)) return 0;
  r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r == 0 ? 0 : r;
}
static double hot_rem(Context* c, double x, double y) {
  double q;
  if (y == 0) return c->nan;
  q = x / y;
  if (y != floor(y) && fabs(q - round(q)) < 2.3e-16 * fabs(q)) return 0;
  return fmod(x, y);
}
)";

std::string functions_text(HotTypes& types, const std::map<const Function*, int>& numbers) {
  std::string heads, bodies;
  for (const auto& [f, number] : numbers) {
    HotText inner;  // statements of functions are no places to come back to
    const std::string text = HotWriter(types, types.functions()[f], inner, numbers).function(*f, number);
    heads += text.substr(0, text.find(" {\n")) + ";\n";
    bodies += text;
  }
  return heads + bodies;
}

std::map<const Function*, int> numbered(HotTypes& types) {
  std::map<const Function*, int> numbers;
  for (const auto& [f, scope] : types.functions()) numbers.emplace(f, static_cast<int>(numbers.size()));
  return numbers;
}

unsigned type_now(const Value& v) {
  switch (v.kind()) {
    case Kind::none: return undefined_type;
    case Kind::number: return number_type;
    case Kind::boolean: return truth_type;
    case Kind::real: return v.real().cls == NumClass::f64 && v.real().dims.count() == 2 ? reals_type : other_type;
    case Kind::logical: return v.bytes().dims.count() == 2 ? truths_type : other_type;
    default: return other_type;
  }
}

}  // namespace

std::optional<HotText> write_hot_loop(const Statement& loop, const Value* slots, std::size_t count,
                                      const ResolveCall& resolve) {
  try {
    HotScope scope;
    for (std::size_t k = 0; k < count; ++k) scope.types.push_back(type_now(slots[k]));
    scope.used.assign(count, false);
    scope.assigned.assign(count, false);
    scope.stored.assign(count, false);
    HotTypes types(std::move(scope), resolve);
    types.infer(&loop, nullptr);
    HotScope& frame = types.loop();
    HotText out;
    const auto numbers = numbered(types);
    const std::string functions = functions_text(types, numbers);
    const std::string body = HotWriter(types, frame, out, numbers).loop(loop);
    out.text = preamble + functions + body;
    return out;
  } catch (const NotCompiled&) {
    return std::nullopt;
  }
}

std::optional<HotText> write_hot_function(const Function& f, const ResolveCall& resolve) {
  try {
    HotTypes types({}, resolve);
    types.infer(nullptr, &f);
    HotText out;
    const auto numbers = numbered(types);
    out.text = preamble + functions_text(types, numbers);
    std::string arguments;
    for (std::size_t k = 0; k < f.inputs.size(); ++k) arguments += fmt::format(", c->numbers[{}]", k);
    const std::size_t last = f.inputs.size();
    out.text += fmt::format("long hot(Context* c) {{ c->tags[{}] = {}; return F{}(c, 1{}, &c->numbers[{}]); }}\n", last,
                            types.functions()[&f].result == truth_type ? 2 : 1, numbers.at(&f), arguments, last);
    return out;
  } catch (const NotCompiled&) {
    return std::nullopt;
  }
}

}  // namespace orrery::oml
