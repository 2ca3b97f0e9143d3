// SPDX-License-Identifier: Apache-2.0
// Type inference: unknown rows, columns and element types are classes of a union-find structure.
#include "compile/infer_types.h"

#include <fmt/format.h>

#include <array>
#include <deque>

namespace orrery::compile {
namespace {

using blocks::Port;
using Unknown = std::uint32_t;
constexpr Unknown no_unknown = UINT32_MAX;

// What a class of unknowns is worth, and which blocks want to hear when it becomes known.
struct Class {
  int value = 0;  // sizes: > 0; types: code + 1; 0: unknown
  // Blocks with a refine function: a chain through Inference::listeners_.
  std::uint32_t count = 0, first = 0, last = 0;
};

struct Listener {
  std::uint32_t block, next;
};

struct PortUnknowns {
  Unknown rows, cols, type;
};

class Inference {
 public:
  Inference(FlatModel& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {
    constants_.fill(no_unknown);
  }

  void run() {
    declare();
    link();
    refine_all();
    if (diagnostics_.has_errors()) return;
    settle_unconnected();
    refine_all();
    assume_scalars();
    finish();
  }

 private:
  Unknown fresh(int value) {
    parent_.push_back(static_cast<Unknown>(parent_.size()));
    classes_.push_back({value});
    return parent_.back();
  }

  // What is known from the beginning: one class for each number, as most ports of large models have the same few.
  Unknown known(int value) {
    if (value <= 0 || value >= static_cast<int>(constants_.size())) return fresh(value);
    Unknown& constant = constants_[static_cast<std::size_t>(value)];
    if (constant == no_unknown) constant = fresh(value);
    return constant;
  }

  Unknown root(Unknown u) {
    while (parent_[u] != u) {
      parent_[u] = parent_[parent_[u]];
      u = parent_[u];
    }
    return u;
  }

  int value(Unknown u) { return classes_[root(u)].value; }

  // Who listens to a class that becomes known hears of it once.
  void wake(Class& known) {
    for (std::uint32_t at = known.first; known.count > 0; at = listeners_[at].next, --known.count) {
      const std::uint32_t block = listeners_[at].block;
      if (!queued_[block]) {
        queued_[block] = true;
        queue_.push_back(block);
      }
    }
  }

  void listen(Class& to, std::uint32_t block) {
    const auto at = static_cast<std::uint32_t>(listeners_.size());
    listeners_.push_back({block, 0});
    append(to, {0, 1, at, at});
  }

  void append(Class& to, Class more) {
    if (more.count == 0) return;
    if (to.count == 0) {
      to.first = more.first;
    } else {
      listeners_[to.last].next = more.first;
    }
    to.last = more.last;
    to.count += more.count;
  }

  // False when two known values differ.
  bool unify(Unknown a, Unknown b) {
    a = root(a);
    b = root(b);
    if (a == b) return true;
    if (classes_[a].count < classes_[b].count) std::swap(a, b);
    Class& into = classes_[a];
    Class& from = classes_[b];
    if (into.value != 0 && from.value != 0 && into.value != from.value) return false;
    if (into.value == 0 && from.value != 0) wake(into);
    if (into.value != 0 && from.value == 0) wake(from);
    if (into.value == 0) into.value = from.value;
    append(into, std::exchange(from, {}));
    parent_[b] = a;
    return true;
  }

  bool assign(Unknown u, int known) {
    Class& c = classes_[root(u)];
    if (c.value == known) return true;
    if (c.value != 0) return false;
    c.value = known;
    wake(c);
    return true;
  }

  void declare() {
    const std::size_t count = model_.blocks.size();
    queued_.assign(count, false);
    first_.reserve(count);
    for (std::uint32_t b = 0; b < count; ++b) {
      FlatBlock& block = model_.blocks[b];
      local_.clear();
      first_.push_back(ports_.size());
      for (const Port& port : block.inputs) ports_.push_back(declare_port(b, port));
      for (const Port& port : block.outputs) ports_.push_back(declare_port(b, port));
      if (block.type->refine != nullptr) {
        queued_[b] = true;
        queue_.push_back(b);
      }
    }
  }

  PortUnknowns declare_port(std::uint32_t block, const Port& port) {
    return {local(block, port.rows, port.rows, 0), local(block, port.cols, port.cols, 0),
            local(block, port.type, port.type + 1, 1000)};
  }

  // The unknown behind a number of the declaration; negative numbers are shared within the block.
  Unknown local(std::uint32_t block, int number, int value, int space) {
    if (number >= 0 && !(space == 0 && number == 0)) return known(value);
    for (const auto& [seen, unknown] : local_) {
      if (seen == number - space) return unknown;
    }
    const Unknown u = fresh(0);
    if (model_.blocks[block].type->refine != nullptr) listen(classes_[u], block);
    local_.emplace_back(number - space, u);
    return u;
  }

  const PortUnknowns& input(std::uint32_t block, std::size_t index) const { return ports_[first_[block] + index]; }
  const PortUnknowns& output(std::uint32_t block, std::size_t index) const {
    return ports_[first_[block] + model_.blocks[block].inputs.size() + index];
  }

  void link() {
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      FlatBlock& block = model_.blocks[b];
      for (std::size_t p = 0; p < block.drivers.size(); ++p) {
        const PortOf driver = block.drivers[p];
        if (driver.block == no_block ||
            model_.blocks[driver.block].outputs.size() < static_cast<std::size_t>(driver.port))
          continue;
        const PortUnknowns& from = output(driver.block, static_cast<std::size_t>(driver.port - 1));
        const PortUnknowns& to = input(b, p);
        const bool rows = unify(from.rows, to.rows);
        const bool cols = unify(from.cols, to.cols);
        const bool sizes = rows && cols;
        const bool types = unify(from.type, to.type);
        if (!sizes) report_link(b, p, driver, false);
        if (!types) report_link(b, p, driver, true);
      }
    }
  }

