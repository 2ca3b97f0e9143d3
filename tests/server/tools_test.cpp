// SPDX-License-Identifier: Apache-2.0
// Commands that pages start, files they fetch, figures of runs.
#include <thread>

#include "fixture.h"

namespace orrery::tests {
namespace {

class Tools : public Serving {
 protected:
  Json finished(Page& page) {
    for (int k = 0; k < 1000; ++k) {
      Json told = page.socket.wait_for("tool");
      if (told.is_null() || told.contains("done")) return told;
      said_ += told.value("text", "");
    }
    return {};
  }
  std::string said_;
};

TEST_F(Tools, AreThoseOfTheCommandLine) {
  start();
  WebSocketClient socket(*server_);
  const Json hello = socket.request({{"do", "hello"}});
  bool sweep = false;
  for (const Json& tool : hello["ok"]["tools"]) {
    const std::string name = tool["command"];
    sweep = sweep || name == "sweep";
    EXPECT_FALSE(name.starts_with("serve") || name.starts_with("trust") || name.starts_with("edit") ||
                 name.starts_with("oml") || name.starts_with("run") || name == "library" || name == "fmu check")
        << name;
    for (const Json& option : tool["options"]) {
      EXPECT_NE(option["name"], "--allow");
      EXPECT_FALSE(option["about"].get<std::string>().empty()) << name;
    }
  }
  EXPECT_TRUE(sweep);
}

TEST_F(Tools, ASweepWritesIntoTheFolder) {
  start();
  Page page = open("ball.orr");
  const Json begun = page.ask(
      {{"do", "tool"},
       {"command", "sweep"},
       {"options", Json::array({Json::array({"--vary", "e=[0.9 0.95]"}), Json::array({"--keep", "top=max(/Height.1)"}),
                                Json::array({"--out", "sweep.csv"})})}});
  ASSERT_TRUE(begun.contains("ok")) << begun.dump();
  EXPECT_EQ(finished(page)["code"], 0) << said_;
  const std::string table = read(file("sweep.csv"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
  const Answer fetched = ask(*server_, "GET", "/file?path=sweep.csv");
  EXPECT_EQ(fetched.status, 200);
  EXPECT_EQ(fetched.body, table);
}

TEST_F(Tools, RefuseWhatLeadsOutOrIsUnknown) {
  fs::create_directory_symlink(base_, file("up"));
  std::ofstream(base_ + "/secret.csv") << "1\n";
  start();
  Page page = open("ball.orr");
  const auto code = [&](const std::string& command, const Json& options, const Json& arguments = Json::array()) {
    const Json answer =
        page.ask({{"do", "tool"}, {"command", command}, {"options", options}, {"arguments", arguments}});
    return answer.contains("error") ? answer["error"]["code"].get<std::string>() : answer.dump();
  };
  const auto pair = [](const char* name, const char* text) { return Json::array({Json::array({name, text})}); };
  for (const char* path : {"../x.csv", "/tmp/x.csv", "up/x.csv", ".x.csv", "a/../../x.csv", "-x.csv", ""})
    EXPECT_EQ(code("sweep", pair("--out", path)), "bad-request") << path;
  for (const char* path : {"../x", "/tmp/x", "up/x"}) {
    EXPECT_EQ(code("export c", pair("--out", path)), "bad-request") << path;
    EXPECT_EQ(code("export fmu", pair("--out", path)), "bad-request") << path;
    EXPECT_EQ(code("trim", pair("--out", path)), "bad-request") << path;
    EXPECT_EQ(code("linearise", pair("--plot", path)), "bad-request") << path;
  }
  EXPECT_EQ(code("sweep", pair("--table", "up/secret.csv")), "bad-request");
  EXPECT_EQ(code("sweep", pair("--allow", "all")), "bad-request");
  EXPECT_EQ(code("sweep", pair("--nothing", "1")), "bad-request");
  EXPECT_EQ(code("sweep --out=../x.csv", Json::array()), "bad-request");
  EXPECT_EQ(code("serve", Json::array()), "bad-request");
  EXPECT_EQ(code("trust", Json::array()), "bad-request");
  EXPECT_EQ(code("fmu check", Json::array(), {"a.fmu"}), "bad-request");
  EXPECT_EQ(code("library create", Json::array(), {"../Lib"}), "bad-request");
  EXPECT_EQ(code("library create", Json::array(), {"--help"}), "bad-request");
  EXPECT_EQ(code("library create", Json::array(), Json::array()), "bad-request");
  EXPECT_EQ(code("library create", pair("--in", ".."), {"Lib"}), "bad-request");
  ASSERT_TRUE(page.edit({{"add", "Gain"}}).contains("ok"));
  EXPECT_EQ(code("sweep", pair("--vary", "e=[1 2]")), "unsaved-changes");
  EXPECT_FALSE(fs::exists(base_ + "/x.csv"));
  for (const char* path : {"../secret.csv", "up/secret.csv", "/etc/passwd", "%2e%2e/secret.csv", "ball.orr/", "x.sh"})
    EXPECT_NE(ask(*server_, "GET", std::string("/file?path=") + path).status, 200) << path;
}

TEST_F(Tools, AreStoppedAndDoNotOutliveTheServer) {
  start();
  Page page = open("ball.orr");
  const Json options = Json::array({Json::array({"--vary", "e=linspace(0.1,0.9,2000000)"})});
  ASSERT_TRUE(page.ask({{"do", "tool"}, {"command", "sweep"}, {"options", options}}).contains("ok"));
  EXPECT_EQ(page.ask({{"do", "tool"}, {"command", "sweep"}, {"options", options}})["error"]["code"], "tool-running");
  ASSERT_TRUE(page.ask({{"do", "tool_stop"}}).contains("ok"));
  const Json told = finished(page);
  EXPECT_TRUE(told.contains("done")) << told.dump();
  EXPECT_TRUE(page.ask({{"do", "inspect"}, {"block", "/Ball"}}).contains("ok"));
}

TEST_F(Tools, FiguresOfARun) {
  fs::copy_file(source_folder() + "/examples/book/ch20_balls.orr", file("balls.orr"));
  start();
  Page page = open("balls.orr");
  const Json begun = page.ask({{"do", "run"}});
  ASSERT_TRUE(begun.contains("ok"));
  const Json over = page.socket.wait_for("ended");
  ASSERT_EQ(over["figures"][0]["block"], "/Animation/Figure") << over.dump();
  const std::string run = std::to_string(begun["ok"]["run"].get<int>());
  const std::string query = "?run=" + run + "&block=/Animation/Figure";
  const Answer answer = ask(*server_, "GET", "/animation" + query + "&frames=50");
  ASSERT_EQ(answer.status, 200) << answer.body;
  const Json data = Json::parse(answer.body);
  EXPECT_GT(data["frames"].size(), 40U);
  EXPECT_LE(data["frames"].size(), 51U);
  EXPECT_EQ(data["frames"][0]["moving"].size(), 4U);
  EXPECT_EQ(data["frames"][0]["still"].size(), 1U);
  EXPECT_FALSE(data["frames"][1].contains("still"));  // the walls stay
  EXPECT_EQ(data["copies"].size(), 1U);
  EXPECT_EQ(ask(*server_, "GET", "/animation" + query + "&frames=1").status, 200);
  EXPECT_NE(ask(*server_, "GET", "/animation.svg" + query + "&t=1").body.find("<circle"), std::string::npos);
  EXPECT_EQ(ask(*server_, "GET", "/animation?run=" + run + "&block=/None").status, 404);
  EXPECT_EQ(ask(*server_, "GET", "/animation?run=99999").status, 404);
  // The same rows as HDF5.
  const Answer file = ask(*server_, "GET", "/results/" + run + ".mtsf");
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(file.body.substr(1, 3), "HDF");
  // Pictures of examples.
  EXPECT_NE(ask(*server_, "GET", "/picture.svg?example=bouncing_ball&theme=dark").body.find("<svg"), std::string::npos);
  EXPECT_EQ(ask(*server_, "GET", "/picture.svg?example=../../secret").status, 404);
}

}  // namespace
}  // namespace orrery::tests
