// SPDX-License-Identifier: Apache-2.0
// A client that means harm: everything is refused or limited, memory stays bounded, nothing appears outside the root.
#include <sys/socket.h>

#include <random>

#include "fixture.h"

namespace orrery::tests {
namespace {

class Attack : public Serving {
 protected:
  std::string get(const std::string& target, const std::string& headers) const {
    return "GET " + target + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n";
  }
  std::string own_host() const { return "Host: 127.0.0.1:" + std::to_string(server_->port()) + "\r\n"; }
  std::string bearer() const { return "Authorization: Bearer " + server_->secret() + "\r\n"; }
  int status(const std::string& target, const std::string& headers) const {
    return exchange(server_->port(), get(target, headers)).status;
  }
  long memory_kb() const {
    std::ifstream in("/proc/" + std::to_string(server_->process()) + "/status");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    return -1;
  }
  bool alive() const { return ask(*server_, "GET", "/library").status == 200; }
};

TEST_F(Attack, HostsOriginsAndSecrets) {
  start();
  const std::string port = std::to_string(server_->port());
  EXPECT_EQ(status("/library", own_host() + bearer()), 200);
  for (const std::string& host : {std::string("evil.example"), "127.0.0.1.evil.example:" + port,
                                  "127.evil.example:" + port, std::string("127.0.0.1"), "127.0.0.1:" + port + "0",
                                  "localhost.:" + port, std::string("[::1]:1"), std::string()}) {
    EXPECT_EQ(status("/library", "Host: " + host + "\r\n" + bearer()), 421) << host;
    EXPECT_EQ(status("/", "Host: " + host + "\r\n"), 421) << host;
  }
  EXPECT_EQ(status("/library", own_host() + own_host() + bearer()), 421);
  EXPECT_EQ(status("/library", own_host()), 401);
  EXPECT_EQ(status("/library", own_host() + "Authorization: Bearer " + std::string(64, '0') + "\r\n"), 401);
  EXPECT_EQ(status("/library", own_host() + "Authorization: Bearer " + server_->secret().substr(1) + "\r\n"), 401);
  EXPECT_EQ(status("/library", own_host() + "Authorization: Basic " + server_->secret() + "\r\n"), 401);
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1", "file://"})
    EXPECT_EQ(status("/library", own_host() + bearer() + "Origin: " + origin + "\r\n"), 403) << origin;
  EXPECT_EQ(status("/library", own_host() + bearer() + "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(status("/library", own_host() + bearer() + "Sec-Fetch-Site: same-site\r\n"), 403);
  // A code is good once.
  EXPECT_EQ(ask(*server_, "POST", "/session", Json{{"code", server_->code()}}.dump()).status, 403);
  EXPECT_EQ(ask(*server_, "POST", "/session", R"({"code": ""})").status, 403);
  EXPECT_EQ(ask(*server_, "POST", "/session", "x", "Content-Type: text/plain\r\n").status, 415);
  EXPECT_EQ(ask(*server_, "DELETE", "/library").status, 405);
  // No answer invites other sites.
  EXPECT_EQ(exchange(server_->port(), get("/library", own_host() + bearer())).head.find("Access-Control"),
            std::string::npos);
}

TEST_F(Attack, WebSocketsOfOthers) {
  start();
  const std::string port = std::to_string(server_->port()), host = own_host(),
                    origin = "Origin: http://127.0.0.1:" + port + "\r\n";
  const std::string protocol = "Sec-WebSocket-Protocol: orrery, " + server_->secret() + "\r\n";
  EXPECT_EQ(WebSocketClient(*server_, host + origin + protocol).status(), 101);
  EXPECT_EQ(WebSocketClient(*server_, host + protocol).status(), 403);
  EXPECT_EQ(WebSocketClient(*server_, host + "Origin: http://evil.example\r\n" + protocol).status(), 403);
  EXPECT_EQ(WebSocketClient(*server_, "Host: evil.example\r\n" + origin + protocol).status(), 421);
  EXPECT_EQ(
      WebSocketClient(*server_, host + origin + "Sec-WebSocket-Protocol: orrery, " + std::string(64, 'a') + "\r\n")
          .status(),
      401);
  EXPECT_EQ(WebSocketClient(*server_, host + origin + "Sec-WebSocket-Protocol: orrery\r\n").status(), 401);
  EXPECT_EQ(WebSocketClient(*server_, host + origin).status(), 401);
}

TEST_F(Attack, PathsThatLeadOut) {
  std::ofstream(base_ + "/secret.orr") << R"({"orrery": 1})";
  fs::create_symlink(base_ + "/secret.orr", file("link.orr"));
  fs::create_directory_symlink(base_, file("up"));
  fs::create_directory_symlink("/", file("all"));
  fs::create_directories(file(".hidden"));
  write(".hidden/a.orr", read(file("ball.orr")));
  start();
  WebSocketClient socket(*server_);
  for (const char* path :
       {"../secret.orr", "/etc/passwd.orr", "link.orr", "up/secret.orr", "all/etc/x.orr", "./../secret.orr",
        "a/../../secret.orr", ".hidden/a.orr", "sub//x.orr", "..", "", "ball.orr/", "ball.orr/../../secret.orr"}) {
    const Json opened = socket.request({{"do", "open"}, {"path", path}});
    EXPECT_TRUE(opened.contains("error")) << path << opened.dump();
    EXPECT_TRUE(socket.request({{"do", "list"}, {"folder", std::string(path).empty() ? ".." : path}}).contains("error"))
        << path;
  }
  Page page = open("ball.orr");
  for (const char* path : {"../made.orr", "up/made.orr", "/tmp/orrery_made.orr", "link.orr", "x\n.orr", ".x.orr",
                           "made.txt", "all/tmp/made.orr"}) {
    EXPECT_TRUE(page.ask({{"do", "save_as"}, {"path", path}, {"force", true}}).contains("error")) << path;
    EXPECT_TRUE(page.ask({{"do", "diff"}, {"with", path}}).contains("error")) << path;
  }
  for (const char* name : {"../made.csv", "up/made.csv", "%2e%2e/made.csv", "/tmp/made.csv", "made.sh", ".made.csv",
                           "made.csv%00", "link.orr"})
    EXPECT_NE(
        ask(*server_, "POST", std::string("/upload?name=") + name, "x", "Content-Type: application/octet-stream\r\n")
            .status,
        200)
        << name;
  EXPECT_EQ(
      ask(*server_, "POST", "/upload?name=data.csv", "a,b\n", "Content-Type: application/octet-stream\r\n").status,
      200);
  EXPECT_EQ(ask(*server_, "POST", "/upload?name=data.csv", "c\n", "Content-Type: application/octet-stream\r\n").status,
            409);
  EXPECT_EQ(read(file("data.csv")), "a,b\n");
  for (const char* target : {"/assets/../../../etc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets//etc/passwd",
                             "/%00", "/results/../1.csv"})
    EXPECT_NE(ask(*server_, "GET", target).status, 200) << target;
  EXPECT_EQ(read(base_ + "/secret.orr"), R"({"orrery": 1})");
  EXPECT_FALSE(fs::exists(base_ + "/made.orr") || fs::exists(base_ + "/made.csv"));
  EXPECT_TRUE(alive());
}

TEST_F(Attack, LargeThings) {
  start();
  // Headers, bodies, frames beyond their limits.
  EXPECT_EQ(status("/library", own_host() + bearer() + "X: " + std::string(20000, 'x') + "\r\n"), 431);
  EXPECT_EQ(ask(*server_, "POST", "/session", std::string(9 << 20, 'x')).status, 413);
  const Answer huge = exchange(server_->port(), "POST /upload?name=x.csv HTTP/1.1\r\n" + own_host() + bearer() +
                                                    "Content-Length: 99999999999\r\n\r\n");
  EXPECT_EQ(huge.status, 413);
  WebSocketClient socket(*server_);
  socket.send(std::string(9 << 20, '['));
  while (!socket.closed && socket.receive(5).empty() && !socket.closed) {
  }
  EXPECT_TRUE(socket.closed);
  // A frame that announces an exabyte.
  WebSocketClient other(*server_);
  other.send_raw(std::string("\x81\xff\x0f\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04", 14));
  other.receive(2);
  EXPECT_TRUE(other.closed);
  // JSON without end.
  WebSocketClient deep(*server_);
  deep.send(std::string(1 << 20, '['));
  EXPECT_NE(deep.receive(10).find("bad-request"), std::string::npos);
  EXPECT_TRUE(alive());
  EXPECT_LT(memory_kb(), 600'000);
}

TEST_F(Attack, AThousandConnections) {
  start();
  std::vector<int> open_ones;
  int refused = 0;
  for (int k = 0; k < 1000; ++k) {
    const int descriptor = connect_to(server_->port());
    if (descriptor < 0) continue;
    open_ones.push_back(descriptor);
  }
  ::usleep(500'000);
  for (const int descriptor : open_ones) {
    char byte = 0;
    if (::recv(descriptor, &byte, 1, MSG_DONTWAIT) == 0) ++refused;  // closed by the server
  }
  EXPECT_GT(refused, static_cast<int>(open_ones.size()) - 40);
  for (const int descriptor : open_ones) ::close(descriptor);
  ::usleep(300'000);
  EXPECT_TRUE(alive());
  EXPECT_LT(memory_kb(), 600'000);
}

// Requests that are nearly right. ORRERY_MUTATIONS is the long form: 100000.
TEST_F(Attack, MutatedMessages) {
  start();
  const int rounds = std::getenv("ORRERY_MUTATIONS") != nullptr ? std::atoi(std::getenv("ORRERY_MUTATIONS")) : 3000;
  Page page = open("ball.orr");
  const std::vector<std::string> seeds = {
      R"({"id":1,"do":"edit","doc":1,"steps":[["add","Gain","at","10,20","k=2"],["connect","/Ball:1","/$1:1"]],"phase":"try"})",
      R"({"id":2,"do":"edit","doc":1,"steps":[["move","/Ball","by","1e300,0"]],"phase":"keep","merge":"a"})",
      R"({"id":3,"do":"undo","doc":1})",
      R"({"id":4,"do":"view","doc":1,"diagram":"/"})",
      R"({"id":5,"do":"watch","run":1,"doc":1,"signals":[0,1],"from":0,"to":1e308,"pixels":-5})",
      R"({"id":6,"do":"inspect","doc":1,"block":"/Ball"})",
      R"({"id":7,"do":"find","doc":1,"text":"a","kinds":["block"]})",
      R"({"id":8,"do":"explain","doc":1,"run":1,"event":0})",
      R"({"id":9,"do":"open","path":"ball.orr"})",
      R"({"id":10,"do":"list","folder":""})",
      R"({"id":11,"do":"copy","doc":1,"blocks":["/Ball","/Bounce"]})",
      R"({"id":12,"do":"edit","doc":1,"steps":[["mask","/Ball","[{\"name\":\"k\"}]"],["paste","by","1,1","{\"blocks\":[]}"]]})",
      R"({"id":13,"do":"diagram","doc":1,"diagram":"/"})",
      R"({"id":14,"do":"acknowledge","watch":1})",
      R"({"id":15,"do":"step","run":1,"by":"event","count":1e99})",
      R"({"id":16,"do":"tool","doc":1,"command":"sweep","options":[["--vary","e=[0.9 0.95]"],["--out","x.csv"]]})",
      R"({"id":17,"do":"tool","doc":1,"command":"library create","arguments":["Own"],"options":[["--in","sub"]]})",
      R"({"id":18,"do":"tool_stop","doc":1})"};
  std::mt19937 random(11);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int answered = 0;
  for (int k = 0; k < rounds; ++k) {
    std::string text = seeds[pick(seeds.size())];
    for (std::size_t changes = pick(4); changes > 0; --changes) {
      const std::size_t at = pick(text.size());
      switch (pick(5)) {
        case 0: text[at] = static_cast<char>(random() & (pick(16) == 0 ? 255u : 127u)); break;  // seldom no UTF-8
        case 1: text.erase(at, 1 + pick(8)); break;
        case 2: text.insert(at, text.substr(pick(text.size()), pick(20))); break;
        case 3: text.insert(at, std::string(1 + pick(3), "[]{}\",:0-9e"[pick(11)])); break;
        default: text.replace(at, 1, "999999999999999999999"); break;
      }
      if (text.empty()) text = "{}";
    }
    if (!page.socket.good() || page.socket.closed) {
      page = open("ball.orr");  // text that is no UTF-8 ends a WebSocket
    }
    page.socket.send(text);
    if (k % 8 != 7) continue;
    while (!page.socket.closed) {
      const Json pong = page.socket.request({{"do", "hello"}});
      if (pong.is_object()) ++answered;
      break;
    }
    page.socket.pushes.clear();
    page.socket.frames.clear();
  }
  EXPECT_GT(answered, rounds / 32);
  EXPECT_TRUE(alive());
  EXPECT_LT(memory_kb(), 900'000);
  std::size_t entries = 0;
  for (const auto& entry : fs::directory_iterator(base_)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name == "root" || name == "home") << name;
    ++entries;
  }
  EXPECT_EQ(entries, 2U);
}

TEST_F(Attack, GarbageInsteadOfHttp) {
  start();
  std::mt19937 random(5);
  for (int k = 0; k < 200; ++k) {
    std::string bytes(1 + random() % 300, '\0');
    for (char& c : bytes) c = static_cast<char>(random() & 255);
    const int descriptor = connect_to(server_->port());
    ASSERT_GE(descriptor, 0);
    ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::close(descriptor);
  }
  ::usleep(200'000);
  EXPECT_TRUE(alive());
}

}  // namespace
}  // namespace orrery::tests
