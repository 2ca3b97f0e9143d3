// SPDX-License-Identifier: Apache-2.0
// Thousands of damaged model files, loaded, compiled and run for a moment: diagnostics or results, never a crash or
// hang.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/folders_for_tests.h"
#include "blocks/block.h"
#include "run_model.h"

namespace orrery::tests::fuzz_test {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> example_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/examples")) {
    if (entry.path().extension() == ".orr") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the same cases on every machine
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

enum class TokenKind { key, name, number, port, value };

struct Token {
  std::size_t begin, end;
  TokenKind kind;
};

TokenKind kind_of(const std::string& text, std::size_t begin, std::size_t end) {
  if (text.compare(end, 1, ":") == 0) return TokenKind::key;
  for (const char* field : {"\"name\": ", "\"about\": "}) {
    if (text.substr(0, begin).ends_with(field)) return TokenKind::name;
  }
  const std::string_view token = std::string_view(text).substr(begin, end - begin);
  const std::size_t colon = token.rfind(':');
  return colon != std::string_view::npos && colon + 3 >= token.size() ? TokenKind::port : TokenKind::value;
}

// Texts in quotes, with the quotes, and numbers.
std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::size_t begin = k;
    if (text[k] == '"') {
      for (++k; k < text.size() && text[k] != '"'; ++k) k += text[k] == '\\';
      const std::size_t end = std::min(k + 1, text.size());
      tokens.push_back({begin, end, kind_of(text, begin, end)});
    } else if (std::isdigit(static_cast<unsigned char>(text[k]))) {
      while (k + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[k + 1]))) ++k;
      tokens.push_back({begin, k + 1, TokenKind::number});
    }
  }
  return tokens;
}

class Mutator {
 public:
  Mutator() : examples_(example_texts()) {
    for (const std::string& text : examples_) {
      for (const Token& token : tokens_of(text))
        pool_.push_back({text.substr(token.begin, token.end - token.begin), token.kind});
    }
    for (const blocks::BlockType* type : blocks::library()) types_.push_back("\"" + type->name + "\"");
  }

  std::string make(std::uint64_t seed) {
    state_ = seed * 0x9E3779B97F4A7C15u + 1;
    std::string text = examples_[below(examples_.size())];
    for (std::size_t k = 1 + below(3); k > 0; --k) {
      if (below(12) == 0) {
        damage_bytes(text);
      } else {
        damage_tokens(text);
      }
    }
    return text;
  }

