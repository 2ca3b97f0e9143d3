// SPDX-License-Identifier: Apache-2.0
// The work of flatten(): levels are opened from the outside in, then every input follows its links to a basic block.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compile/evaluate_parameters.h"
#include "compile/flatten.h"
#include "compile/level.h"

namespace orrery::compile {

struct UnitTemplate;

class Flattening {
 public:
  Flattening(const model::Model& model, Evaluator& evaluator, const Services& services, Diagnostics& diagnostics);
  FlatModel run();

 private:
  Place place(const Level& level, const model::BlockInstance& instance, std::string port = {}) const;

  // flatten.cpp: contexts, parameters, flat blocks.
  void open(Level& level);
  void add_block(Level& level, std::uint32_t k);
  std::optional<blocks::Parameters> user_parameters(const Level& level, const model::BlockInstance& instance,
                                                    const blocks::BlockType*& type);
  std::uint32_t add_basic(Level& level, std::uint32_t k, const blocks::BlockType& type, blocks::Parameters parameters);
  std::uint32_t add_flat(const Level& level, const model::BlockInstance& instance, FlatBlock block,
                         blocks::Ports& ports);
  void note_special(Level& level, std::uint32_t k, blocks::Parameters parameters);
  void add_always_port(Level& level, std::uint32_t k);
  void gather_links(Level& level);

  // open_super.cpp: the kinds of super blocks.
  void add_super(Level& level, std::uint32_t k, const model::Diagram& diagram, std::uint32_t file);
  void add_include(Level& level, std::uint32_t k, const std::string& file);
  void add_library_block(Level& level, std::uint32_t k);
  std::unique_ptr<Level> make_child(Level& level, std::uint32_t k, const model::Diagram& diagram, std::uint32_t file);
  void open_child(Level& child, const model::BlockInstance& instance);
  void open_copies(Level& level, std::uint32_t k, const model::Diagram& diagram, std::uint32_t file, Inside& inside);
  int count_of(const Level& level, const model::BlockInstance& instance, const model::Diagram& diagram,
               std::uint32_t file);
  void add_splits(Level& level, std::uint32_t k, bool columns, Inside& inside);
  std::uint32_t add_hidden(const Level& level, std::uint32_t k, const blocks::BlockType& type,
                           std::vector<blocks::Value> values, const std::string& name);
  void begin_unit(Level& child, Level& level, std::uint32_t k);
  void end_unit(const Level& child);
  void add_conditions(Level& child);
  bool includes_itself(const Level& level, std::uint32_t file) const;

  // share_units.cpp: super blocks that are opened once for all their instances.
  std::shared_ptr<UnitTemplate> open_unit(const model::Diagram& diagram, const std::string& path);
  // file: that of the diagram; line: that of the super block it is drawn in, 0 where it is included.
  std::shared_ptr<const SharedUnit> make_shared_unit(const model::Diagram& diagram, std::uint32_t file,
                                                     const std::string& path, int line);
  static void group_instances(Level& level);
  std::uint32_t add_instance(Level& level, std::uint32_t k, std::shared_ptr<const SharedUnit> unit,
                             const std::string& name);
  bool share_super(Level& level, std::uint32_t k, const model::Diagram& diagram, std::uint32_t file);
  bool share_copies(Level& level, std::uint32_t k, int count, const model::Diagram& diagram, std::uint32_t file,
                    Inside& inside);
  void connect_shared(const Level& level, std::uint32_t k, const Inside& inside);

  // read_mask.cpp: the parameters of a super block.
  std::vector<GivenVariable> mask_values(const Level& level, const model::BlockInstance& instance,
                                         const std::vector<model::MaskParameter>& mask, std::uint32_t file);
  void check_mask(const Level& level, const model::BlockInstance& instance,
                  const std::vector<model::MaskParameter>& mask);
  void set_root_mask();

  // follow_links.cpp: drivers of inputs.
  void connect(Level& level);
  void connect_inside(Level& level, std::uint32_t k, Inside& inside);
  void warn_of_event_inputs(const Level& level, std::uint32_t k, const Level& child);
  struct PortCounts {
    int inputs, outputs, activation_inputs, activation_outputs;
  };
  PortCounts counts_of(const Level& level, std::uint32_t k) const;
  void check_targets(const Level& level);
  void check_port(const Level& level, const model::Link& link, std::uint32_t k, int port, int count, const char* kind);
  // The names that are still to be taken out of a bus, the next one last.
  using BusPath = std::vector<std::string>;
  struct Followed {
    PortOf driver = {};
    std::vector<PortOf> inherits = {};  // from which activations are inherited instead
    // Where the way ends at a bus, or at one that has no signal of the next name: the block that made it, if any.
    bool is_bus = false, lacks_name = false;
    const Level* bus_level = nullptr;
    std::uint32_t bus_block = no_block;
    BusPath rest = {};
  };
  void keep(FlatBlock& block, std::size_t input, Followed followed);
  void drive(FlatBlock& block, std::size_t input, const Level& level, std::uint32_t k, int port);
  static void drop_unconnected(FlatBlock& unit);
  Followed resolve(const Level& start, PortOf source, BusPath path = {});
  void follow_activation(const Level& level, std::uint32_t k, int port, std::vector<PortOf>& found, int depth);

  // follow_tags.cpp: links without a line.
  void find_setters(Level& level);
  void add_setter(Setters& setters, TagKind kind, const Level& level, std::uint32_t k);
  bool follow_tag(TagKind kind, const Level*& level, std::uint32_t& k);

  // follow_buses.cpp: signals with names on one link.
  void add_bus_constant(Level& level, std::uint32_t k, const blocks::Parameters& parameters);
  void check_buses(const Level& level);
  void drive_unit(FlatBlock& unit, const Level& level, std::uint32_t k);
  Followed follow_input(const Level& level, std::uint32_t k, int port, BusPath path);
  void find_bus_signals(const Level& level, PortOf source, const BusPath& path, std::vector<BusPath>& found);
  std::vector<std::string> names_at(const Followed& followed) const;
  static bool follow_bus_block(const Level& level, std::uint32_t k, int port, BusPath& path, int& target_port,
                               Followed& result);

  enum class Visit : std::uint8_t { under_way, done };

  const model::Model& model_;
  Evaluator& evaluator_;
  const Services& services_;
  ParameterEvaluation parameters_;
  Diagnostics& diagnostics_;
  FlatModel flat_;
  std::vector<std::shared_ptr<const model::Model>> included_;       // by file, from 1
  std::vector<std::unique_ptr<model::Diagram>> built_;              // by programmable super blocks
  std::map<std::pair<const Level*, std::uint64_t>, Visit> visits_;  // of one activation input
  Setters global_setters_[2];                                       // by TagKind
};

}  // namespace orrery::compile
