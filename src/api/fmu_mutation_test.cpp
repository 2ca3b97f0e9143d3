// SPDX-License-Identifier: Apache-2.0
// Damaged archives and descriptions that lie: diagnostics are the only answer. ORRERY_MUTANTS=10000 makes more of them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "api/fmu_run_for_tests.h"
#include "base/folders_for_tests.h"
#include "fmi/archive_for_tests.h"
#include "fmi/check.h"
#include "fmi/info.h"
#include "fmi/mend_library.h"

namespace orrery::fmi {
namespace {

constexpr const char* seeds[] = {"bouncing_ball_1_cs", "feedthrough_2", "state_space_3",
                                 "ticking_3",          "feedthrough_3", "quirk_description_2"};

std::string bytes_of(const std::string& name) {
  std::ifstream file(test_fmu_folder() + "/" + name + ".fmu", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string description_of(const std::string& name) {
  Diagnostics diagnostics;
  const auto archive = Archive::open(test_fmu_folder() + "/" + name + ".fmu", diagnostics);
  return archive->read("modelDescription.xml", diagnostics).value_or("");
}

// The same numbers on every machine: only the generator's raw output is used.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  std::string mutate(std::string text) {
    static const char* const words[] = {"-1",   "1e999", "NaN",   "99999999999999999999", "\"", "<", ">",
                                        "/>",   "&#0;",  "&amp;", "4294967295",           "0",  "[", "]]>",
                                        "<!--", "true"};
    const std::size_t rounds = 1 + below(6);
    for (std::size_t k = 0; k < rounds && !text.empty(); ++k) {
      const std::size_t at = below(text.size()), length = below(std::min<std::size_t>(text.size() - at, 200));
      switch (below(7)) {
        case 0: text[at] = static_cast<char>(below(256)); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, text.substr(at, length)); break;
        case 3: text.insert(at, words[below(std::size(words))]); break;
        case 4: text.resize(at); break;
        case 5: replace_number(text, at, words[below(std::size(words))]); break;
        default: std::swap(text[at], text[below(text.size())]); break;
      }
    }
    return text;
  }

  // A lie that is well-formed: the value of one attribute becomes that of another one, or a word of another kind.
  std::string lie(std::string text) {
    static const char* const words[] = {"0",      "1",        "2",     "-1",     "4294967295", "1e308",
                                        "NaN",    "",         "true",  "false",  "continuous", "input",
                                        "output", "constant", "exact", "1000000"};
    const std::size_t rounds = 1 + below(4);
    for (std::size_t k = 0; k < rounds; ++k) {
      std::vector<std::pair<std::size_t, std::size_t>> values;  // place and length
      for (std::size_t at = text.find("=\""); at != std::string::npos; at = text.find("=\"", at)) {
        const std::size_t end = text.find('"', at + 2);
        if (end == std::string::npos) break;
        values.emplace_back(at + 2, end - at - 2);
        at = end;
      }
      if (values.empty()) break;
      const auto [at, length] = values[below(values.size())];
      const auto [other, other_length] = values[below(values.size())];
      text.replace(at, length, below(2) == 0 ? text.substr(other, other_length) : words[below(std::size(words))]);
    }
    return text;
  }

 private:
  // A lie about a number: the next run of digits becomes something else.
  static void replace_number(std::string& text, std::size_t at, const char* word) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const std::size_t end = text.find_first_not_of("0123456789", begin);
    text.replace(begin, end == std::string::npos ? text.size() - begin : end - begin, word);
  }
  std::mt19937 random_;
};

TEST(Mutation, DescriptionsNeverCrash) {
  Mutator mutator(7);
  for (const char* seed : seeds) {
    const std::string original = description_of(seed);
    ASSERT_FALSE(original.empty());
    for (int k = 0; k < 250; ++k) {
      Diagnostics diagnostics;
      TestFile file("mutant.fmu");
      const auto description = read_description(mutator.mutate(original), file.path(), diagnostics);
      if (!description) {
        EXPECT_TRUE(diagnostics.has_errors());
        continue;
      }
      check_description(*description, file.path(), diagnostics);
      EXPECT_LT(diagnostics.all().size(), 1000u);
    }
  }
}

TEST(Mutation, ArchivesNeverCrash) {
  Mutator mutator(11);
  TestFile file("mutant.fmu");
  for (const char* seed : seeds) {
    const std::string original = bytes_of(seed);
    ASSERT_FALSE(original.empty());
    for (int k = 0; k < 90; ++k) {
      file.write(mutator.mutate(original));
      Diagnostics diagnostics = check_fmu(file.path());
      const auto archive = Archive::open(file.path(), diagnostics);
      if (!archive) continue;
      const auto folder = TemporaryFolder::create(diagnostics);
      ASSERT_TRUE(folder);
      static_cast<void>(archive->unpack(
          folder->path(), [](std::string_view) { return true; }, diagnostics));
    }
  }
}

