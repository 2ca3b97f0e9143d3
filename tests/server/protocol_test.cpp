// SPDX-License-Identifier: Apache-2.0
// The editor's protocol against the running server: documents, edits, checks, runs, values, the console.
#include <cmath>
#include <cstring>

#include "fixture.h"

namespace orrery::tests {
namespace {

using Protocol = Serving;

TEST_F(Protocol, OpensShowsEditsUndoesSaves) {
  ServerProcess& server = start();
  const std::string before = read(file("ball.orr"));
  Page page = open("ball.orr");
  EXPECT_EQ(page.about["path"], "ball.orr");
  EXPECT_EQ(page.about["dirty"], false);
  ASSERT_TRUE(page.ask({{"do", "view"}, {"diagram", "/"}}).contains("ok"));
  const Answer scene = ask(server, "GET", "/scene?doc=" + std::to_string(page.doc) + "&diagram=/");
  ASSERT_EQ(scene.status, 200) << scene.body;
  const Json drawn = Json::parse(scene.body);
  EXPECT_GT(drawn["blocks"].size(), 3U);
  EXPECT_GT(drawn["links"].size(), 2U);
  const std::string first = drawn["blocks"][0]["name"].get<std::string>();

  // Trying changes nothing.
  const Json tried = page.ask({{"do", "edit"}, {"steps", {{"move", "/" + first, "by", "30,0"}}}, {"phase", "try"}});
  ASSERT_TRUE(tried.contains("ok")) << tried.dump();
  EXPECT_EQ(tried["ok"]["revision"], page.about["revision"]);
  EXPECT_GT(tried["ok"]["change"]["blocks"].size(), 0U);

  const Json kept = page.edit({{"add", "Gain", "at", "900,500", "k=7"}, {"connect", "/" + first + ":1", "/$1:1"}});
  ASSERT_TRUE(kept.contains("ok")) << kept.dump();
  const std::string made = kept["ok"]["names"][0].get<std::string>();
  EXPECT_EQ(kept["ok"]["dirty"], true);
  bool there = false;
  for (const Json& block : kept["ok"]["change"]["blocks"]) there = there || block["name"] == made;
  EXPECT_TRUE(there) << kept.dump();
  const Json inspected = page.ask({{"do", "inspect"}, {"block", "/" + made}});
  EXPECT_EQ(inspected["ok"]["parameters"][0]["text"], "7") << inspected.dump();

  // A step that fails takes the others back.
  const Json refused = page.edit({{"add", "Gain"}, {"connect", "/Nobody:1", "/$1:1"}});
  EXPECT_TRUE(refused.contains("error")) << refused.dump();
  const Json stale = page.ask({{"do", "edit"}, {"steps", {{"add", "Gain", "as", "Late"}}}, {"revision", 12345}});
  EXPECT_EQ(stale["error"]["code"], "stale-revision");
  EXPECT_EQ(page.ask({{"do", "history"}})["ok"]["done"].size(), 1U);

  EXPECT_TRUE(page.ask({{"do", "save"}}).contains("ok"));
  EXPECT_NE(read(file("ball.orr")), before);
  EXPECT_NE(read(file("ball.orr")).find("\"" + made + "\""), std::string::npos);
  EXPECT_TRUE(page.ask({{"do", "undo"}}).contains("ok"));
  EXPECT_TRUE(page.ask({{"do", "save"}}).contains("ok"));
  EXPECT_EQ(read(file("ball.orr")), before);
  EXPECT_EQ(server.end(), 0);
}

TEST_F(Protocol, ChecksAfterEveryEditWithPlaces) {
  start();
  Page page = open("ball.orr");
  Json problems = page.socket.wait_for("problems");
  EXPECT_EQ(problems["errors"], 0) << problems.dump();
  EXPECT_TRUE(page.socket.wait_for("facts").contains("blocks"));
  ASSERT_TRUE(page.edit({{"add", "Gain", "as", "Bad", "k=undefined_name"}}).contains("ok"));
  problems = page.socket.wait_for("problems");
  ASSERT_GT(problems["errors"].get<int>(), 0) << problems.dump();
  EXPECT_EQ(problems["problems"][0]["block"], "/Bad");
  EXPECT_EQ(problems["problems"][0]["port"], "parameter k");
}

TEST_F(Protocol, RunsWatchesExplains) {
  ServerProcess& server = start();
  Page page = open("ball.orr");
  const Json started = page.ask({{"do", "run"}});
  ASSERT_TRUE(started.contains("ok")) << started.dump();
  const int run = started["ok"]["run"].get<int>();
  const Json ended = page.socket.wait_for("ended");
  ASSERT_EQ(ended["state"], "ended") << ended.dump();
  EXPECT_GT(ended["rows"].get<int>(), 100);
  EXPECT_GT(ended["events"].get<int>(), 5);
  ASSERT_TRUE(page.ask({{"do", "watch"}, {"run", run}, {"pixels", 100}}).contains("ok"));
  while (page.socket.frames.empty() && !page.socket.closed) page.socket.receive(5);
  ASSERT_FALSE(page.socket.frames.empty());
  const std::string& frame = page.socket.frames[0];
  std::uint16_t channels = 0;
  std::uint32_t count = 0;
  std::memcpy(&channels, frame.data() + 2, 2);
  std::memcpy(&count, frame.data() + 12, 4);
  const bool buckets = (frame[1] & 1) != 0;
  EXPECT_EQ(frame.size(), 16 + count * (8 + std::size_t{8} * channels * (buckets ? 4 : 1) + 1));
  double last = 0;
  std::memcpy(&last, frame.data() + 16 + 8 * (count - 1), 8);
  EXPECT_DOUBLE_EQ(last, ended["stop"].get<double>());
  const Answer bytes = ask(server, "GET", "/samples?run=" + std::to_string(run) + "&signals=0&pixels=100");
  EXPECT_EQ(bytes.status, 200);
  const Json events = Json::parse(ask(server, "GET", "/events?run=" + std::to_string(run) + "&filter=crossing").body);
  ASSERT_GT(events["rows"].size(), 3U) << events.dump();
  const Json why = page.ask({{"do", "explain"}, {"run", run}, {"event", events["rows"][0]["id"]}});
  EXPECT_NE(why["ok"]["text"][0].get<std::string>().find(" crosses "), std::string::npos) << why.dump();
  const Answer csv = ask(server, "GET", "/results/" + std::to_string(run) + ".csv");
  EXPECT_EQ(csv.body.substr(0, 5), "time,");
}

TEST_F(Protocol, PausesStepsBreaksAndShowsValues) {
  start();
  Page page = open("ball.orr");
  const int run = page.ask({{"do", "run"}, {"pause", true}})["ok"]["run"].get<int>();
  Json paused = page.socket.wait_for("paused");
  EXPECT_EQ(paused["reason"], "start") << paused.dump();
  const Json values = page.ask({{"do", "values"}, {"run", run}});
  ASSERT_TRUE(values.contains("ok")) << values.dump();
  EXPECT_GT(values["ok"]["values"].size(), 2U);
  ASSERT_TRUE(page.ask({{"do", "step"}, {"run", run}, {"by", "event"}}).contains("ok"));
  paused = page.socket.wait_for("paused");
  EXPECT_EQ(paused["reason"], "event") << paused.dump();
  EXPECT_GT(paused["t"].get<double>(), 0);
  const double bounce = paused["t"].get<double>();
  ASSERT_TRUE(page.ask({{"do", "resume"}, {"run", run}, {"breaks", {"t > 2"}}}).contains("ok"));
  paused = page.socket.wait_for("paused");
  EXPECT_EQ(paused["reason"], "break") << paused.dump();
  EXPECT_GT(paused["t"].get<double>(), std::max(2.0, bounce));
  ASSERT_TRUE(page.ask({{"do", "stop"}, {"run", run}}).contains("ok"));
  EXPECT_EQ(page.socket.wait_for("ended")["state"], "stopped");
}

// The End block of the model asks for it, in the middle of a run at full speed.
TEST_F(Protocol, ModelsPauseTheirRuns) {
  write("pause.orr",
        R"({"orrery": 2, "name": "pause", "simulation": {"stop": "5"}, "blocks": [
        {"name": "Then", "type": "EventGenerate", "parameters": {"times": "2"}},
        {"name": "Look", "type": "End", "parameters": {"action": "'pause'"}},
        {"name": "Time", "type": "Time"}, {"name": "x", "type": "Integral"}],
        "links": [{"event": "Then:1", "to": ["Look:1"]}, {"from": "Time:1", "to": ["x:1"]}]})");
  start();
  Page page = open("pause.orr");
  const int run = page.ask({{"do", "run"}})["ok"]["run"].get<int>();
  const Json paused = page.socket.wait_for("paused");
  EXPECT_EQ(paused["reason"], "model") << paused.dump();
  EXPECT_NEAR(paused["t"].get<double>(), 2, 1e-12);
  ASSERT_TRUE(page.ask({{"do", "resume"}, {"run", run}}).contains("ok"));
  const Json ended = page.socket.wait_for("ended");
  EXPECT_EQ(ended["state"], "ended") << ended.dump();
}

