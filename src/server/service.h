// SPDX-License-Identifier: Apache-2.0
// What the server does, without the network: documents, files, the library, sessions.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "server/assets.h"
#include "server/http_server.h"
#include "server/open_document.h"

namespace orrery::server {

struct ServiceOptions {
  std::string model;     // inside the root; empty: none
  std::string assets;    // folder of the page; empty: what was built in
  std::string examples;  // folder; empty: none
  std::string address;   // "http://127.0.0.1:8000", for launch codes
  std::string commands;  // the grammar of the command line, as JSON
};

class Service final : public Answers {
 public:
  Service(const RootFolder& root, Guard& guard, std::string executable, ServiceOptions options);
  ~Service() override;

  void http(const HttpRequest& request, HttpReply reply) override;
  void connected(const TabRef& tab) override;
  void message(const TabRef& tab, const std::string& text) override;
  void gone(const TabRef& tab) override;
  void tick() override;
  // Tells pages, ends workers and threads.
  void shut_down();

 private:
  void page(const HttpReply& reply);
  void asset(const HttpRequest& request, const HttpReply& reply);
  void session(const HttpRequest& request, const HttpReply& reply);
  void upload(const HttpRequest& request, const HttpReply& reply);
  void file(const HttpRequest& request, const HttpReply& reply);
  void example_picture(const HttpRequest& request, const HttpReply& reply);
  void open(const TabRef& tab, const Json& request);
  void close(const TabRef& tab, const Json& request);
  void list(const TabRef& tab, const Json& request);
  void hello(const TabRef& tab, const Json& request);
  void preferences(const TabRef& tab, const Json& request);
  OpenDocument* find(const std::string& number);
  OpenDocument* document_of_run(std::uint32_t run);
  Json examples();

  const RootFolder& root_;
  Guard& guard_;
  ServiceOptions options_;
  Assets assets_;
  Surroundings surroundings_;
  std::map<int, std::unique_ptr<OpenDocument>> documents_;
  std::map<std::string, int> by_path_;
  std::map<int, TabRef> tabs_;
  int next_document_ = 0;
  std::string examples_;                                 // as JSON, once somebody has asked
  std::map<std::string, std::string> example_pictures_;  // by name and theme
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace orrery::server
