// SPDX-License-Identifier: Apache-2.0
// Units that cannot be shared after all: their insides take the places of the instances.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "blocks/diagram_ports/diagram_ports.h"
#include "compile/unit_template.h"

namespace orrery::compile {
namespace {

class Expansion {
 public:
  Expansion(FlatModel& model, bool only_failed) : model_(model), old_(std::move(model.blocks)) {
    const std::size_t count = old_.size();
    place_.assign(count, no_block);
    std::uint32_t next = 0;
    for (std::size_t b = 0; b < count; ++b) {
      place_[b] = next;
      const SharedUnit* unit = shared_unit_of(old_[b]);
      const bool expands = unit != nullptr && (!only_failed || unit->has_failed());
      units_.push_back(expands ? unit : nullptr);
      // The block of the unit's activation, then the inside without its clock, arguments and results.
      next += expands ? 1 + static_cast<std::uint32_t>(inner_count(unit->source())) : 1;
    }
    model_.blocks.reserve(next);
  }

  void run() {
    for (std::size_t b = 0; b < old_.size(); ++b) {
      if (units_[b] == nullptr) {
        FlatBlock block = std::move(old_[b]);
        redirect(block);
        model_.blocks.push_back(std::move(block));
      } else {
        expand(static_cast<std::uint32_t>(b));
      }
    }
    for (AtomicUnit& unit : model_.units) {
      if (unit.block < place_.size() && !made_.contains(&unit - model_.units.data())) unit.block = place_[unit.block];
    }
  }

 private:
  static bool is_inner(const FlatBlock& block) {
    return block.type != &blocks::unit_clock && block.type != &blocks::unit_argument &&
           block.type != &blocks::unit_result;
  }
  static std::size_t inner_count(const UnitTemplate& unit) {
    return static_cast<std::size_t>(std::count_if(unit.inside.blocks.begin(), unit.inside.blocks.end(), is_inner));
  }

  // Where an input that was driven by `from` is driven from now.
  struct Driver {
    PortOf port;
    std::vector<PortOf> inherits;
  };
  Driver driver_of(PortOf from) const {
    if (from.block == no_block) return {from, {}};
    const SharedUnit* unit = units_[from.block];
    if (unit == nullptr) return {{place_[from.block], from.port}, {}};
    const UnitTemplate& source = unit->source();
    const std::uint32_t result = source.results[static_cast<std::size_t>(from.port - 1)];
    const PortOf activation{place_[from.block], 0};
    const PortOf inner = source.inside.blocks[result].drivers[0];
    if (inner.block == no_block) return {inner, {}};
    Driver found = inner_driver(from.block, inner);
    if (found.inherits.empty()) found.inherits = {activation, found.port};
    return found;
  }

  // A driver of the inside of instance b.
  Driver inner_driver(std::uint32_t b, PortOf inner) const {
    const UnitTemplate& source = units_[b]->source();
    for (std::size_t k = 0; k < source.arguments.size(); ++k) {
      if (source.arguments[k] != inner.block) continue;
      return {driver_of(old_drivers(b)[k]).port, {PortOf{place_[b], 0}}};
    }
    return {{place_of_inner(b, inner.block), inner.port}, {}};
  }
  const std::vector<PortOf>& old_drivers(std::uint32_t b) const { return old_[b].drivers; }
  std::uint32_t place_of_inner(std::uint32_t b, std::uint32_t inner) const {
    std::vector<std::uint32_t>& numbers = numbers_[&units_[b]->source()];
    if (numbers.empty()) {
      std::uint32_t next = 1;
      for (const FlatBlock& block : units_[b]->source().inside.blocks) {
        numbers.push_back(next);
        next += is_inner(block) ? 1 : 0;
      }
    }
    return place_[b] + numbers[inner];
  }

  void redirect(FlatBlock& block) const {
    for (std::size_t p = 0; p < block.drivers.size(); ++p) {
      const Driver found = driver_of(block.drivers[p]);
      block.drivers[p] = found.port;
      if (p < block.inherits.size() && !block.inherits[p].empty()) {
        for (PortOf& from : block.inherits[p]) from.block = place_[from.block];
      } else if (!found.inherits.empty()) {
        if (block.inherits.size() <= p) block.inherits.resize(p + 1);
        block.inherits[p] = found.inherits;
      }
    }
    for (auto& drivers : block.activation_drivers) {
      for (PortOf& from : drivers) from.block = place_[from.block];
    }
    for (std::uint32_t& condition : block.conditions) condition = place_[condition];
    if (block.always_port != no_block) block.always_port = place_[block.always_port];
  }