TEST_F(Protocol, EvaluatesCompletesTalks) {
  start();
  Page page = open("ball.orr");
  const Json values = page.ask({{"do", "evaluate"},
                                {"diagram", "/"},
                                {"texts", {"2 * 21", "nobody"}},
                                {"context", {"a = 3;", "b = [1 2] * a;"}}});
  ASSERT_TRUE(values.contains("ok")) << values.dump();
  EXPECT_EQ(values["ok"]["values"][0]["text"], "42");
  EXPECT_TRUE(values["ok"]["values"][1].is_null());
  EXPECT_EQ(values["ok"]["errors"][1].size(), 1U);
  bool found = false;
  for (const Json& variable : values["ok"]["variables"])
    found = found || (variable["name"] == "b" && variable["line"] == 2 && variable["value"]["text"] == "[3 6]");
  EXPECT_TRUE(found) << values.dump();
  const Json items = page.ask({{"do", "complete"}, {"diagram", "/"}, {"text", "x = sinh"}});
  EXPECT_EQ(items["ok"]["from"], 4) << items.dump();
  const Json printed = page.ask({{"do", "console"}, {"text", "x = 6 * 7"}});
  EXPECT_NE(printed["ok"]["output"].get<std::string>().find("42"), std::string::npos) << printed.dump();
  EXPECT_TRUE(page.ask({{"do", "console"}, {"text", "for k = 1:3"}})["ok"]["incomplete"].get<bool>());
  // Scripts edit the model of the page, as one step of undo.
  const Json edited = page.ask({{"do", "console"},
                                {"text",
                                 "m = bdeGetCurrentModel(); bdeAddBlock(m, '/FromScript', 'Gain', {'k', '5'}); "
                                 "bdeEdit(m, 'set FromScript k=6');"}});
  EXPECT_FALSE(edited["ok"].contains("error")) << edited.dump();
  EXPECT_EQ(page.ask({{"do", "inspect"}, {"block", "/FromScript"}})["ok"]["parameters"][0]["text"], "6");
  EXPECT_EQ(page.ask({{"do", "history"}})["ok"]["done"].size(), 1U);
}

