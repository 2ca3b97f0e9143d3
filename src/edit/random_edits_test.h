// SPDX-License-Identifier: Apache-2.0
// A model and random commands on it, for the tests of editing.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "edit/command_text.h"
#include "model/items.h"

namespace orrery::edit {

inline constexpr std::string_view edited_text = R"({
  "orrery": 2,
  "name": "edited",
  "simulation": {"stop": "10", "tolerances": {"/Plant/X": "1e-9"}},
  "context": [
    "k = 2;"
  ],
  "blocks": [
    {"name": "R", "type": "StepGenerator"},
    {"name": "E", "type": "Sum", "parameters": {"signs": "'+-'"}},
    {"name": "K", "type": "Gain", "about": "controller", "parameters": {"k": "k"}},
    {"name": "Plant", "type": "SuperBlock", "diagram": {
      "blocks": [
        {"name": "In", "type": "Input", "parameters": {"port": "1"}},
        {"name": "X", "type": "Integral", "parameters": {"x0": "1"}},
        {"name": "Out", "type": "Output", "parameters": {"port": "1"}}
      ],
      "links": [
        {"from": "In:1", "to": ["X:1"]},
        {"from": "X:1", "to": ["Out:1"]}
      ]
    }},
    {"name": "S", "type": "Scope"},
    {"name": "C", "type": "SampleClock", "parameters": {"period": "0.1"}},
    {"name": "H", "type": "SampleHold"}
  ],
  "links": [
    {"from": "R:1", "to": ["E:1"]},
    {"from": "E:1", "to": ["H:1"]},
    {"from": "H:1", "to": ["K:1"]},
    {"from": "K:1", "to": ["Plant:1"]},
    {"from": "Plant:1", "to": ["E:2", "S:1"], "name": "y"},
    {"event": "C:1", "to": ["H:1"]}
  ],
  "layout": {
    "R": [0, 0, 70, 40],
    "E": [120, 5, 30, 30]
  },
  "bends": {
    "Plant:1>E:2": [[500, 100], [135, 100]]
  }
}
)";

inline model::Model edited_model() {
  Diagnostics diagnostics;
  auto model = model::parse(edited_text, "edited.orr", diagnostics);
  return std::move(*model);
}

// A command that may or may not make sense for the model as it is.
inline std::string random_command(const model::Model& model, std::mt19937& random) {
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % (n == 0 ? 1 : n)); };
  const std::string where = pick(4) == 0 ? "Plant/" : "";
  const model::Diagram* diagram = diagram_at(model, where.empty() ? "" : "/Plant");
  if (diagram == nullptr) diagram = &model.root;
  const auto block = [&]() -> std::string {
    if (diagram->blocks.empty() || pick(20) == 0) return where + "Nothing";
    return where + diagram->blocks[pick(diagram->blocks.size())].name;
  };
  const auto number = [&] { return std::to_string(static_cast<int>(pick(60)) * 10 - 100); };
  const auto branch = [&]() -> std::string {
    if (diagram->links.empty() || pick(10) == 0) return block() + ":1 " + block() + ":2";
    const model::Link& link = diagram->links[pick(diagram->links.size())];
    return std::string(link.activation ? "event " : "") + where + link.from.block + ":" +
           std::to_string(link.from.port) + " " + where + link.to[0].block + ":" + std::to_string(link.to[0].port);
  };
  static const char* const types[] = {"Gain", "Sum", "Integral", "Scope", "SuperBlock", "SampleClock", "Gane"};
  const std::string in = where.empty() ? "" : " in Plant";
  switch (pick(41)) {
    case 0: return std::string("add ") + types[pick(7)] + in + " at " + number() + "," + number();
    case 1: return std::string("add ") + types[pick(6)] + in + " as N" + std::to_string(pick(5));
    case 2: return "add Gain" + in + " k=3 flip";
    case 3: return "remove " + block();
    case 4: return "remove " + block() + " " + block();
    case 5: return "move " + block() + " by " + number() + "," + number();
    case 6: return "move " + block() + " to " + number() + "," + number();
    case 7: return "resize " + block() + " 90,60";
    case 8: return "turn " + block() + " up";
    case 9: return "turn " + block() + " flip";
    case 10: return "rename " + block() + " B" + std::to_string(pick(6));
    case 11: return "set " + block() + " k=" + std::to_string(pick(9));
    case 12: return "set " + block() + " x0=[1;2] signs=\"'++'\"";
    case 13: return "unset " + block() + " k";
    case 14: return "about " + block() + " \"a remark\\nof two lines\"";
    case 15: return "off " + block();
    case 16: return "on " + block();
    case 17: return "reorder " + block() + " to " + std::to_string(1 + pick(8));
    case 18: return "duplicate " + block() + " " + block() + " by 30,30";
    case 19: return "connect " + block() + ":1 " + block() + ":" + std::to_string(1 + pick(3));
    case 20: return "connect event " + block() + ":1 " + block() + ":1";
    case 21: return "disconnect " + branch();
    case 22: return "insert " + block() + " into " + branch();
    case 23: return "bend " + branch() + " " + number() + "," + number();
    case 24: return "reconnect " + branch() + " to " + block() + ":" + std::to_string(1 + pick(2));
    case 25: return "name " + block() + ":1 signal" + std::to_string(pick(3));
    case 26: return "group G " + block() + " " + block();
    case 27: return "ungroup " + block();
    case 28: return "automask Plant";
    case 29: return "context" + in + " \"k = " + std::to_string(pick(5)) + ";\" \"m = 3;\"";
    case 30: return "simulation stop=" + std::to_string(pick(20)) + " rtol=1e-" + std::to_string(3 + pick(6));
    case 31: return "align left " + block() + " " + block();
    case 32: return where.empty() ? "arrange" : "arrange Plant";
    case 33: return "note" + in + " at 0,-50,100,20 \"text " + std::to_string(pick(9)) + "\"";
    case 34: return "mask Plant k=1 m";
    case 35: return pick(2) == 0 ? "options Plant atomic=true" : "options Plant atomic=false";
    case 36: return pick(2) == 0 ? "options Plant for_each=columns \"count=n + 1\"" : "options Plant for_each=none";
    case 37: return pick(2) == 0 ? "program Plant \"bdeAdd('Gain');\"" : "program Plant";
    case 38: return "library lib" + std::to_string(pick(2)) + " version=" + std::to_string(1 + pick(3)) + " path=../l";
    case 39: return "unlibrary lib" + std::to_string(pick(2));
    default: return "paste \"{\\\"blocks\\\": [{\\\"name\\\": \\\"K\\\", \\\"type\\\": \\\"Gain\\\"}]}\"";
  }
}

}  // namespace orrery::edit
