// SPDX-License-Identifier: Apache-2.0
// Display of values: scalars with nine digits, matrices in columns, cells and structs nested.
#include "oml/display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oml/ast.h"
#include "oml/class_object.h"
#include "oml/convert.h"
#include "oml/interrupt.h"
#include "oml/nesting.h"
#include "oml/symbolic.h"

namespace orrery::oml {
namespace {

using Style = DisplayFormat::Style;

std::string not_finite(double x) { return std::isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf"; }
bool is_whole(double x) { return x == std::floor(x); }

std::string capital(std::string text, Style style) {
  if (style == Style::long_exponent)
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c == 'e' ? 'E' : c; });
  return text;
}

// One notation for all elements of a matrix.
struct Notation {
  enum class Form { whole, fixed, exponent } form = Form::whole;
  int decimals = 5;
  std::string print(double x) const {
    if (!std::isfinite(x)) return not_finite(x);
    if (form == Form::whole) return fmt::format("{:.0f}", x);
    if (form == Form::fixed) return fmt::format("{:.{}f}", x, decimals);
    return fmt::format("{:.{}e}", x, decimals);
  }
};

class NotationChooser {
 public:
  void see(double x) {
    if (!std::isfinite(x)) return;
    whole_ = whole_ && is_whole(x);
    const double m = std::abs(x);
    largest_ = std::max(largest_, m);
    if (m > 0) smallest_ = std::min(smallest_, m);
  }
  Notation choose(const DisplayFormat& format) const {
    Notation n;
    n.decimals = format.style == Style::long_fixed || format.style == Style::long_exponent ? 8 : 5;
    const bool forced = format.style == Style::short_exponent || format.style == Style::long_exponent;
    if (whole_)
      n.form = largest_ < 1e12 && !forced ? Notation::Form::whole : Notation::Form::exponent;
    else if (forced || largest_ >= 1e6 || smallest_ < 1e-5)
      n.form = Notation::Form::exponent;
    else
      n.form = Notation::Form::fixed;
    return n;
  }

 private:
  bool whole_ = true;
  double largest_ = 0, smallest_ = INFINITY;
};

std::string complex_entry(Complex z, const Notation& n) {
  const bool minus = std::signbit(z.imag());
  return n.print(z.real()) + (minus ? " - " : " + ") + n.print(std::abs(z.imag())) + "i";
}

std::string print_columns(const std::vector<std::string>& entries, Index rows, Index cols, const std::string& indent) {
  std::vector<std::size_t> width(static_cast<std::size_t>(cols), 0);
  for (Index c = 0; c < cols; ++c) {
    for (Index r = 0; r < rows; ++r) {
      auto& w = width[static_cast<std::size_t>(c)];
      w = std::max(w, entries[static_cast<std::size_t>(r + c * rows)].size());
    }
  }
  std::string out;
  for (Index r = 0; r < rows; ++r) {
    out += indent;
    for (Index c = 0; c < cols; ++c) {
      const std::string& e = entries[static_cast<std::size_t>(r + c * rows)];
      if (c > 0) out += "  ";
      out += std::string(width[static_cast<std::size_t>(c)] - e.size(), ' ') + e;
    }
    out += "\n";
  }
  return out;
}

// A text of that size is about to be made: an error past the memory limit.
void expect_text(std::size_t bytes) {
  charge_memory(bytes);
  memory_account().used -= bytes;
}

// Elements of a matrix as text, in one notation for all.
std::vector<std::string> entries_of(const Value& numeric, Index begin, Index count, const DisplayFormat& format) {
  NotationChooser chooser;
  expect_text(static_cast<std::size_t>(count) * sizeof(std::string));
  InterruptPoll poll;
  std::vector<std::string> out;
  if (numeric.kind() == Kind::complex) {
    const auto& data = numeric.complex().data;
    for (const Complex& z : data) {
      chooser.see(z.real());
      chooser.see(z.imag());
    }
    const Notation n = chooser.choose(format);
    for (Index i = 0; i < count; ++i, poll())
      out.push_back(complex_entry(data[static_cast<std::size_t>(begin + i)], n));
    return out;
  }
  const auto& data = numeric.real().data;
  for (double x : data) chooser.see(x);
  const Notation n = chooser.choose(format);
  for (Index i = 0; i < count; ++i, poll()) out.push_back(n.print(data[static_cast<std::size_t>(begin + i)]));
  return out;
}

class Printer {
 public:
  explicit Printer(const DisplayFormat& format) : format_(format) {}