TEST_F(Protocol, TwoTabsSeeOneRevision) {
  start();
  Page one = open("ball.orr"), two = open("ball.orr");
  EXPECT_EQ(one.doc, two.doc);
  two.ask({{"do", "view"}, {"diagram", "/"}});
  ASSERT_TRUE(one.edit({{"add", "Gain", "as", "Mine"}}).contains("ok"));
  const Json changed = two.socket.wait_for("changed");
  ASSERT_TRUE(changed.contains("change")) << changed.dump();
  bool there = false;
  for (const Json& block : changed["change"]["blocks"]) there = there || block["name"] == "Mine";
  EXPECT_TRUE(there) << changed.dump();
  EXPECT_TRUE(two.ask({{"do", "undo"}}).contains("ok"));
}

TEST_F(Protocol, TellsOfFilesChangedElsewhere) {
  start();
  Page page = open("ball.orr");
  write("ball.orr", read(file("ball.orr")) + "\n");
  EXPECT_EQ(page.socket.wait_for("disk")["state"], "changed");
  page.edit({{"add", "Gain"}});
  EXPECT_EQ(page.ask({{"do", "save"}})["error"]["code"], "changed-on-disk");
  EXPECT_TRUE(page.ask({{"do", "save"}, {"force", true}}).contains("ok"));
}

TEST_F(Protocol, LibraryNamesEveryBlock) {
  ServerProcess& server = start();
  const Answer answer = ask(server, "GET", "/library");
  ASSERT_EQ(answer.status, 200);
  const Json library = Json::parse(answer.body);
  EXPECT_GT(library["types"].size(), 100U);
  EXPECT_GT(library["functions"].size(), 200U);
  const std::size_t at = answer.head.find("ETag: ");
  ASSERT_NE(at, std::string::npos);
  const std::string tag = answer.head.substr(at + 6, answer.head.find("\r\n", at) - at - 6);
  EXPECT_EQ(ask(server, "GET", "/library", "", "If-None-Match: " + tag + "\r\n").status, 304);
}

}  // namespace
}  // namespace orrery::tests
