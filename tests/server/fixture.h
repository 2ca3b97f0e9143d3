// SPDX-License-Identifier: Apache-2.0
// A folder with models and a server for it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/folders_for_tests.h"
#include "client.h"

namespace orrery::tests {

namespace fs = std::filesystem;

class Serving : public testing::Test {
 protected:
  void SetUp() override {
    base_ = testing::TempDir() + "orrery_serve_" + std::to_string(::getpid()) + "_" +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(base_);
    fs::create_directories(base_ + "/root");
    fs::copy_file(source_folder() + "/examples/bouncing_ball.orr", file("ball.orr"));
  }
  void TearDown() override {
    server_.reset();
    fs::remove_all(base_);
  }

  std::string file(const std::string& name) const { return base_ + "/root/" + name; }
  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

  ServerProcess& start() {
    server_ = std::make_unique<ServerProcess>(base_ + "/root", base_ + "/home");
    EXPECT_TRUE(server_->good());
    EXPECT_TRUE(server_->begin_session());
    return *server_;
  }
  // An open document on a socket of its own.
  struct Page {
    WebSocketClient socket;
    int doc = 0;
    Json about;
    Json ask(Json message, double seconds = 30) {
      message["doc"] = doc;
      return socket.request(std::move(message), seconds);
    }
    Json edit(const std::vector<std::vector<std::string>>& steps) {
      return ask({{"do", "edit"}, {"steps", steps}, {"phase", "keep"}});
    }
  };
  Page open(const std::string& path) {
    Page page;
    page.socket = WebSocketClient(*server_);
    EXPECT_EQ(page.socket.status(), 101);
    const Json opened = page.socket.request({{"do", "open"}, {"path", path}});
    EXPECT_TRUE(opened.contains("ok")) << opened.dump();
    if (opened.contains("ok")) {
      page.about = opened["ok"];
      page.doc = page.about["doc"].get<int>();
    }
    return page;
  }

  std::string base_;
  std::unique_ptr<ServerProcess> server_;
};

}  // namespace orrery::tests
