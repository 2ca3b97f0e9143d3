// SPDX-License-Identifier: Apache-2.0
// Bodies with parameters as unknowns, links as equations.
#include "compile/check_units.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "compile/unit_products.h"
#include "compile/unit_remarks.h"
#include "compile/unit_template.h"

namespace orrery::compile {
namespace {

using program::ExprId;
using program::SlotId;
using units::Product;

class DiagramUnits {
 public:
  DiagramUnits(const model::Model& model, const FlatModel& flat, program::ParameterSpace* space,
               Diagnostics& diagnostics)
      : model_(model),
        flat_(flat),
        diagnostics_(diagnostics),
        program_(space != nullptr ? space->beginning() : program::Program()),
        compiling_(space, program_),
        sweep_(
            program_.graph, [this](SlotId slot, int element) { return of_slot(slot, element); },
            [this](std::uint32_t history, std::uint32_t element) { return of_past(history, element); },
            [this](const Product& left, const Product& right, const char* why) { equate(left, right, why); }) {}

  std::vector<units::UnitOfName> run() {
    program_.add_origin({flat_.file, "model", 0});
    add_signals();
    for (std::size_t b = 0; b < flat_.blocks.size(); ++b) block(b);
    report(all_.solve());
    std::vector<units::UnitOfName> list;
    for (const units::QuantityId id : listed_)
      list.push_back(
          {all_.name(id), all_.known(id) ? units::to_text(all_.unit(id)) : std::string(), all_.declared(id)});
    return list;
  }

 private:
  struct Where {
    std::size_t block;
    std::string port;
    const char* why;
  };

  void add_signals() {
    for (const FlatBlock& block : flat_.blocks) {
      const auto origin = program_.add_origin({block.path, block.type->name, block.model_line});
      signals_.emplace_back();
      for (std::size_t p = 0; p < block.outputs.size(); ++p) {
        const blocks::Port& port = block.outputs[p];
        const program::Type type{static_cast<program::Scalar>(port.type), port.rows, port.cols};
        const SlotId slot = program_.add_slot({fmt::format("y{}", p + 1), type, program::SlotKind::signal, origin});
        names_[slot] = block.outputs.size() == 1 ? block.path : fmt::format("{} output {}", block.path, p + 1);
        signals_.back().push_back(slot);
        for (int k = 0; k < type.size() && type.size() <= 64; ++k) listed_.push_back(quantity(slot, k));
      }
    }
  }

  units::QuantityId quantity(SlotId slot, int element) {
    const auto [found, fresh] = quantities_.emplace(std::pair{slot, element}, 0);
    if (fresh) {
      const bool single = program_.slots[slot].type.size() == 1;
      const auto name = names_.find(slot);
      std::string text = name != names_.end() ? name->second
                                              : fmt::format("{} {}", program_.origins[program_.slots[slot].origin].path,
                                                            program_.slots[slot].name);
      found->second = all_.add(single ? text : fmt::format("{}({})", text, element + 1));
    }
    return found->second;
  }

  Product of_slot(SlotId slot, int element) { return Product::of(quantity(slot, element)); }

  Product of_past(std::uint32_t history, std::uint32_t element) {
    const auto [found, fresh] = pasts_.emplace(std::pair{history, element}, 0);
    if (fresh) found->second = all_.add("the past of a signal");
    return Product::of(found->second);
  }

  void equate(const Product& left, const Product& right, const char* why, std::string port = {}) {
    if (left.number || right.number) return;
    const FlatBlock& block = flat_.blocks[current_];
    all_.equate(left, right, fmt::format("{} ({})", block.path, block.type->name), !port.empty());
    places_.push_back({current_, std::move(port), why});
  }

  void equate_all(SlotId slot, ExprId value, double rate, const char* why, const std::string& port = {}) {
    const UnitProducts& products = sweep_.of(value);
    const std::int64_t size = program_.slots[slot].type.size();
    for (std::size_t k = 0; k < products.size() && static_cast<std::int64_t>(k) < size; ++k)
      equate(of_slot(slot, static_cast<int>(k)) - Product::of(units::second()) * rate, products[k], why, port);
  }