TEST(Mutation, InfoOfLiesIsPrinted) {
  Mutator mutator(13);
  TestFile file("mutant.fmu");
  for (const char* seed : seeds) {
    const std::string original = description_of(seed);
    for (int k = 0; k < 30; ++k) {
      Diagnostics diagnostics;
      const std::string xml = mutator.mutate(original);
      file.write_zip({{"modelDescription.xml", xml}});
      const auto archive = Archive::open(file.path(), diagnostics);
      const auto description = read_description(xml, file.path(), diagnostics);
      if (!archive || !description) continue;
      EXPECT_FALSE(info_text(*description, *archive).empty());
      EXPECT_FALSE(info_json(*description, *archive).empty());
    }
  }
}

// What libraries say about themselves is not trusted either. They are not loaded here.
TEST(Mutation, LibrariesAreMendedOrLeftAlone) {
  Mutator mutator(19);
  Diagnostics diagnostics;
  const auto archive = Archive::open(test_fmu_folder() + "/quirk_old_library_2.fmu", diagnostics);
  const auto original = archive->read("binaries/linux64/quirk_old_library.so", diagnostics);
  ASSERT_TRUE(original);
  TestFile file("mutant.so");
  for (int k = 0; k < 300; ++k) {
    std::string bytes = *original;
    if (k % 2 == 0) {
      bytes = mutator.mutate(bytes);
    } else {  // the tables in front are what matters
      bytes.replace(0, 0x800, mutator.mutate(bytes.substr(0, 0x800)).substr(0, 0x800));
    }
    file.write(bytes);
    static_cast<void>(replace_needed(file.path(), "libgfortran.so.3", k % 3 == 0 ? "libgfortran.so.5" : "libm.so.6"));
    static_cast<void>(look_beside(file.path()));
    static_cast<void>(leave_stack_alone(file.path()));
  }
}

std::atomic<bool> late{false};

// Runs in a process of its own twice: the FMU in one, the simulator in another, which must come to its end by itself,
// or soon after it is interrupted, as some lies make long runs.
bool ends_well(const std::string& path, bool short_run) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, [](int) {
      if (late.exchange(true)) _exit(4);
      alarm(60);
    });
    alarm(2);
    RunOptions options;
    options.safe = true;
    options.time_limit = 3;
    options.interrupt = &late;
    options.memory_limit = under_sanitizer ? 0 : std::uint64_t{1} << 30;  // its shadows are larger than all memory
    if (short_run) options.stop = 1;
    const RunResult result = simulate(path, options);
    _exit(result.failed() && !result.diagnostics.has_errors() && result.end == End::failed ? 3 : 0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Mutation, RunsOfLiesEnd) {
  const char* asked = std::getenv("ORRERY_MUTANTS");
  const long count = asked != nullptr ? std::atol(asked) : 200;
  static constexpr const char* running[] = {
      "bouncing_ball_1_me", "stairs_1_cs", "bouncing_ball_2", "feedthrough_2", "state_space_3", "feedthrough_3",
      "ticking_3",          "clocks_3",    "van_der_pol_2",   "oscillator_3",  "resizable_3",   "input_integral_1_cs"};
  Mutator mutator(asked != nullptr ? 1000 : 17);
  for (long k = 0; k < count; ++k) {
    const std::string seed = running[static_cast<std::size_t>(k) % std::size(running)];
    TestFile file("mutant.fmu");
    std::string what;
    if (k % 7 == 6) {
      file.write(mutator.mutate(bytes_of(seed)));
    } else {
      Diagnostics diagnostics;
      const auto archive = Archive::open(test_fmu_folder() + "/" + seed + ".fmu", diagnostics);
      std::vector<ArchiveEntry> entries;
      for (const std::string& name : archive->files()) {
        entries.push_back({name, archive->read(name, diagnostics).value_or("")});
        std::string& text = entries.back().text;
        if (name == "modelDescription.xml") what = text = k % 7 == 5 ? mutator.mutate(text) : mutator.lie(text);
      }
      file.write_zip(entries);
    }
    ASSERT_TRUE(ends_well(file.path(), k % 2 == 0)) << seed << " " << k << "\n" << what;
  }
}

}  // namespace
}  // namespace orrery::fmi