 private:
  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state_ >> 33) % std::max<std::size_t>(count, 1);
  }

  void damage_bytes(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, 1 + below(20)); break;
      case 2: text.insert(at, text.substr(below(text.size()), 1 + below(200))); break;
      case 3: text.resize(at); break;
      default: text[at] = "{}[],:\"\\0-e.'"[below(13)]; break;
    }
    if (text.empty()) text = "{";
  }

  void damage_tokens(std::string& text) {
    static const std::vector<std::string> nasty = {
        "\"\"",       "\"-1\"",    "\"0\"",       "\"nan\"",       "\"inf\"",       "\"-inf\"", "\"1e308\"",
        "\"1e-308\"", "\"[]\"",    "\"[1;2]\"",   "\"1+2i\"",      "\"'text'\"",    "\"true\"", "\"int8(3)\"",
        "\"1/0\"",    "\"2^53\"",  "\"1e9\"",     "\"100\"",       "\"(((\"",       "\"a b\"",  "null",
        "9999999999", "\"'+-+'\"", "\"[1 2 3]\"", "\"0.1:0.1:1\"", "\"zeros(3,0)\""};
    const std::vector<Token> tokens = tokens_of(text);
    if (tokens.empty()) return;
    Token token = tokens[below(tokens.size())];
    for (int tries = 0; tries < 20 && token.kind < TokenKind::port && below(20) != 0; ++tries) {
      token = tokens[below(tokens.size())];
    }
    const std::string old = text.substr(token.begin, token.end - token.begin);
    if (below(8) == 0) return remove_line(text, token.begin);
    std::string next = of_kind(token.kind);
    if (token.kind == TokenKind::port && below(8) != 0) {  // another port of the same model
      const Token& other = tokens[below(tokens.size())];
      next = other.kind == TokenKind::port ? text.substr(other.begin, other.end - other.begin) : old;
      next[next.size() - 2] = "12113"[below(5)];
    }
    if (old.size() > 2 && blocks::find_type(std::string_view(old).substr(1, old.size() - 2)) != nullptr) {
      next = types_[below(types_.size())];
    } else if (token.kind == TokenKind::value && below(2) == 0) {
      next = nasty[below(nasty.size())];
    }
    text.replace(token.begin, old.size(), next);
  }

  // Mostly of the same kind, so that much of the damage gets past the loader.
  const std::string& of_kind(TokenKind kind) {
    for (int tries = 0; tries < 20; ++tries) {
      const auto& [text, its_kind] = pool_[below(pool_.size())];
      if (its_kind == kind) return text;
    }
    return pool_[below(pool_.size())].first;
  }

  static void remove_line(std::string& text, std::size_t at) {
    const std::size_t begin = text.rfind('\n', at);
    const std::size_t end = text.find('\n', at);
    if (begin != std::string::npos && end != std::string::npos) text.erase(begin, end - begin);
  }

  std::vector<std::string> examples_, types_;
  std::vector<std::pair<std::string, TokenKind>> pool_;
  std::uint64_t state_ = 0;
};

// Interrupts a run after a while; a run that does not stop then is a hang, which ends the process with its input shown.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    done_ = true;
    thread_.join();
  }
  void begin(const std::string& input) {
    const std::lock_guard lock(mutex_);
    input_ = input;
    began_ = std::chrono::steady_clock::now();
    interrupt_ = false;
    run_ = nullptr;
  }
  // This run is to be cancelled, from now on or (nullptr) no longer.
  void guard(api::Run* run) {
    const std::lock_guard lock(mutex_);
    run_ = run;
  }
  const std::atomic<bool>& interrupt() const { return interrupt_; }

 private:
  void watch() {
    while (!done_) {
      std::this_thread::sleep_for(50ms);
      const std::lock_guard lock(mutex_);
      const auto elapsed = std::chrono::steady_clock::now() - began_;
      if (elapsed > 1s) interrupt_ = true;
      if (elapsed > 1s && run_ != nullptr) run_->cancel();
      if (elapsed < 30s) continue;
      fmt::print(stderr, "does not end:\n{}\n", input_);
      std::abort();
    }
  }

  std::mutex mutex_;
  std::string input_;
  api::Run* run_ = nullptr;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::atomic<bool> done_ = false, interrupt_ = false;
  std::thread thread_;
};

struct Tally {
  int loaded = 0, compiled = 0, completed = 0;
};

// Every diagnostic has a code and a message, and bad input is never silently accepted as nothing.
void expect_sound(const Diagnostics& diagnostics, bool ok, const std::string& input) {
  EXPECT_TRUE(ok || diagnostics.has_errors()) << "failed without an error:\n" << input;
  for (const Diagnostic& d : diagnostics.all()) {
    EXPECT_FALSE(d.code.empty() || d.message.empty()) << input;
    EXPECT_NE(d.code, "internal") << to_text(d) << input;
  }
}

void try_model(const std::string& text, Watchdog& watchdog, Tally& tally) {
  watchdog.begin(text);
  Diagnostics diagnostics;
  auto model = api::Model::read(text, "damaged.orr", diagnostics);
  expect_sound(diagnostics, model.has_value(), text);
  if (!model) return;
  ++tally.loaded;
  ASSERT_TRUE(model->set("stop", "0.01"));
  const auto compiled = model->compile(
      {.keep_signals = false, .native = api::NativeCode::first, .cancel = &watchdog.interrupt()}, diagnostics);
  expect_sound(diagnostics, compiled.has_value() || watchdog.interrupt(), text);
  if (!compiled) return;
  ++tally.compiled;
  api::Run run = start(*compiled);
  watchdog.guard(&run);
  const api::RunState end = run.run();
  watchdog.guard(nullptr);
  expect_sound(run.diagnostics(), end != api::RunState::failed, text);
  tally.completed += end == api::RunState::reached_stop || end == api::RunState::stopped;
}

