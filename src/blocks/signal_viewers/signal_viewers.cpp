// SPDX-License-Identifier: Apache-2.0
// Scope, EventScope, Display, SignalOut: what they receive is recorded.
#include "blocks/signal_viewers/signal_viewers.h"

#include <fmt/format.h>

namespace orrery::blocks {
namespace {

// At the commas, without the blanks before each part.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == ',') {
      names.emplace_back();
    } else if (c != ' ' || !names.back().empty()) {
      names.back() += c;
    }
  }
  return names;
}

// Names separated by commas; an input without one is known by its number.
std::vector<std::string> names_of(const Block& b) {
  std::vector<std::string> names = split(b.text("names"));
  if (names.size() > static_cast<std::size_t>(b.input_count())) {
    b.fail("names",
           fmt::format("gives {} names for {} input{}", names.size(), b.input_count(), b.input_count() == 1 ? "" : "s"),
           "leave out what is too much, or raise `inputs`");
  }
  names.resize(static_cast<std::size_t>(b.input_count()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].empty()) names[k] = std::to_string(k + 1);
  }
  return names;
}

}  // namespace

const BlockType scope = {
    .name = "Scope",
    .palette = "SignalViewers",
    .summary = "Records its inputs as curves over time.",
    .description =
        "Without activation links it records whenever an input may change; in continuous time at every "
        "accepted step.",
    .icon = {.lines = {{{{0, 0}, {0, 1}}, true},
                       {{{0, 0}, {1, 0}}, true},
                       {{{0, 0.3}, {0.25, 0.7}, {0.5, 0.4}, {0.75, 0.8}, {1, 0.6}}}}},
    .parameters = {{"inputs", "1", "number of inputs"}, {"names", "''", "names of the curves, separated by commas"}},
    .ports = [](Ports& p) { p.input_each(p.parameters().count("inputs"), "u", any_type); },
    .build =
        [](Block& b) {
          const std::vector<std::string> names = names_of(b);
          for (int k = 1; k <= b.input_count(); ++k) b.record(names[static_cast<std::size_t>(k - 1)], b.in(k));
        },
};

const BlockType event_scope = {
    .name = "EventScope",
    .palette = "SignalViewers",
    .summary = "Records when events reach its activation inputs.",
    .icon = {.lines = {{{{0, 0}, {1, 0}}, true},
                       {{{0.2, 0}, {0.2, 0.8}}},
                       {{{0.5, 0}, {0.5, 0.8}}},
                       {{{0.9, 0}, {0.9, 0.8}}}}},
    .parameters = {{"inputs", "1", "number of activation inputs"}},
    .role = Role::event_marks,
    .ports = [](Ports& p) { p.activation_inputs(p.parameters().count("inputs")); },
    .build =
        [](Block& b) {
          for (int k = 1; k <= b.count("inputs"); ++k) b.record_event(k);
        },
};

const BlockType display = {
    .name = "Display",
    .palette = "SignalViewers",
    .summary = "Shows the last value of its input.",
    .icon = {.text = "0.00"},
    .ports = [](Ports& p) { p.input("u"); },
    .build = [](Block& b) { b.record("1", b.in(), true); },
};

const BlockType signal_out = {
    .name = "SignalOut",
    .palette = "SignalViewers",
    .summary = "Records its input under a name of its own, for programs that read the results.",
    .description =
        "The name is the whole name of the column in the results, without the path of the block; if another SignalOut "
        "has it already, the path is put before it. Several names, separated by commas, name the elements of a vector.",
    .icon = {.text = "→ {name}"},
    .parameters = {{"name", "'y'", "name of the recorded signal, or of each of its elements: 'x,y,z'"}},
    .role = Role::script_signal,
    .ports = [](Ports& p) { p.input("u"); },
    .build =
        [](Block& b) {
          const std::vector<std::string> names = split(b.text("name"));
          for (const std::string& name : names) {
            if (name.empty()) b.fail("name", "must not be empty");
          }
          b.record_event(1);  // scripts get the values at activations only
          const std::int64_t size = b.in().type().size();
          if (names.size() == 1) return b.record_bare(names[0], b.in());
          if (static_cast<std::int64_t>(names.size()) != size) {
            b.fail("name", fmt::format("gives {} names for an input of {} elements", names.size(), size),
                   "give one name for all, or one for each element");
          }
          for (std::int64_t k = 0; k < size; ++k) b.record_bare(names[static_cast<std::size_t>(k)], b.in()[k]);
        },
};

}  // namespace orrery::blocks
