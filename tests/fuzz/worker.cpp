// SPDX-License-Identifier: Apache-2.0
// What the process that runs a model sends to the server: native code of a model may have taken it over. A byte for the
// kind (4: the answer to a check) and two for the length, then the message.
#include <nlohmann/json.hpp>

#include "fuzz_file.h"
#include "server/open_document.h"

namespace {

using namespace orrery;

constexpr const char* watched_model = R"({"orrery": 2, "name": "e",
 "blocks": [{"name": "C", "type": "Constant"}, {"name": "S", "type": "Scope"}],
 "links": [{"from": "C:1", "to": ["S:1"]}]})";

class FuzzTab final : public server::Tab {
 public:
  void send(std::string text) override {
    if (!nlohmann::json::accept(text)) __builtin_trap();
  }
  void send_frame(std::string) override {}
};

void ask(server::OpenDocument& document, const server::TabRef& tab, const char* request) {
  document.handle(tab, server::parse_json(request));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzFolder folder;
  static const bool prepared = [] {
    ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    return true;
  }();
  static_cast<void>(prepared);
  static const server::RootFolder root(folder.path());
  server::Surroundings surroundings{root, "/nonexistent/orrery"};
  server::OpenDocument document(1, surroundings);
  const auto tab = std::make_shared<FuzzTab>();
  tab->number = 1;
  document.post([&] {
    Diagnostics diagnostics;
    if (!document.open({{}, watched_model, "e", false}, diagnostics)) __builtin_trap();
    ask(document, tab, R"({"id": 1, "do": "view", "doc": 1, "diagram": "/"})");
    ask(document, tab, R"({"id": 2, "do": "run", "doc": 1})");
    ask(document, tab, R"({"id": 3, "do": "watch", "doc": 1, "run": 1, "signals": [0, 1]})");
    std::string_view rest = text_of(data, size);
    while (rest.size() >= 3) {
      server::Message message;
      const auto kind = static_cast<unsigned char>(rest[0]) % 5u;
      const std::size_t length = static_cast<unsigned char>(rest[1]) + 256u * static_cast<unsigned char>(rest[2]);
      rest.remove_prefix(3);
      message.bytes = rest.substr(0, length);
      rest.remove_prefix(std::min(length, rest.size()));
      if (kind < 4) {
        message.kind = static_cast<server::MessageKind>(kind);
        document.worker_message(message);
      } else if (const server::Json answer = server::parse_json(message.bytes); answer.is_object()) {
        try {  // as where answers arrive
          document.checked(answer);
        } catch (const nlohmann::json::exception&) {
        }
      }
    }
    for (const char* request :
         {R"({"id": 4, "do": "runs", "doc": 1})", R"({"id": 5, "do": "values", "doc": 1, "run": 1, "t": 0})",
          R"({"id": 6, "do": "explain", "doc": 1, "run": 1, "event": 0})",
          R"({"id": 7, "do": "explain", "doc": 1, "run": 1, "block": "/C", "t": 1})"})
      ask(document, tab, request);
    for (const char* path : {"/samples", "/events", "/results/1.csv"}) {
      server::HttpRequest request{"GET", path, {{"run", "1"}, {"signals", "0,1"}}, {}, {}, {}, false};
      document.http(request, [](const server::HttpResponse&) {});
    }
  });
  document.shut_down();
  return 0;
}
