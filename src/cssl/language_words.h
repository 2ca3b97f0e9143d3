// SPDX-License-Identifier: Apache-2.0
// How the languages call what messages speak of.
#pragma once

#include <string>

namespace orrery::cssl {

struct LanguageWords {
  const char* give_value;   // how a name gets a value
  const char* procedural;   // where statements keep their order: between this
  const char* closes;       // … and this
  const char* continuous;   // where equations of continuous time stand
  const char* not_there;    // where they do not
  const char* break_loops;  // what helps against algebraic loops
};

inline LanguageWords words_of(const std::string& language) {
  if (language == "darep")
    return {"give it a value in the data part, or an equation",
            "PROCED",
            "ENDPRO",
            "$D1",
            "not in PROCED or a subprogram",
            "solve it for one of the names, or iterate in PROCED"};
  if (language == "desire")
    return {"assign it in the experiment, or in the model above",
            "OUT",
            "the end",
            "DYNAMIC",
            "not in OUT or SAMPLE",
            "solve it for one of the names: the model is carried out from top to bottom"};
  if (language == "csmp")
    return {"give it a value with PARAM, CONST or INCON, or an equation",
            "PROCEDURE",
            "ENDPRO",
            "DYNAMIC",
            "not in INITIAL, TERMINAL, NOSORT, PROCEDURE, IF or a subprogram",
            "break it with an integrator or a delay, solve it for one of the names, or let IMPL find it"};
  return {"give it a value with CONSTANT, or an equation",
          "PROCEDURAL",
          "END",
          "DERIVATIVE",
          "not in INITIAL, DISCRETE, DYNAMIC, PROCEDURAL, IF or a subprogram",
          "break it with an integrator or a delay, solve it for one of the names, or let IMPLC (IMPL) find it"};
}

}  // namespace orrery::cssl
