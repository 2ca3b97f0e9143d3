// SPDX-License-Identifier: Apache-2.0
// Texts of the functions that generated code may call, and literals.
#include "native/emit_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "native/complex_text.h"
#include "native/matrix_kernels_text.h"

namespace orrery::native {
namespace {

using program::Op;
using program::Scalar;

struct Kernel {
  const char* name;
  const char* text;
};

// They mean what program/evaluate.h says. Integers of all widths go through long long.
constexpr Kernel kernels[] = {
    {"fail",
     "struct orr_trouble {\n"
     "  long long turns;\n"
     "  double index;\n"
     "  long long length;\n"
     "  int site, unused;\n"
     "};\n"
     "static void orr_fail(struct orr_trouble* e, int site, double index, long long length) {\n"
     "  if (!e || e->site) return;\n"
     "  e->site = site;\n"
     "  e->index = index;\n"
     "  e->length = length;\n"
     "}\n"},
    {"index",
     "static inline long long orr_index(struct orr_trouble* e, long long i, long long n, int site) {\n"
     "  if (i >= 0 && i < n) return i;\n"
     "  orr_fail(e, site, (double)i, n);\n"
     "  return -1;\n"
     "}\n"},
    {"index2",
     "static inline long long orr_index2(struct orr_trouble* e, long long i, long long j, long long n, long long m,\n"
     "                                   int site) {\n"
     "  if (i >= 0 && i < n && j >= 0 && j < m) return i + j * n;\n"
     "  if (i >= 0 && i < n) orr_fail(e, site, (double)j, m);\n"
     "  else orr_fail(e, site, (double)i, n);\n"
     "  return -1;\n"
     "}\n"},
    {"search",
     // Moves instead of jumps, which nobody could foretell.
     "static inline int orr_search(const double* a, int n, double x) {\n"
     "  int low = 0;\n"
     "  if (!(x == x)) return 0;\n"
     "  while (n > 0) {\n"
     "    int half = n / 2, up = a[low + half] <= x;\n"
     "    low = up ? low + half + 1 : low;\n"
     "    n = up ? n - half - 1 : half;\n"
     "  }\n"
     "  return low;\n"
     "}\n"},
    {"min", "static double orr_min(double a, double b) { return a < b ? a : b; }\n"},
    {"max", "static double orr_max(double a, double b) { return a > b ? a : b; }\n"},
    {"sign", "static double orr_sign(double a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : a; }\n"},
    {"past",
     "struct orr_past {\n"
     "  double (*call)(void* self, int history, int what, int order, int element, int present, const double* a);\n"
     "  void* self;\n"
     "};\n"
     "static double orr_past(const unsigned char* at, int history, int what, int order, int element, int present,\n"
     "                       double a, double b, double c, double d) {\n"
     "  const struct orr_past* past = *(const struct orr_past**)at;\n"
     "  double four[4];\n"
     "  four[0] = a;\n"
     "  four[1] = b;\n"
     "  four[2] = c;\n"
     "  four[3] = d;\n"
     "  return past->call(past->self, history, what, order, element, present, four);\n"
     "}\n"},
    {"is_nan", "static int orr_is_nan(double a) { return a != a; }\n"},
    {"pow", "static double orr_pow(double a, double b) { return b == 2 ? a * a : pow(a, b); }\n"},
    {"mod",
     "static double orr_mod(double x, double y) {\n"
     "  double r;\n"
     "  if (y == 0) return x;\n"
     "  r = fmod(x, y);\n"
     "  return r != 0 && (r < 0) != (y < 0) ? r + y : r;\n"
     "}\n"},
    {"to_integer",
     "static inline long long orr_to_integer(double a, double lowest, double highest) {\n"
     "  if (a != a) return 0;\n"
     "  if (a <= lowest) return (long long)lowest;\n"
     "  if (a >= highest) return (long long)highest;\n"
     "  return (long long)a;\n"
     "}\n"},
    {"clip",
     "static inline long long orr_clip(long long a, long long lowest, long long highest) {\n"
     "  return a < lowest ? lowest : a > highest ? highest : a;\n"
     "}\n"},
    {"integer_min", "static long long orr_integer_min(long long a, long long b) { return a < b ? a : b; }\n"},
    {"integer_max", "static long long orr_integer_max(long long a, long long b) { return a > b ? a : b; }\n"},
    {"integer_abs", "static long long orr_integer_abs(long long a) { return a < 0 ? -a : a; }\n"},
    {"integer_sign", "static long long orr_integer_sign(long long a) { return (a > 0) - (a < 0); }\n"},
    {"integer_div", "static long long orr_integer_div(long long a, long long b) { return b == 0 ? 0 : a / b; }\n"},
    {"integer_rem", "static long long orr_integer_rem(long long a, long long b) { return b == 0 ? 0 : a % b; }\n"},
    {"integer_mod",
     "static long long orr_integer_mod(long long a, long long b) {\n"
     "  long long r = b == 0 ? 0 : a % b;\n"
     "  return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n"
     "}\n"},
    {"integer_pow",
     "static double orr_integer_pow(long long a, long long b) {\n"
     "  double result = 1, square = (double)a;\n"
     "  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;\n"
     "  for (; b > 0; b >>= 1) {\n"
     "    if (b & 1) result *= square;\n"
     "    square *= square;\n"
     "  }\n"
     "  return result;\n"
     "}\n"},
    {"shift_left",
     "static long long orr_shift_left(long long a, long long b, int bits) {\n"
     "  return b < 0 || b >= bits ? 0 : (long long)((unsigned long long)a << b);\n"
     "}\n"},
    {"shift_right",
     "static long long orr_shift_right(long long a, long long b, int bits) {\n"
     "  return b < 0 || b >= bits ? (a < 0 ? -1 : 0) : a >> b;\n"
     "}\n"},
    {"c_sum",
     "static void orr_c_sum(int n, double* r, const double* a) {\n"
     "  double re = a[0], im = a[1];\n"
     "  for (int i = 1; i < n; i++) {\n"
     "    re = re + a[2 * i];\n"
     "    im = im + a[2 * i + 1];\n"
     "  }\n"
     "  r[0] = re;\n"
     "  r[1] = im;\n"
     "}\n"},
    {"c_product",
     "static void orr_c_product(int n, double* r, const double* a) {\n"
     "  double re = a[0], im = a[1];\n"
     "  for (int i = 1; i < n; i++) {\n"
     "    double p = re * a[2 * i] - im * a[2 * i + 1];\n"
     "    im = re * a[2 * i + 1] + im * a[2 * i];\n"
     "    re = p;\n"
     "  }\n"
     "  r[0] = re;\n"
     "  r[1] = im;\n"
     "}\n"},
    {"c_matmul",
     "static void orr_c_matmul(int m, int k, int n, const double* a, const double* b, double* c) {\n"
     "  for (int j = 0; j < n; j++) {\n"
     "    for (int i = 0; i < m; i++) {\n"
     "      double rr = 0.0, ii = 0.0, ri = 0.0, ir = 0.0;\n"
     "      for (int l = 0; l < k; l++) {\n"
     "        const double* p = a + 2 * (i + (long)l * m);\n"
     "        const double* q = b + 2 * (l + (long)j * k);\n"
     "        rr = l == 0 ? p[0] * q[0] : rr + p[0] * q[0];\n"
     "        ii = l == 0 ? p[1] * q[1] : ii + p[1] * q[1];\n"
     "        ri = l == 0 ? p[0] * q[1] : ri + p[0] * q[1];\n"
     "        ir = l == 0 ? p[1] * q[0] : ir + p[1] * q[0];\n"
     "      }\n"
     "      c[2 * (i + (long)j * m)] = rr - ii;\n"
     "      c[2 * (i + (long)j * m) + 1] = ri + ir;\n"
     "    }\n"
     "  }\n"
     "}\n"},
};

std::string pick_text(Scalar scalar) {
  if (scalar == Scalar::c128) {
    return "static inline void orr_pick_complex(double* r, const double* a, long long k) {\n"
           "  r[0] = k < 0 ? ORR_NAN : a[2 * k];\n"
           "  r[1] = k < 0 ? ORR_NAN : a[2 * k + 1];\n"
           "}\n";
  }
  return fmt::format("static inline {0} orr_pick_{1}(const {0}* a, long long k) {{ return k < 0 ? {2} : a[k]; }}\n",
                     program::c_name_of(scalar), program::name_of(scalar), scalar == Scalar::f64 ? "ORR_NAN" : "0");
}

bool takes_two(const std::string& name) {
  return name == "pow" || name == "atan2" || name == "hypot" || name == "fmod";
}

}  // namespace

std::string Prologue::libm(const std::string& name) {
  libm_.insert(name);
  return name;
}

std::string Prologue::kernel(const std::string& name) {
  kernels_.insert(name);
  if (name == "index" || name == "index2") kernels_.insert("fail");
  if (name == "mod") libm_.insert("fmod");
  if (name == "pow") libm_.insert("pow");
  return "orr_" + name;
}

std::string Prologue::pick_kernel(Scalar scalar) {
  picks_.insert(scalar);
  if (program::is_floating(scalar)) infinity_ = true;
  return fmt::format("orr_pick_{}", program::name_of(scalar));
}

std::string Prologue::complex_kernel(Op op) {
  auto [entry, is_new] = complex_.try_emplace(op);
  if (is_new) entry->second = complex_function_text(op, libm_);
  return fmt::format("orr_c_{}", program::name_of(op));
}

std::string Prologue::matrix_kernel(const std::string& name) {
  matrices_ = true;
  return "orr_" + name;
}

std::string Prologue::constant(const program::Graph& graph, program::ExprId id) {
  auto [entry, is_new] = constants_.try_emplace({&graph, id});
  if (!is_new) return entry->second;
  Scalar scalar = graph.type(id).scalar;
  auto data = graph.constant_data(id);
  std::string name = fmt::format("k{}", constants_.size());
  // libtcc takes no expression of infinities as an initialiser: such matrices are given by their bits.
  bool bits = !std::all_of(data.begin(), data.end(), [](double x) { return std::isfinite(x); });
  constant_text_ +=
      fmt::format("static const {} {}[] = {{", bits ? "unsigned long long" : program::c_name_of(scalar), name);
  if (data.empty()) constant_text_ += "0";
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i > 0) constant_text_ += i % 8 == 0 ? ",\n  " : ", ";
    constant_text_ += bits ? fmt::format("0x{:x}ULL", std::bit_cast<std::uint64_t>(data[i]))
                           : literal(*this, data[i], scalar == Scalar::c128 ? Scalar::f64 : scalar);
  }
  constant_text_ += "};\n";
  entry->second = bits ? fmt::format("((const double*){})", name) : name;
  return entry->second;
}