  // Appends lead and the value; `indent` stands before every further line.
  void print(const std::string& lead, const Value& v, const std::string& indent) {
    const NestingGuard guard;
    switch (v.kind()) {
      case Kind::none: out += lead + "\n"; return;
      case Kind::number:
      case Kind::boolean: out += lead + format_number(v.number(), format_) + "\n"; return;
      case Kind::colon: out += lead + ":\n"; return;
      case Kind::cell: return print_cell(lead, v.cell(), indent);
      case Kind::structure: return print_struct(lead, v.structure_ref(), indent);
      case Kind::chars: return print_chars(lead, v, indent);
      case Kind::handle:
        out += lead + (v.handle().name.empty() ? anonymous_text(*v.handle().user) : "@" + v.handle().name) + "\n";
        return;
      case Kind::object: return print_fields(lead + "object [", object_of(v).fields.structure_ref(), indent);
      case Kind::sparse: return print_sparse(lead, v.sparse(), indent);
      case Kind::symbolic:
        if (const Value* known = v.symbolic().known()) return print(lead, *known, indent);
        out += lead + v.symbolic().text() + "\n";
        return;
      case Kind::environment:
        out += lead + std::to_string(static_cast<EnvironmentHandle*>(v.heap())->number) + "\n";
        return;
      default: return print_array(lead, v, indent);
    }
  }
  std::string out;

 private:
  // What spans several lines starts below its name; disp has no name.
  void start_block(const std::string& lead) {
    if (!lead.empty()) out += lead + "\n";
  }

  void print_array(const std::string& lead, const Value& v, const std::string& indent) {
    const Value numeric = to_numeric(v);
    const Dims d = numeric.dims();
    if (d.numel() == 1) {
      out += lead +
             (numeric.kind() == Kind::complex ? format_complex(numeric.complex()[0], format_)
                                              : format_number(numeric.real()[0], format_)) +
             "\n";
      return;
    }
    if (d.count() > 2) return print_number_pages(lead, numeric, indent);
    out += lead + "[Matrix] " + d.text() + "\n";
    if (d.numel() > 0) out += print_columns(entries_of(numeric, 0, d.numel(), format_), d.rows(), d.cols(), indent);
  }

  // Every page stands for itself: as a scalar, as real when nothing in it is complex, in a notation of its own.
  template <class Page>
  void print_pages(const std::string& lead, const Dims& d, const std::string& indent, bool spaced, Page page_at) {
    start_block(lead);
    const Index pages = d.numel() / (d.rows() * d.cols());
    // The last index runs fastest.
    std::vector<Index> at(static_cast<std::size_t>(d.count() - 2), 0);
    for (Index p = 0; p < pages; ++p) {
      Index offset = 0;
      std::string label;
      for (int k = 2; k < d.count(); ++k) {
        offset += at[static_cast<std::size_t>(k - 2)] * d.stride(k);
        label += ", " + std::to_string(at[static_cast<std::size_t>(k - 2)] + 1);
      }
      out += indent + "slice(:, :" + label + ") = \n";
      const Value page = page_at(offset);
      expect_text(2 * out.size());
      poll_interrupt();
      print(page.is_cell() || page.is_text() ? "" : indent, page, indent);
      if (spaced && p + 1 < pages) out += "\n";
      for (int k = d.count() - 1; k >= 2; --k) {
        if (++at[static_cast<std::size_t>(k - 2)] < d[k]) break;
        at[static_cast<std::size_t>(k - 2)] = 0;
      }
    }
  }

  void print_number_pages(const std::string& lead, const Value& numeric, const std::string& indent) {
    const Dims d = numeric.dims(), page(d.rows(), d.cols());
    if (d.numel() == 0) {
      out += lead + "[Matrix] " + d.text() + "\n";
      return;
    }
    print_pages(lead, d, indent, true, [&](Index offset) {
      if (numeric.kind() == Kind::complex) {
        Value v = Value::complex_zeros(page);
        std::copy_n(numeric.complex().data.begin() + offset, page.numel(), v.edit_complex().data.begin());
        return narrowed(v);
      }
      Value v = Value::real_uninitialised(page);
      std::copy_n(numeric.real().data.begin() + offset, page.numel(), v.edit_real().data.begin());
      return v;
    });
  }

  void print_chars(const std::string& lead, const Value& v, const std::string& indent) {
    if (v.dims().count() > 2 && v.numel() > 0) {
      const Dims page(v.dims().rows(), v.dims().cols());
      return print_pages(lead, v.dims(), indent, false, [&](Index offset) {
        Value text = Value::chars_filled(page, ' ');
        std::copy_n(v.bytes().data.begin() + offset, page.numel(), text.edit_bytes().data.begin());
        return text;
      });
    }
    const std::vector<std::string> rows = text_rows(v);
    if (rows.size() <= 1) {
      out += lead + (rows.empty() ? "" : rows[0]) + "\n";
      return;
    }
    start_block(lead);
    for (const std::string& r : rows) out += indent + r + "\n";
  }

