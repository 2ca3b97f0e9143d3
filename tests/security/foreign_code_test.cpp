// SPDX-License-Identifier: Apache-2.0
// FMUs in processes of their own: what they start, whom they kill, what they write and which sources they bring.
#include <gtest/gtest.h>
#include <signal.h>
#include <zip.h>

#include <chrono>
#include <thread>

#include "hostile_model.h"

namespace orrery::tests::foreign_code_test {
namespace {

class ForeignCode : public HostileModel {
 protected:
  Outcome run_safe(const std::string& fmu) const {
    return orrery(
        {"run", test_fmu_folder() + "/" + fmu + ".fmu", "--kind", "cs", "--safe", "--quiet", "--time-limit", "10"});
  }
  // The folders of FMUs that were left behind in the temporary folder of the test.
  std::vector<std::string> left_behind() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(file("tmp"))) {
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    }
    return names;
  }
  void SetUp() override {
    HostileModel::SetUp();
    fs::create_directories(file("tmp"));
    ::setenv("TMPDIR", file("tmp").c_str(), 1);
    ::setenv("HARM_FILE", file("tmp/harm.txt").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    ::unsetenv("HARM_FILE");
    HostileModel::TearDown();
  }

  // An FMU 2.0 with these C sources and no binary.
  std::string source_fmu(const std::string& name, const std::string& source, const std::string& variable = "y") const {
    const std::string xml =
        "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"s\" guid=\"{1}\">"
        "<CoSimulation modelIdentifier=\"s\"><SourceFiles><File name=\"s.c\"/></SourceFiles></CoSimulation>"
        "<ModelVariables><ScalarVariable name=\"" +
        variable +
        "\" valueReference=\"1\" causality=\"output\"><Real/></ScalarVariable>"
        "</ModelVariables><ModelStructure><Outputs><Unknown "
        "index=\"1\"/></Outputs></ModelStructure></fmiModelDescription>";
    int code = 0;
    zip* archive = zip_open(file(name).c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    for (const auto& [path, text] :
         {std::pair(std::string("modelDescription.xml"), &xml), {std::string("sources/s.c"), &source}})
      zip_file_add(archive, path.c_str(), zip_source_buffer(archive, text->data(), text->size(), 0), 0);
    zip_close(archive);
    return file(name);
  }
};

TEST_F(ForeignCode, WhatAnFmuStartsEndsWithIt) {
  // On a busy machine the run may be over before the daemon has begun.
  std::string number;
  for (int k = 0; k < 20 && number.empty(); ++k) {
    const Outcome outcome = run_safe("leave_daemon_2");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    number = read(file("tmp/harm.txt"));
  }
  ASSERT_FALSE(number.empty()) << "the daemon has not even begun";
  // One that has ended and that nobody waited for is not alive either.
  const auto alive = [&] {
    const std::string status = read(fmt::format("/proc/{}/stat", std::stol(number)));
    return !status.empty() && !contains(status, ") Z ");
  };
  for (int k = 0; k < 1000 && alive(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(alive()) << number;
  EXPECT_TRUE(left_behind().empty());
}

// It may be kept from it by the kernel, and then it goes on; else there is an error that names it.
TEST_F(ForeignCode, AnFmuThatKillsItsParentHarmsNobody) {
  const Outcome outcome = run_safe("kill_parent_2");
  EXPECT_TRUE(outcome.code == 0 || contains(outcome.err, "error[fmi-crash]")) << outcome.code << outcome.err;
  EXPECT_TRUE(left_behind().empty());
}

TEST_F(ForeignCode, DamagedMessagesAreAnErrorWithAName) {
  for (const char* fmu : {"zero_messages_2", "spoil_messages_2"}) {
    const Outcome outcome = run_safe(fmu);
    // It may have been too late with it.
    EXPECT_TRUE(outcome.code == 0 || (outcome.code == 1 && contains(outcome.err, "error[fmi-")))
        << fmu << outcome.code << outcome.err;
    EXPECT_TRUE(left_behind().empty()) << fmu;
  }
}

TEST_F(ForeignCode, InAProcessOfItsOwnItWritesOnlyWhereItWorks) {
  ::setenv("HARM_FILE", file("outside/made.txt").c_str(), 1);
  const std::string command = "cd '" + file("model") + "' && HARM_FILE='" + file("outside/made.txt") + "' TMPDIR='" +
                              file("tmp") + "' '" + orrery_binary() + "' run '" + test_fmu_folder() +
                              "/write_elsewhere_2.fmu' --kind cs --safe --quiet";
  ASSERT_EQ(std::system(command.c_str()), 0);
  if (::access("/sys/kernel/security/landlock", F_OK) != 0 && fs::exists(file("outside/made.txt")))
    GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_FALSE(fs::exists(file("outside/made.txt")));
}

TEST_F(ForeignCode, NamesOfVariablesControlNoTerminal) {
  const Outcome outcome = orrery({"fmu", "info", source_fmu("s.fmu", "int x;\n", "\x1b[2Jevil\xc2\x9b")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\\x1b[2Jevil\\u009b")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out + outcome.err, "\x1b"));
}

TEST_F(ForeignCode, SourcesIncludeNoFilesOfTheUser) {
  write("outside/secret.h", "token_of_the_user;\n");
  for (const std::string& line :
       {"#include \"" + file("outside/secret.h") + "\"\n",
        "#define NAME \"" + file("outside/secret.h") + "\"\n#include NAME\n", std::string("#include \"/etc/passwd\"\n"),
        "#include \"" + file("outside/secret.h") + "\"\n#include \"missing.h\"\n"}) {
    const Outcome outcome = orrery({"run", source_fmu("s.fmu", line + "int x;\n"), "--quiet"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "fmi-strange-include") || contains(outcome.err, "fmi-compile-failed"))
        << outcome.err;
    EXPECT_FALSE(contains(outcome.err, "token_of_the_user")) << outcome.err;
    EXPECT_FALSE(contains(outcome.err, "root:")) << outcome.err;
  }
  const Outcome bad = orrery({"run", source_fmu("s.fmu", "int f( { }\n"), "--quiet"});
  EXPECT_TRUE(contains(bad.err, "fmi-compile-failed") && contains(bad.err, "expected")) << bad.err;
  EXPECT_TRUE(left_behind().empty());
}

// Blocks in C with safe=1: pointers and sizes that they spoil are not followed, what they start ends with them, and
// they end nobody else.
TEST_F(ForeignCode, BlocksInProcessesOfTheirOwnHarmNobody) {
  const std::string source = write("harm.c", R"(
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "vss_block4.h"
__attribute__((constructor)) static void loaded(void) {
  FILE* file = fopen(getenv("HARM_LOADED"), "a");
  if (file) fprintf(file, "%d\n", getpid()), fclose(file);
}
void spoil(vss_block* block, int flag) {
  block->output = (vss_matrix*)8;
  block->state = (double*)16;
  block->noutput = block->nstate = block->nevoutput = 1 << 30;
  block->evoutput = block->dstate = (double*)24;
  block->sim = (vss_simulator*)32;
  (void)flag;
}
void leave(vss_block* block, int flag) {
  if (flag == VssFlag_Initialize && fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    FILE* file = fopen(getenv("HARM_FILE"), "w");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    sleep(1000);
  }
  if (flag == VssFlag_OutputUpdate) {
    long size = 0;  /* the daemon has begun */
    for (int k = 0; k < 1000 && size <= 0; ++k) {
      usleep(20000);
      FILE* file = fopen(getenv("HARM_FILE"), "r");
      if (!file) continue;
      fseek(file, 0, SEEK_END);
      size = ftell(file);
      fclose(file);
    }
    *(double*)block->output[0].real = 7;
    kill(getppid(), SIGKILL);
  }
}
)");
  ASSERT_EQ(std::system(fmt::format("cc -shared -fPIC -w -I'{}/src/foreign/include' -o '{}' '{}'", source_folder(),
                                    file("model/harm.so"), source)
                            .c_str()),
            0);
  ::setenv("HARM_LOADED", file("tmp/loaded.txt").c_str(), 1);
  // The process of the block may be ended before its daemon has written who it is: again, until one has.
  std::string number;
  for (int round = 0; round < 50 && number.empty(); ++round) {
    const char* const function = round == 0 ? "spoil" : "leave";
    const std::string block = fmt::format(
        R"({{"name": "B", "type": "CCustomBlock", "parameters": {{"library": "'harm.so'", "function": "'{}'",
 "insizes": "[]", "outsizes": "[1 1]", "safe": "1"}}}})",
        function);
    fs::remove(file("tmp/loaded.txt"));
    const pid_t child = start({"run", model({}, block), "--quiet", "--stop", "1", "--allow", "native"});
    const Outcome outcome = finish(child);
    EXPECT_TRUE(outcome.code == 0 || (outcome.code == 1 && contains(outcome.err, "error[block-")))
        << function << outcome.code << outcome.err;
    // Its code was loaded elsewhere only.
    EXPECT_FALSE(contains("\n" + read(file("tmp/loaded.txt")), fmt::format("\n{}\n", child))) << function;
    for (int k = 0; k < 10 && round > 0 && number.empty(); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      number = read(file("tmp/harm.txt"));
    }
  }
  ::unsetenv("HARM_LOADED");
  ASSERT_FALSE(number.empty()) << "the daemon has not even begun";
  // One that has ended and that nobody waited for is not alive either.
  const auto alive = [&] {
    const std::string status = read(fmt::format("/proc/{}/stat", std::stol(number)));
    return !status.empty() && !contains(status, ") Z ");
  };
  for (int k = 0; k < 1000 && alive(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(alive()) << number;
}

}  // namespace
}  // namespace orrery::tests::foreign_code_test
