// SPDX-License-Identifier: Apache-2.0
// A model text in canonical form that uses every field; shared by the tests.
#pragma once

#include <string_view>

namespace orrery::model {

inline constexpr std::string_view sample_text = R"({
  "orrery": 2,
  "name": "bouncing_ball",
  "about": "A ball dropped from 10 m … with π and \\ and \"quotes\"",
  "simulation": {"start": "0", "stop": "30", "solver": "dopri", "rtol": "1e-10", "atol": "1e-12", "hmax": "1", "hmin": "0", "hinit": "1e-3", "step": "0.1", "time_tolerance": "1e-12", "zero_threshold": "1e-9", "final_tick": "false", "sliding": "false", "algebraic": "homotopy", "tolerances": {"/Plant/Integral": "1e-9"}},
  "libraries": [
    {"name": "motors", "version": "2", "path": "../motors", "key": "d4f1"}
  ],
  "initialization": [
    "n = 3;"
  ],
  "context": [
    "g = 9.81;",
    "e = 0.9; % \"loss\""
  ],
  "blocks": [
    {"name": "Ball", "type": "JumpStateSpace", "parameters": {"A": "[0 1; 0 0]", "x0": "[10; 0]"}},
    {"name": "Ground", "type": "ZeroCross", "about": "hits the floor", "activation": "inherit"},
    {"name": "Plant", "type": "SuperBlock", "icon": "spring\nk = {k}", "parameters": {"k": "2 * g"}, "diagram": {
      "atomic": true,
      "for_each": "columns",
      "count": "n",
      "mask": [
        {"name": "k", "prompt": "Stiffness", "default": "1", "visible": "m > 0", "valid": "k > 0", "message": "must pull"},
        {"name": "m"},
        {"name": "law", "kind": "choice", "choices": ["linear", "cubic"], "default": "'linear'"}
      ],
      "blocks": [
        {"name": "Integral", "type": "Integral", "activation": "always", "parameters": {"x0": "g"}}
      ],
      "links": [
        {"from": "Integral:1", "to": ["Integral:1"], "name": "v"}
      ],
      "layout": {
        "Integral": [0.1, -2.5, 1e+20, 40, "up"]
      }
    }},
    {"name": "Scope", "type": "Scope", "off": true}
  ],
  "links": [
    {"from": "Ball:1", "to": ["Scope:1", "Ground:1"]},
    {"event": "Ground:1", "to": ["Ball:1"]}
  ],
  "notes": [
    {"text": "two\nlines", "at": [0, -40.5, 200, 30]}
  ],
  "layout": {
    "Ball": [120, 80, 60, 40],
    "Ground": [240, 80, 60, 40, "flip"]
  },
  "bends": {
    "Ball:1>Ground:1": [[300, 100], [300, 90]],
    "Ground:1!>Ball:1": [[270, 200]]
  }
}
)";

}  // namespace orrery::model