  std::string shown(const PortUnknowns& port, bool types) {
    if (types) {
      const int code = value(port.type);
      return code == 0 ? "unknown" : name_of(static_cast<program::Scalar>(code - 1));
    }
    return size_text(value(port.rows), value(port.cols));
  }

  static std::string size_text(int rows, int cols) {
    return fmt::format("{}x{}", rows == 0 ? "?" : std::to_string(rows), cols == 0 ? "?" : std::to_string(cols));
  }

  void report_link(std::uint32_t b, std::size_t p, PortOf driver, bool types) {
    const FlatBlock& block = model_.blocks[b];
    const FlatBlock& source = model_.blocks[driver.block];
    const auto& from = output(driver.block, static_cast<std::size_t>(driver.port - 1));
    diagnostics_.error(types ? "type-conflict" : "size-mismatch", model_.place(block, fmt::format("input {}", p + 1)),
                       fmt::format("is {}, but {} output {} gives {}", shown(input(b, p), types), source.path,
                                   driver.port, shown(from, types)),
                       types ? "insert a DataTypeConversion block, or change the type of one of the blocks"
                             : "change the parameters that fix the sizes, or insert a Mux, Demux or MatrixGain");
  }

  void refine_all() {
    std::size_t calls = 0;
    const std::size_t limit = 1000 + 200 * model_.blocks.size();
    while (!queue_.empty() && calls++ < limit) {
      const std::uint32_t b = queue_.front();
      queue_.pop_front();
      queued_[b] = false;
      refine(b);
    }
  }

  Port known_port(const Port& declared, const PortUnknowns& u) {
    return {declared.name, value(u.rows), value(u.cols), value(u.type) - 1};
  }

