// SPDX-License-Identifier: Apache-2.0
// What passes between the network and the rest of the server, as plain data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orrery::server {

struct HttpRequest {
  std::string method;  // "GET", "POST"
  std::string path;    // decoded, without the query
  std::map<std::string, std::string> query;
  std::string body;
  std::string content_type;
  std::string if_none_match;
  bool takes_gzip = false;
};

struct HttpResponse {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};
using HttpReply = std::function<void(HttpResponse)>;

// A page that is connected. Any thread may send; what cannot be sent in time ends the connection.
class Tab {
 public:
  virtual ~Tab() = default;
  virtual void send(std::string text) = 0;
  virtual void send_frame(std::string bytes) = 0;
  int number = 0;
};
using TabRef = std::shared_ptr<Tab>;

}  // namespace orrery::server
