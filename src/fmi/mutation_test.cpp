// SPDX-License-Identifier: Apache-2.0
// Thousands of damaged archives and descriptions: diagnostics are the only answer. No code of an FMU is run.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "fmi/archive_for_tests.h"
#include "fmi/check.h"
#include "fmi/info.h"

namespace orrery::fmi {
namespace {

constexpr const char* seeds[] = {"bouncing_ball_1_cs", "feedthrough_2", "state_space_3",
                                 "ticking_3",          "feedthrough_3", "quirk_description_2"};

std::string bytes_of(const std::string& name) {
  std::ifstream file(std::string(ORRERY_TEST_FMUS) + "/" + name + ".fmu", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string description_of(const std::string& name) {
  Diagnostics diagnostics;
  const auto archive = Archive::open(std::string(ORRERY_TEST_FMUS) + "/" + name + ".fmu", diagnostics);
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

}  // namespace
}  // namespace orrery::fmi