  void refine(std::uint32_t b) {
    FlatBlock& block = model_.blocks[b];
    blocks::Ports ports(block.parameters);
    for (std::size_t p = 0; p < block.inputs.size(); ++p) {
      ports.inputs().push_back(known_port(block.inputs[p], input(b, p)));
    }
    for (std::size_t p = 0; p < block.outputs.size(); ++p) {
      ports.outputs().push_back(known_port(block.outputs[p], output(b, p)));
    }
    try {
      block.type->refine(ports);
    } catch (const blocks::ParameterError& error) {
      diagnostics_.error(error.code, model_.place(block, "parameter " + error.parameter), error.message, error.help);
      return;
    }
    if (!ports.failure().empty()) {
      diagnostics_.error("ports-disagree", model_.place(block), ports.failure(),
                         "change what is connected, or the parameters that fix sizes and types");
      return;
    }
    for (std::size_t p = 0; p < block.inputs.size(); ++p) learn(b, ports.inputs()[p], input(b, p), "input", p);
    for (std::size_t p = 0; p < block.outputs.size(); ++p) learn(b, ports.outputs()[p], output(b, p), "output", p);
  }

  void learn(std::uint32_t b, const Port& port, const PortUnknowns& u, const char* side, std::size_t p) {
    const int rows = value(u.rows), cols = value(u.cols);
    const bool ok = (port.rows <= 0 || assign(u.rows, port.rows)) && (port.cols <= 0 || assign(u.cols, port.cols)) &&
                    (port.type < 0 || assign(u.type, port.type + 1));
    if (ok) return;
    diagnostics_.error("size-mismatch", model_.place(model_.blocks[b], fmt::format("{} {}", side, p + 1)),
                       fmt::format("the block needs {}x{} here, but what it is connected to is {}", port.rows,
                                   port.cols, size_text(rows, cols)),
                       "change the parameters that fix the sizes");
  }

  // An unconnected input is 0 (Activate, 1.1.1), 1x1 when nothing else says its size.
  void settle_unconnected() {
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      const FlatBlock& block = model_.blocks[b];
      for (std::size_t p = 0; p < block.drivers.size(); ++p) {
        if (block.drivers[p].block != no_block) continue;
        if (block.type->foreign) continue;  // its model has a start value, and fixes the size
        diagnostics_.warning("unconnected-input", model_.place(block, fmt::format("input {}", p + 1)),
                             "nothing is connected here; it reads 0",
                             "connect it, or a Constant of 0 to say it is meant");
        const PortUnknowns& u = input(b, p);
        if (value(u.rows) == 0) assign(u.rows, 1);
        if (value(u.cols) == 0) assign(u.cols, 1);
      }
    }
  }

  // What nothing fixes, such as a loop of sums around scalars, is taken to be scalar.
  void assume_scalars() {
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      const std::size_t end = b + 1 < first_.size() ? first_[b + 1] : ports_.size();
      for (std::size_t k = first_[b]; k < end; ++k) {
        if (value(ports_[k].rows) == 0) assign(ports_[k].rows, 1);
        if (value(ports_[k].cols) == 0) assign(ports_[k].cols, 1);
      }
      if (!queue_.empty()) refine_all();
    }
  }

  void finish() {
    for (std::uint32_t b = 0; b < model_.blocks.size(); ++b) {
      FlatBlock& block = model_.blocks[b];
      for (std::size_t p = 0; p < block.inputs.size(); ++p) fix(block.inputs[p], input(b, p));
      for (std::size_t p = 0; p < block.outputs.size(); ++p) fix(block.outputs[p], output(b, p));
    }
  }

  void fix(Port& port, const PortUnknowns& u) {
    port.rows = value(u.rows);
    port.cols = value(u.cols);
    port.type = value(u.type) == 0 ? static_cast<int>(program::Scalar::f64) : value(u.type) - 1;
  }

  FlatModel& model_;
  Diagnostics& diagnostics_;
  std::array<Unknown, 64> constants_;  // by number
  std::vector<Unknown> parent_;
  std::vector<Class> classes_;
  std::vector<Listener> listeners_;
  std::vector<PortUnknowns> ports_;  // of all blocks: inputs, then outputs
  std::vector<std::size_t> first_;   // by block
  std::vector<std::pair<int, Unknown>> local_;
  std::deque<std::uint32_t> queue_;
  std::vector<bool> queued_;
};

}  // namespace

void infer_types(FlatModel& model, Diagnostics& diagnostics) { Inference(model, diagnostics).run(); }

}  // namespace orrery::compile