  // The values of the parameters become reads of slots, one each, where the behaviour takes them as formulas.
  blocks::Parameters symbolic(const FlatBlock& block, program::OriginId origin, const BlockRemarks& remarks) {
    std::vector<program::Value> values;
    for (const blocks::ParameterSpec& spec : block.type->parameters) {
      program::Value value = block.parameters.value(spec.name);
      const bool numbers =
          value.is_number() && !value.is_empty() && program::is_floating(value.type) && !value.is_complex();
      if (numbers) {
        const program::Type type{value.type, value.rows, value.cols};
        const SlotId slot = program_.add_slot({spec.name, type, program::SlotKind::parameter, origin});
        names_[slot] = fmt::format("{} {}", block.path, spec.name);
        value.formula = program_.read(slot);
        const auto remark = remarks.parameters.find(spec.name);
        for (int k = 0; remark != remarks.parameters.end() && k < type.size(); ++k)
          all_.declare(quantity(slot, k), remark->second.unit, remark->second.where);
      }
      values.push_back(std::move(value));
    }
    blocks::Parameters made(block.type, std::move(values));
    // Both live as long as the flat model.
    made.set_tracer({std::shared_ptr<void>(), block.parameters.tracer()});
    made.set_foreign_models({std::shared_ptr<void>(), block.parameters.foreign_models()});
    return made;
  }

  void block(std::size_t b) {
    current_ = b;
    const FlatBlock& block = flat_.blocks[b];
    const auto origin = static_cast<program::OriginId>(b + 1);
    const BlockRemarks remarks = remarks_of(model_, flat_.place(block), block, diagnostics_);
    for (const auto& [port, remark] : remarks.outputs) {
      const SlotId slot = signals_[b][static_cast<std::size_t>(port - 1)];
      for (int k = 0; k < program_.slots[slot].type.size(); ++k)
        all_.declare(quantity(slot, k), remark.unit, remark.where);
    }
    std::vector<program::Expr> inputs;
    std::vector<program::Type> outputs;
    for (const blocks::Port& port : block.outputs)
      outputs.push_back({static_cast<program::Scalar>(port.type), port.rows, port.cols});
    for (std::size_t p = 0; p < block.inputs.size(); ++p) inputs.push_back(input(block, origin, p, remarks));
    const blocks::Parameters parameters = symbolic(block, origin, remarks);
    blocks::Block builder(program_, origin, parameters, std::move(inputs), std::move(outputs),
                          block.activation_input_count);
    try {
      if (block.type->build != nullptr) block.type->build(builder);
    } catch (const blocks::ParameterError&) {
      return;  // it needs numbers: its units stay unknown
    }
    sweep_.go_on();
    body(b, builder.body());
  }

  program::Expr input(const FlatBlock& block, program::OriginId origin, std::size_t p, const BlockRemarks& remarks) {
    const PortOf driver = block.drivers[p];
    const program::Type type{static_cast<program::Scalar>(block.inputs[p].type), block.inputs[p].rows,
                             block.inputs[p].cols};
    const auto remark = remarks.inputs.find(static_cast<int>(p) + 1);
    if (driver.block == no_block || remark != remarks.inputs.end()) {
      const SlotId slot = program_.add_slot({fmt::format("u{}", p + 1), type, program::SlotKind::signal, origin});
      names_[slot] = fmt::format("{} input {}", block.path, p + 1);
      for (int k = 0; k < type.size(); ++k) {
        if (remark != remarks.inputs.end()) all_.declare(quantity(slot, k), remark->second.unit, remark->second.where);
        if (driver.block != no_block)
          equate(of_slot(slot, k), of_slot(signals_[driver.block][static_cast<std::size_t>(driver.port - 1)], k),
                 "the input has the unit {}, what is linked to it {}", fmt::format("input {}", p + 1));
      }
      return {&program_.graph, program_.read(slot)};
    }
    return {&program_.graph, program_.read(signals_[driver.block][static_cast<std::size_t>(driver.port - 1)])};
  }

