// SPDX-License-Identifier: Apache-2.0
// Mutates a sample file: the loader never crashes, and what it accepts is written to stable bytes.
#include <gtest/gtest.h>

#include <random>

#include "model/model.h"
#include "model/sample_test.h"

namespace orrery::model {
namespace {

// Fragments that lead deeper into the grammar than random bytes do.
constexpr std::string_view fragments[] = {"\"",
                                          "{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "null",
                                          "true",
                                          "-0.0",
                                          "1e999",
                                          "\\u0000",
                                          "\\ud800",
                                          "1e-320",
                                          "\"name\": \"x\", ",
                                          "\"to\": [\"Ball:1\"], ",
                                          "\n",
                                          "123456789012345678901234567890",
                                          "// x",
                                          "Ball",
                                          ":2",
                                          "\xc3",
                                          "/"};

std::string mutate(std::string text, std::mt19937& random) {
  const auto pick = [&](std::size_t count) { return random() % std::max<std::size_t>(count, 1); };
  const std::size_t edits = 1 + pick(4);
  for (std::size_t i = 0; i < edits; ++i) {
    const std::size_t at = pick(text.size());
    const std::size_t length = std::min(pick(30), text.size() - at);
    switch (pick(6)) {
      case 0: text[at] = static_cast<char>(random() & 0xff); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, fragments[pick(std::size(fragments))]); break;
      case 3: text.insert(pick(text.size()), text.substr(at, length)); break;
      case 4: text.replace(at, std::min<std::size_t>(1, length), fragments[pick(std::size(fragments))]); break;
      default: text[at] = static_cast<char>('0' + pick(75)); break;
    }
    if (text.empty()) text = "{";
  }
  return text;
}

TEST(Mutation, NeverCrashesAndStaysStable) {
  std::mt19937 random(20240229);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = mutate(std::string(sample_text), random);
    Diagnostics diagnostics;
    const std::optional<Model> model = parse(text, "m.orr", diagnostics);
    ASSERT_EQ(model.has_value(), !diagnostics.has_errors()) << text;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      ASSERT_FALSE(diagnostic.code.empty() || diagnostic.message.empty() || diagnostic.place.line < 1) << text;
    }
    // Also proves that messages are UTF-8 whatever the file holds: the JSON writer refuses anything else.
    ASSERT_NO_THROW(to_json(diagnostics)) << text;
    if (!model) continue;
    ++accepted;
    const std::string once = write(*model);
    const std::optional<Model> again = parse(once, "m.orr", diagnostics);
    ASSERT_TRUE(again) << once;
    ASSERT_EQ(write(*again), once);
  }
  EXPECT_GT(accepted, 500);
}

}  // namespace
}  // namespace orrery::model