const std::string& Prologue::number(double value) {
  auto [entry, is_new] = numbers_.try_emplace(std::bit_cast<std::uint64_t>(value));
  if (is_new) {
    entry->second = fmt::format("c{}", numbers_.size());
    constant_text_ += fmt::format("static const double {} = {};\n", entry->second, literal(*this, value, Scalar::f64));
  }
  return entry->second;
}

std::string Prologue::infinity() {
  infinity_ = true;
  return "ORR_INFINITY";
}

std::string Prologue::not_a_number() {
  infinity_ = true;
  return "ORR_NAN";
}

namespace {

// Functions that are not used, after all, are no reason for a warning, and what a header has is not said again.
std::string quiet(std::string text) {
  if (const auto record = text.find("struct orr_trouble {"); record == 0) text.erase(0, text.find("static "));
  for (std::size_t at = 0; at != std::string::npos;) {
    if (text.compare(at, 7, "static ") == 0) text.insert(at + 7, "inline ");
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  return text;
}

}  // namespace

std::string Prologue::text_for_others() const {
  std::string text;
  if (infinity_) text += "#define ORR_INFINITY INFINITY\n#define ORR_NAN NAN\n";
  for (const Kernel& kernel : kernels) {
    if (kernels_.contains(kernel.name)) text += quiet(kernel.text);
  }
  for (const Scalar scalar : picks_) text += quiet(pick_text(scalar));
  for (const auto& [op, function] : complex_) text += quiet(function);
  if (matrices_) text += matrix_kernels_text;
  return text + constant_text_;
}

std::string Prologue::text() const {
  if (readers_ == For::others) return text_for_others();
  std::string text =
      "#if defined(__GNUC__) && !defined(__TINYC__)\n"
      "#define ORR_PART static __attribute__((noinline))\n"
      "#define sqrt __builtin_sqrt\n"
      "#define fabs __builtin_fabs\n"
      "#else\n"
      "#define ORR_PART static\n"
      "#endif\n";
  if (infinity_) text += "#define ORR_INFINITY (1e308 * 1e308)\n#define ORR_NAN (ORR_INFINITY - ORR_INFINITY)\n";
  for (const std::string& name : libm_) {
    bool built_in = name == "sqrt" || name == "fabs";
    if (built_in) text += fmt::format("#ifndef {}\n", name);
    text += fmt::format("double {}(double{});\n", name, takes_two(name) ? ", double" : "");
    if (built_in) text += "#endif\n";
  }
  for (const Kernel& kernel : kernels) {
    if (kernels_.contains(kernel.name)) text += kernel.text;
  }
  for (const Scalar scalar : picks_) text += pick_text(scalar);
  for (const auto& [op, function] : complex_) text += function;
  if (matrices_) text += matrix_kernels_text;
  return text + constant_text_;
}

std::string literal(Prologue& prologue, double value, Scalar scalar) {
  if (scalar == Scalar::u32) return fmt::format("{}u", static_cast<std::uint32_t>(value));
  if (scalar != Scalar::f64) {
    auto whole = static_cast<std::int64_t>(value);
    if (whole == -2147483648LL) return "(-2147483647 - 1)";
    return whole < 0 ? fmt::format("({})", whole) : fmt::format("{}", whole);
  }
  if (std::isnan(value)) return prologue.not_a_number();
  if (std::isinf(value)) return value > 0 ? prologue.infinity() : "(-" + prologue.infinity() + ")";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return std::signbit(value) ? "(" + text + ")" : text;
}

}  // namespace orrery::native