class DamagedFiles : public testing::TestWithParam<int> {};

TEST_P(DamagedFiles, GiveDiagnosticsOrResults) {
  const char* wanted = std::getenv("ORRERY_FUZZ_CASES");  // for longer runs by hand
  const int cases_per_shard = wanted == nullptr ? 750 : std::atoi(wanted);
  const auto begin = std::chrono::steady_clock::now();
  // A crash leaves the input behind.
  const std::string last = fmt::format("{}/fuzz-{}.orr", testing::TempDir(), ::getpid());
  Mutator mutator;
  Watchdog watchdog;
  Tally tally;
  int tried = 0;
  for (; tried < cases_per_shard && std::chrono::steady_clock::now() - begin < 100s; ++tried) {
    const std::string text = mutator.make(static_cast<std::uint64_t>(GetParam() * cases_per_shard + tried));
    std::ofstream(last) << text;
    try_model(text, watchdog, tally);
  }
  std::filesystem::remove(last);
  fmt::print("{} files: {} loaded, {} compiled, {} ran to their end\n", tried, tally.loaded, tally.compiled,
             tally.completed);
  // Damage that is always found at once would test the loader alone.
  EXPECT_GT(tally.completed, tried / 20);
  EXPECT_LT(tally.completed, tried * 9 / 10);
}

// Every super block passes its activation on twice: 2^60 ways lead from the clock to the counter.
TEST(HardModels, ManyWaysFromOneActivationToAnother) {
  const std::string inside = R"({"blocks": [{"name": "a", "type": "EventInput"}, {"name": "b", "type": "EventOutput"}],
      "links": [{"event": "a:1", "to": ["b:1"]}, {"event": "a:1", "to": ["b:1"]}]})";
  std::string blocks = R"({"name": "C", "type": "SampleClock"}, {"name": "N", "type": "Counter"})", links;
  std::string before = "C:1";
  for (int k = 0; k < 60; ++k) {
    blocks += fmt::format(R"(, {{"name": "S{}", "type": "SuperBlock", "diagram": {}}})", k, inside);
    links += fmt::format(R"({{"event": "{}", "to": ["S{}:1"]}}, )", before, k);
    before = fmt::format("S{}:1", k);
  }
  links += fmt::format(R"({{"event": "{}", "to": ["N:1"]}})", before);
  Watchdog watchdog;
  Tally tally;
  try_model(fmt::format(R"({{"orrery": 1, "blocks": [{}], "links": [{}]}})", blocks, links), watchdog, tally);
  EXPECT_EQ(tally.completed, 1);
}

TEST(HardModels, AnActivationThatLeadsBackToItself) {
  const std::string text = R"({"orrery": 1, "blocks": [{"name": "S", "type": "SuperBlock", "diagram": {
      "blocks": [{"name": "a", "type": "EventInput"}, {"name": "b", "type": "EventOutput"}],
      "links": [{"event": "a:1", "to": ["b:1"]}, {"event": "a:1", "to": ["b:1"]}]}}, {"name": "N", "type": "Counter"}],
      "links": [{"event": "S:1", "to": ["S:1", "N:1"]}]})";
  Watchdog watchdog;
  Tally tally;
  try_model(text, watchdog, tally);
  EXPECT_EQ(tally.loaded, 1);
  EXPECT_EQ(tally.compiled, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DamagedFiles, testing::Range(0, 4));

}  // namespace
}  // namespace orrery::tests::fuzz_test
