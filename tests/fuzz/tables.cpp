// SPDX-License-Identifier: Apache-2.0
// Texts as scripts read them: the first line says how, the others are read. Nothing but an error of OML comes out.
#include "fuzz_file.h"
#include "oml/builtins/delimited_text.h"
#include "oml/error.h"
#include "oml/interpreter.h"
#include "oml/memory.h"

namespace {

orrery::oml::Interpreter& reader() {
  using namespace orrery::oml;
  static Interpreter interpreter([] {
    InterpreterOptions options;
    options.output = [](std::string_view) {};
    options.consent = {};
    options.memory_limit = std::size_t{64} << 20;
    return options;
  }());
  return interpreter;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  const std::string_view all = text_of(data, size);
  const std::size_t end = std::min(all.find('\n'), all.size());
  const std::string first(all.substr(0, end)), rest(all.substr(std::min(end + 1, all.size())));
  oml::memory_account().limit = std::size_t{64} << 20;
  try {
    oml::DelimitedOptions options;
    options.separator = first.substr(0, 1);
    oml::read_spreadsheet_range(first, options);
    oml::read_delimited(rest, options);
  } catch (const oml::OmlError&) {
  }
  const auto& base = reader().base();
  base->set("f", oml::Value::text(first));
  base->set("t", oml::Value::text(rest));
  for (const char* script :
       {"x = textscan(t, f);", "x = sscanf(t, f);", "x = strread(t, f);", "x = str2double(t); y = str2num(f);",
        "x = regexp(t, f); y = regexprep(t, f, '$1$0'); z = strrep(t, f, 'ab'); w = strsplit(t, f);",
        "x = datenum(f); y = sprintf(f, t); z = jsondecode(t);"}) {
    static_cast<void>(reader().run_text(script, "fuzz.oml"));
  }
  return 0;
}
