// SPDX-License-Identifier: Apache-2.0
// kill -9 of the worker and of the server at any moment of editing: every edit that was answered is there afterwards.
#include <signal.h>

#include <random>
#include <thread>

#include "fixture.h"

namespace orrery::tests {
namespace {

using Crashes = Serving;

std::string worker_of(int server) {
  std::string all;
  std::error_code gone;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(server) + "/task", gone)) {
    std::ifstream children(task.path() / "children");
    std::string pid;
    while (children >> pid) all = pid;
  }
  return all;
}

TEST_F(Crashes, AWorkerThatIsKilledLosesNothing) {
  start();
  Page page = open("ball.orr");
  ASSERT_TRUE(page.edit({{"add", "Gain", "as", "Kept"}}).contains("ok"));
  page.socket.wait_for("problems");
  ASSERT_TRUE(page.ask({{"do", "run"}, {"speed", 0.1}}).contains("ok"));
  page.socket.wait_for("progress");
  const std::string worker = worker_of(server_->process());
  ASSERT_FALSE(worker.empty());
  ::kill(std::stoi(worker), SIGKILL);
  EXPECT_EQ(page.socket.wait_for("ended")["state"], "crashed");
  const Json told = page.socket.wait_for("worker");
  EXPECT_EQ(told["state"], "crashed") << told.dump();
  EXPECT_TRUE(page.ask({{"do", "inspect"}, {"block", "/Kept"}}).contains("ok"));
  // It works again.
  page.socket.pushes.clear();
  ASSERT_TRUE(page.ask({{"do", "run"}, {"settings", {{"stop", "1"}}}}).contains("ok"));
  EXPECT_EQ(page.socket.wait_for("ended")["state"], "ended");
}

// ORRERY_KILLS is the long form: 100.
TEST_F(Crashes, EveryKeptEditSurvivesTheServer) {
  const int rounds = std::getenv("ORRERY_KILLS") != nullptr ? std::atoi(std::getenv("ORRERY_KILLS")) : 6;
  std::mt19937 random(3);
  std::vector<std::string> kept;  // names of blocks whose addition was answered
  for (int round = 0; round < rounds; ++round) {
    start();
    Page page = open("ball.orr");
    if (round > 0) {
      ASSERT_TRUE(page.about.contains("recovery") || kept.empty()) << page.about.dump();
      EXPECT_EQ(page.edit({{"add", "Gain"}})["error"]["code"], "recovery-waiting");
      ASSERT_TRUE(page.ask({{"do", "recover"}, {"take", true}}).contains("ok"));
      for (const std::string& name : kept)
        EXPECT_TRUE(page.ask({{"do", "inspect"}, {"block", "/" + name}}).contains("ok"))
            << name << " in round " << round;
    }
    const int pid = server_->process();
    const auto delay = std::chrono::microseconds(random() % 60000);
    const auto sooner = std::chrono::microseconds(random() % 30000);
    std::thread killer([pid, delay, sooner] {
      std::this_thread::sleep_for(std::min(delay, sooner));
      if (const std::string worker = worker_of(pid); !worker.empty() && sooner < delay)
        ::kill(std::stoi(worker), SIGKILL);
      if (sooner < delay) std::this_thread::sleep_for(delay - sooner);
      ::kill(pid, SIGKILL);
    });
    for (int k = 0; k < 1000 && !page.socket.closed; ++k) {
      const std::string name = "R" + std::to_string(round) + "x" + std::to_string(k);
      const Json answer =
          page.ask({{"do", "edit"}, {"steps", {{"add", "Gain", "as", name, "at", "10," + std::to_string(10 * k)}}}}, 5);
      if (answer.contains("ok")) kept.push_back(name);
    }
    killer.join();
    server_->kill_hard();
    if (kept.size() > 300) {  // a save in between: the journal begins anew
      start();
      Page again = open("ball.orr");
      ASSERT_TRUE(again.ask({{"do", "recover"}, {"take", true}}).contains("ok"));
      ASSERT_TRUE(again.ask({{"do", "save"}}).contains("ok"));
      const std::string text = read(file("ball.orr"));
      for (const std::string& name : kept) EXPECT_NE(text.find("\"" + name + "\""), std::string::npos) << name;
      kept.clear();
      ASSERT_TRUE(again.edit({{"add", "Gain", "as", "Again" + std::to_string(round)}}).contains("ok"));
      kept.push_back("Again" + std::to_string(round));
      server_->kill_hard();
    }
  }
  EXPECT_FALSE(kept.empty());
}

TEST_F(Crashes, NothingRunsBeforeConsent) {
  const std::string made = base_ + "/made";
  std::string text = read(file("ball.orr"));
  start();
  Page page = open("ball.orr");
  page.socket.wait_for("problems");
  ASSERT_TRUE(page.edit({{"initialization", "f = fopen('" + made + "', 'w'); fclose(f);"}}).contains("ok"));
  const Json needed = page.socket.wait_for("consent_needed");
  ASSERT_TRUE(needed.contains("needs")) << needed.dump();
  EXPECT_EQ(needed["needs"][0]["capability"], "write");
  ASSERT_TRUE(page.ask({{"do", "run"}}).contains("ok"));
  EXPECT_EQ(page.socket.wait_for("ended")["state"], "failed");
  const Json shell = page.ask({{"do", "console"}, {"text", "system('touch " + made + "')"}});
  EXPECT_TRUE(shell["ok"].contains("error")) << shell.dump();
  page.ask({{"do", "console"}, {"text", "f = fopen('" + made + "', 'w');"}});
  EXPECT_FALSE(fs::exists(made));
  ASSERT_TRUE(page.ask({{"do", "consent"}, {"allow", {"write"}}, {"keep", "once"}}).contains("ok"));
  page.socket.pushes.clear();
  ASSERT_TRUE(page.ask({{"do", "run"}, {"settings", {{"stop", "1"}}}}).contains("ok"));
  EXPECT_EQ(page.socket.wait_for("ended")["state"], "ended");
  EXPECT_TRUE(fs::exists(made));
}

TEST_F(Crashes, FmusAndCNeedConsent) {
  start();
  Page page = open("ball.orr");
  page.socket.wait_for("problems");
  ASSERT_TRUE(page.edit({{"add", "CCustomBlock", "as", "Own", "code=int own(void) { return 0; }"}}).contains("ok"));
  Json problems = page.socket.wait_for("problems");
  const std::string all = problems.dump();
  EXPECT_NE(all.find("needs-consent"), std::string::npos) << all;
}

}  // namespace
}  // namespace orrery::tests