  void body(std::size_t b, const blocks::Body& body) {
    for (std::size_t p = 0; p < body.outputs.size() && p < signals_[b].size(); ++p) {
      if (body.outputs[p] != program::no_expr)
        equate_all(signals_[b][p], body.outputs[p], 0, "the output has the unit {}, what is computed for it {}",
                   fmt::format("output {}", p + 1));
    }
    for (const blocks::Derivative& item : body.derivatives)
      equate_all(item.state, item.value, 1, "a rate of change has the unit {}, what is integrated {}");
    for (const blocks::HistoryRule& item : body.histories) {
      const UnitProducts& products = sweep_.of(item.value);
      for (std::size_t k = 0; k < products.size(); ++k)
        equate(of_past(item.history, static_cast<std::uint32_t>(k)), products[k],
               "the past has the unit {}, the signal {}");
    }
    for (const blocks::Rule& rule : body.rules) {
      if (rule.kind == blocks::Rule::Kind::set && rule.value != program::no_expr)
        equate_all(rule.slot, rule.value, 0, "what is kept has the unit {}, its new value {}");
      if (rule.kind == blocks::Rule::Kind::schedule && rule.value != program::no_expr) {
        for (const Product& delay : sweep_.of(rule.value))
          equate(delay, Product::of(units::second()), "a delay has the unit {}, time {}");
      }
    }
    for (SlotId slot = 0; slot < program_.slots.size(); ++slot) {
      const program::Slot& item = program_.slots[slot];
      if (slot < checked_ || item.initial == program::no_expr) continue;
      equate_all(slot, item.initial, 0, "what is kept has the unit {}, its initial value {}");
    }
    checked_ = static_cast<SlotId>(program_.slots.size());
  }

  void report(const std::vector<units::Conflict>& conflicts) {
    for (const units::Conflict& conflict : conflicts) {
      const Where& where = places_[conflict.equation];
      Place place = flat_.place(flat_.blocks[where.block], where.port);
      const std::string message = fmt::format(fmt::runtime(where.why), conflict.left, conflict.right);
      Diagnostic* made = nullptr;
      if (conflict.kind == units::Conflict::Kind::dimension) {
        made = &diagnostics_.error("unit-mismatch", std::move(place), message,
                                   "correct the diagram, or the unit in one of these remarks");
      } else if (conflict.kind == units::Conflict::Kind::size) {
        made = &diagnostics_.warning(
            "unit-size", std::move(place), message,
            fmt::format("multiply the second by {:.10g}, with a Gain that has this unit", conflict.factor));
      } else {
        made = &diagnostics_.warning("unit-size", std::move(place), message + ", with different zero points",
                                     fmt::format("add {:.10g} to the second", conflict.offset));
      }
      made->notes = conflict.path;
    }
  }

  const model::Model& model_;
  const FlatModel& flat_;
  Diagnostics& diagnostics_;
  program::Program program_;
  program::ParameterSpace::Compiling compiling_;
  UnitSweep sweep_;
  units::Inference all_;
  std::map<std::pair<SlotId, int>, units::QuantityId> quantities_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, units::QuantityId> pasts_;
  std::unordered_map<SlotId, std::string> names_;
  std::vector<std::vector<SlotId>> signals_;  // by block and output
  std::vector<units::QuantityId> listed_;
  std::vector<Where> places_;  // by equation
  std::size_t current_ = 0;
  SlotId checked_ = 0;
};

}  // namespace

std::vector<units::UnitOfName> check_units(const model::Model& model, const Evaluated& evaluated,
                                           Diagnostics& diagnostics) {
  FlatModel flat = evaluated.flat;
  if (has_shared_units(flat)) expand_units(flat, false);
  return DiagramUnits(model, flat, evaluated.parameters.get(), diagnostics).run();
}

}  // namespace orrery::compile
