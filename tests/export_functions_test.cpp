// SPDX-License-Identifier: Apache-2.0
// Code out from OML scripts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/oml_evaluator.h"
#include "base/folders_for_tests.h"
#include "oml/interpreter.h"
#include "run_model.h"

namespace orrery::tests::export_functions_test {
namespace {

namespace fs = std::filesystem;

std::string run_script(const std::string& text, const Consent& consent = Consent::everything()) {
  api::OmlEvaluator evaluator(consent);
  const auto result = evaluator.interpreter().run_text(text);
  return result.ok ? "" : result.error_text;
}

TEST(ExportFunctions, WriteWhatTheyName) {
  const std::string folder = cache_of_this_process() + "/export_functions";
  fs::remove_all(folder);
  const std::string open = fmt::format("m = bdeOpenModel('{}/examples/export/temperature.orr');\n", source_folder());
  EXPECT_EQ(run_script(open + R"(
r = vssGeneratePProjectBody(m, '/Room');
assert(r.name, 'Room');
assert(isempty(strfind(r.source, 'Room_derivatives')), false);
assert(r.inouts{1}.name, 'Air');
assert(r.inouts{1}.kind, 'input');
assert(r.inouts{1}.size, [1 1]);
bare = vssGeneratePProjectBody(m, 'Room', struct('comments', false));
assert(length(bare.source) < length(r.source), true);
)"),
            "");
  EXPECT_EQ(
      run_script(open + fmt::format("f = vssCompileToStandalone(m, '/Room', struct('folder', '{0}/c'));\n"
                                    "assert(f, '{0}/c');\n"
                                    "[io, used] = vssGenerateSimpleSolver(m, '/Room', struct('python', true, 'folder', "
                                    "'{0}/py', 'modulename', 'warm'));\n"
                                    "assert(used.modulename, 'warm');\nassert(numel(io), 5);\n"
                                    "x = vssPProjExportToFMU(m, '/Room', struct('mecs', 1, 'fmufile', "
                                    "'{0}/room.fmu'));\nassert(x, '{0}/room.fmu');\n",
                                    folder)),
      "");
  for (const char* file : {"c/main.c", "c/Room.c", "py/warm/__init__.py", "py/pyproject.toml", "room.fmu"})
    EXPECT_TRUE(fs::exists(folder + "/" + file)) << file;
}

TEST(ExportFunctions, PutABlockInThePlaceOfAnother) {
  const std::string open = fmt::format("m = bdeOpenModel('{}/examples/export/temperature.orr');\n", source_folder());
  EXPECT_EQ(run_script(open + R"(
before = bdeGetText(m);
p = vssCompileToInlinedC(m, '/Room', struct('setatomic', true, 'setinputsdept', [true], 'comments', false));
assert(p, '/Room');
assert(bdeGetType(m, '/Room/Code'), 'CCustomBlock');
bdeUndo(m);
assert(bdeGetText(m), before);
vssGenerateCBlock(m, '/Room');
assert(numel(bdeFindBlocks(m, 'CCustomBlock')), 1);
)"),
            "");
}

TEST(ExportFunctions, SayWhatIsWrong) {
  const std::string open = fmt::format("m = bdeOpenModel('{}/examples/export/temperature.orr');\n", source_folder());
  EXPECT_NE(run_script(open + "vssGenerateCBlock(m);").find("which super block?"), std::string::npos);
  EXPECT_NE(run_script(open + "vssGenerateCBlock(m, '/Nothing');").find("no such block"), std::string::npos);
  EXPECT_NE(run_script(open + "vssGenerateFMUBlock(m, '/Room', struct('mecs', 7));").find("mecs must be"),
            std::string::npos);
  EXPECT_NE(run_script("vssCompileToStandalone(3);").find("bdeOpenModel"), std::string::npos);
  // A script that may not write does not.
  EXPECT_NE(run_script(open + "vssCompileToStandalone(m, '/Room');", Consent{Capability::read}), "");
}

}  // namespace
}  // namespace orrery::tests::export_functions_test
