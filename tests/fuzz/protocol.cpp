// SPDX-License-Identifier: Apache-2.0
// Messages of pages to `orrery serve`, one a line, to a server with one model and no worker process.
#include <nlohmann/json.hpp>

#include "fuzz_file.h"
#include "server/service.h"

namespace {

using namespace orrery;

constexpr const char* served_model = R"({"orrery": 2, "name": "e", "context": ["k = 2;"],
 "blocks": [{"name": "C", "type": "Constant"}, {"name": "G", "type": "Gain", "parameters": {"k": "k"}},
  {"name": "P", "type": "Super", "diagram": {"blocks": [{"name": "In", "type": "Input"}, {"name": "Out", "type": "Output"}],
   "links": [{"from": "In:1", "to": ["Out:1"]}]}}, {"name": "S", "type": "Scope"}],
 "links": [{"from": "C:1", "to": ["G:1", "P:1"]}, {"from": "G:1", "to": ["S:1"]}]})";

// Whatever is sent is JSON.
class FuzzTab final : public server::Tab {
 public:
  void send(std::string text) override {
    if (!nlohmann::json::accept(text)) __builtin_trap();
  }
  void send_frame(std::string) override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzFolder folder, state;
  static const bool prepared = [] {
    ::setenv("XDG_STATE_HOME", state.path().c_str(), 1);
    ::setenv("XDG_CONFIG_HOME", state.path().c_str(), 1);
    return true;
  }();
  static_cast<void>(prepared);
  const std::string text = served_model;
  folder.clear();
  folder.write("m.orr", reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const server::RootFolder root(folder.path());
  server::Guard guard(1);
  server::Service service(root, guard, "/nonexistent/orrery", {"m.orr", {}, {}, "http://127.0.0.1:1"});
  const auto tab = std::make_shared<FuzzTab>();
  tab->number = 1;
  service.connected(tab);
  service.message(tab, R"({"id": 0, "do": "open", "path": "m.orr"})");
  service.message(tab, R"({"id": 0, "do": "view", "doc": 1, "diagram": "/"})");
  std::string_view rest = text_of(data, size);
  for (int messages = 0; messages < 20 && !rest.empty(); ++messages) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("GET ")) {
      server::HttpRequest request{"GET", line.substr(4), {}, {}, {}, {}, false};
      const std::size_t query = std::min(request.path.find('?'), request.path.size());
      for (std::size_t from = query; from < request.path.size();) {
        const std::size_t to = std::min(request.path.find('&', from + 1), request.path.size());
        const std::size_t equals = std::min(request.path.find('=', from), to);
        request.query[request.path.substr(from + 1, equals - from - 1)] =
            request.path.substr(std::min(equals + 1, to), to - std::min(equals + 1, to));
        from = to;
      }
      request.path.resize(query);
      service.http(request, [](const server::HttpResponse&) {});
    } else {
      service.message(tab, line);
    }
  }
  service.gone(tab);
  service.shut_down();
  return 0;
}