  void expand(std::uint32_t b) {
    const FlatBlock instance = old_[b];
    const UnitTemplate& source = units_[b]->source();
    FlatBlock activation = instance;
    activation.type = &blocks::unit_activation;
    activation.parameters = blocks::Parameters(&blocks::unit_activation, {});
    activation.outputs.clear();
    activation.activation_input_count = 1;
    redirect(activation);
    if (activation.activation_drivers.empty()) activation.activation_drivers.emplace_back();
    activation.inherits.resize(activation.drivers.size());
    for (std::size_t p = activation.drivers.size(); p-- > 0;) {
      if (activation.drivers[p].block != no_block) continue;
      const auto at = static_cast<std::ptrdiff_t>(p);
      activation.drivers.erase(activation.drivers.begin() + at);
      activation.inherits.erase(activation.inherits.begin() + at);
      activation.inputs.erase(activation.inputs.begin() + at);
    }
    const auto unit = static_cast<std::uint32_t>(model_.units.size());
    made_.insert(static_cast<std::ptrdiff_t>(unit));
    model_.units.push_back({instance.unit, place_[b]});
    const std::vector<PortOf> events =
        activation.activation_drivers.empty() ? std::vector<PortOf>{} : activation.activation_drivers[0];
    model_.blocks.push_back(activation);
    for (const AtomicUnit& inner : source.inside.units) {
      made_.insert(static_cast<std::ptrdiff_t>(model_.units.size()));
      model_.units.push_back(
          {inner.parent == no_unit ? unit : unit + 1 + inner.parent, place_of_inner(b, inner.block)});
    }
    const std::string& old_path = source.inside.blocks[0].path;  // of the instance that was opened first
    for (std::uint32_t k = 0; k < source.inside.blocks.size(); ++k) {
      if (!is_inner(source.inside.blocks[k])) continue;
      FlatBlock block = source.inside.blocks[k];
      block.path = instance.path + block.path.substr(old_path.size());
      block.file = instance_file(instance, source, block.file);
      if (source.line > 0) block.line += instance.line - source.line;
      block.model_line = source.line > 0 && instance.model_line == instance.line ? block.line : instance.model_line;
      block.sync_domain = instance.sync_domain;
      block.unit = block.unit == no_unit ? unit : unit + 1 + block.unit;
      for (std::uint32_t& condition : block.conditions) condition = place_of_inner(b, condition);
      const std::vector<std::uint32_t>& around = model_.blocks[place_[b]].conditions;
      block.conditions.insert(block.conditions.begin(), around.begin(), around.end());
      block.always_port =
          block.always_port == no_block ? model_.blocks[place_[b]].always_port : place_of_inner(b, block.always_port);
      for (std::size_t p = 0; p < block.drivers.size(); ++p) {
        if (block.drivers[p].block == no_block) continue;
        const Driver found = inner_driver(b, block.drivers[p]);
        block.drivers[p] = found.port;
        if (p < block.inherits.size() && !block.inherits[p].empty()) {
          std::vector<PortOf> inherits;
          for (const PortOf& from : block.inherits[p]) {
            const Driver outer = inner_driver(b, from);
            inherits.push_back(outer.inherits.empty() ? PortOf{outer.port.block, from.port} : outer.inherits[0]);
          }
          block.inherits[p] = std::move(inherits);
        } else if (!found.inherits.empty()) {
          if (block.inherits.size() <= p) block.inherits.resize(p + 1);
          block.inherits[p] = found.inherits;
        }
      }
      for (auto& drivers : block.activation_drivers) {
        std::vector<PortOf> found;
        for (const PortOf& from : drivers) {
          if (from.block == 0) {
            found.insert(found.end(), events.begin(), events.end());
          } else {
            found.push_back({place_of_inner(b, from.block), from.port});
          }
        }
        drivers = std::move(found);
      }
      model_.blocks.push_back(std::move(block));
    }
  }

  std::uint32_t instance_file(const FlatBlock&, const UnitTemplate& source, std::uint32_t file) {
    const std::string& name = source.inside.files[file];
    for (std::uint32_t k = 0; k < model_.files.size(); ++k) {
      if (model_.files[k] == name) return k;
    }
    model_.files.push_back(name);
    return static_cast<std::uint32_t>(model_.files.size() - 1);
  }

  FlatModel& model_;
  std::vector<FlatBlock> old_;
  std::vector<std::uint32_t> place_;  // by old block: itself, or the activation of its unit
  std::vector<const SharedUnit*> units_;
  std::set<std::ptrdiff_t> made_;  // units of this expansion
  // By template: places of its blocks behind the activation of an instance.
  mutable std::unordered_map<const UnitTemplate*, std::vector<std::uint32_t>> numbers_;
};

}  // namespace

void expand_units(FlatModel& model, bool only_failed) { Expansion(model, only_failed).run(); }

}  // namespace orrery::compile