  void print_cell(const std::string& lead, const CellArray& c, const std::string& indent) {
    if (c.size() == 0) {
      out += lead + "{}\n";
      return;
    }
    const Index rows = c.dims.rows(), cols = c.dims.cols();
    if (c.dims.count() > 2) {
      return print_pages(lead, c.dims, indent, false, [&](Index offset) {
        Value page = Value::cell(Dims(rows, cols));
        std::copy_n(c.data.begin() + offset, rows * cols, page.edit_cell().data.begin());
        return page;
      });
    }
    const std::string inner = indent + "  ";
    start_block(lead);
    out += indent + "{\n";
    for (Index r = 0; r < rows; ++r) {
      for (Index k = 0; k < cols; ++k) print(inner + fmt::format("[{},{}] ", r + 1, k + 1), c[r + k * rows], inner);
    }
    out += indent + "}\n";
  }

  void print_struct(const std::string& lead, const StructArray& s, const std::string& indent) {
    if (s.keys.empty() && s.dims.numel() <= 1) {
      out += lead + "struct [ ]\n";
      return;
    }
    if (s.dims.numel() == 1) return print_fields(lead + "struct [", s, indent);
    const std::string inner = indent + "  ";
    out += lead + "struct [\n" + inner + "Struct array of size " + s.dims.text() + " with fields:\n";
    for (const std::string& k : shown_fields(s)) out += inner + k + "\n";
    out += indent + "]\n";
  }

  static std::vector<std::string> shown_fields(const StructArray& s) {
    std::vector<std::string> keys = s.keys;
    std::sort(keys.begin(), keys.end());
    if (s.is_caught_error) std::erase_if(keys, [](const std::string& k) { return k == "identifier" || k == "column"; });
    return keys;
  }

  void print_fields(const std::string& head, const StructArray& s, const std::string& indent) {
    const std::string inner = indent + "  ";
    out += head + "\n";
    for (const std::string& k : shown_fields(s)) print(inner + k + ": ", *s.get(k), inner);
    out += indent + "]\n";
  }

  void print_sparse(const std::string& lead, const SparseMatrix& s, const std::string& indent) {
    out += lead + fmt::format("sparse [{} x {}], nnz = {}\n", s.rows, s.cols, s.nonzeros());
    for (Index c = 0; c < s.cols; ++c) {
      for (Index k = s.starts[c]; k < s.starts[c + 1]; ++k) {
        out += indent + fmt::format("[{},{}] ", s.row_of[k] + 1, c + 1);
        out += (s.is_complex() ? format_complex(Complex(s.re[k], s.im[k]), format_) : format_number(s.re[k], format_));
        out += "\n";
      }
    }
  }

  const DisplayFormat& format_;
};

}  // namespace

std::string format_number(double x, const DisplayFormat& format) {
  if (!std::isfinite(x)) return not_finite(x);
  switch (format.style) {
    case Style::standard: return fmt::format("{:.{}g}", x, x != 0 && std::abs(x) <= 1e-14 ? 6 : 9);
    case Style::short_exponent: return fmt::format("{:.5e}", x);
    case Style::long_exponent: return capital(fmt::format("{:.16e}", x), Style::standard);
    default: break;
  }
  const double m = std::abs(x);
  if (is_whole(x) && m < 1e10) return fmt::format("{:.0f}", x);
  const bool is_long = format.style == Style::long_fixed;
  if (m >= 1e5 || m < 1e-5) return fmt::format("{:.{}e}", x, is_long ? 16 : 5);
  return fmt::format("{:.{}f}", x, is_long ? 8 : 5);
}

std::string format_complex(Complex z, const DisplayFormat& format) {
  const double re = z.real(), im = std::abs(z.imag());
  const std::string sign = std::signbit(z.imag()) ? " - " : " + ";
  const double largest = std::max(std::isfinite(re) ? std::abs(re) : 0, std::isfinite(im) ? im : 0);
  double smallest = INFINITY;
  for (double x : {std::abs(re), im})
    if (x > 0 && std::isfinite(x)) smallest = std::min(smallest, x);
  Notation n;
  const bool whole = (!std::isfinite(re) || is_whole(re)) && (!std::isfinite(im) || is_whole(im));
  if (whole && largest < 1e9) {
    n.form = Notation::Form::whole;
  } else if (largest >= 1e9 || smallest < 1e-5 * std::max(1.0, std::min(largest, 1.0))) {
    n.form = Notation::Form::exponent;
    n.decimals = 8;
  } else {
    n.form = Notation::Form::fixed;
    const int digits = largest >= 1 ? static_cast<int>(std::floor(std::log10(largest))) + 1 : 1;
    n.decimals = format.style == Style::short_fixed ? 5 : std::max(0, 9 - digits);
  }
  std::string first = n.print(re), second = n.print(im);
  // The fewest decimals that both parts need.
  while (n.form == Notation::Form::fixed && format.style == Style::standard && std::isfinite(re) && std::isfinite(im) &&
         first.back() == '0' && second.back() == '0' && first.find('.') + 1 < first.size()) {
    first.pop_back();
    second.pop_back();
  }
  return first + sign + second + "i";
}

std::string display_text(const std::string& name, const Value& v, const DisplayFormat& format) {
  Printer printer(format);
  printer.print(name.empty() ? "" : name + " = ", v, "");
  return printer.out;
}

}  // namespace orrery::oml
