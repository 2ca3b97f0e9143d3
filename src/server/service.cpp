// SPDX-License-Identifier: Apache-2.0
// Requests to the document they concern; what concerns none is answered here.
#include "server/service.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "edit/journal.h"
#include "model/model.h"
#include "picture/make_scene.h"
#include "picture/svg.h"
#include "server/library_json.h"
#include "server/preferences.h"

namespace orrery::server {
namespace {

constexpr std::size_t most_documents = 100;
constexpr std::chrono::seconds disk_time{1};

HttpResponse failure_response(unsigned status, const Diagnostic& diagnostic) {
  return {status, "application/json", dump({{"error", diagnostic_json(diagnostic)}})};
}

void say_ok(const TabRef& tab, const Json& request, const Json& ok) {
  if (request.contains("id")) tab->send(dump({{"id", request["id"]}, {"ok", ok}}));
}

void say_error(const TabRef& tab, const Json& request, const Diagnostics& diagnostics) {
  const Json all = diagnostics_json(diagnostics);
  tab->send(dump({{"id", request.contains("id") ? request["id"] : Json()},
                  {"error", all.empty() ? diagnostic_json(make_error("failed", "it did not work")) : all[0]},
                  {"errors", all}}));
}

void say_error(const TabRef& tab, const Json& request, const Diagnostic& diagnostic) {
  Diagnostics diagnostics;
  diagnostics.add(diagnostic);
  say_error(tab, request, diagnostics);
}

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

Service::Service(const RootFolder& root, Guard& guard, std::string executable, ServiceOptions options)
    : root_(root),
      guard_(guard),
      options_(std::move(options)),
      assets_(options_.assets),
      surroundings_{root, std::move(executable)} {
  surroundings_.tools = dump(tools_of(parse_json(options_.commands)));
}

Service::~Service() { shut_down(); }

void Service::shut_down() {
  for (const auto& [number, tab] : tabs_) tab->send(R"({"on":"bye","reason":"the server ends"})");
  for (auto& [number, document] : documents_) document->shut_down();
  documents_.clear();
  tabs_.clear();
}

void Service::page(const HttpReply& reply) {
  const auto found = assets_.find("index.html");
  if (!found) {
    return reply(
        {200, "text/html; charset=utf-8",
         "<!doctype html><meta charset=utf-8><title>Orrery</title><p>This program was built without the page of the "
         "editor (ORRERY_WEB=OFF, or npm was missing). Install npm and build again, or give a folder with "
         "--assets.</p>"});
  }
  std::string text = found->gzipped ? gunzipped(found->bytes) : found->bytes;
  const std::string nonce = random_hex(16);
  replace_all(text, "ORRERY_NONCE", nonce);
  replace_all(text, "{{nonce}}", nonce);
  const std::string port = std::to_string(guard_.port());
  reply({200,
         "text/html; charset=utf-8",
         std::move(text),
         {{"Content-Security-Policy",
           "default-src 'self'; style-src 'self' 'nonce-" + nonce +
               "'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self' ws://127.0.0.1:" + port +
               " ws://localhost:" + port +  // an address in brackets is no valid source; 'self' has it
               "; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}}});
}

void Service::asset(const HttpRequest& request, const HttpReply& reply) {
  auto found = assets_.find(request.path.substr(1));
  if (!found) return reply(failure_response(404, make_error("no-such-path", "there is no such file")));
  HttpResponse response{200,
                        media_type(request.path),
                        std::move(found->bytes),
                        {{"Cache-Control", "public, max-age=31536000, immutable"}}};
  if (!options_.assets.empty()) response.headers = {{"Cache-Control", "no-cache"}};
  if (found->gzipped && request.takes_gzip) {
    response.headers.emplace_back("Content-Encoding", "gzip");
  } else if (found->gzipped) {
    response.body = gunzipped(response.body);
  }
  reply(std::move(response));
}

void Service::session(const HttpRequest& request, const HttpReply& reply) {
  const Json body = request.method == "POST" ? parse_json(request.body) : Json();
  const std::string secret = guard_.exchange(text_field(body, "code"));
  if (secret.empty()) {
    return reply(
        failure_response(403, make_error("bad-code", "the code is not valid: it is good once, and for a minute",
                                         "`orrery serve` prints a new address when Enter is pressed")));
  }
  reply({200, "application/json", dump({{"secret", secret}, {"version", ORRERY_VERSION}})});
}

void Service::upload(const HttpRequest& request, const HttpReply& reply) {
  const auto name = request.query.find("name");
  if (request.method != "POST" || name == request.query.end() || !is_upload_name(name->second)) {
    return reply(
        failure_response(400, make_error("bad-name", "only models and data can be put into the folder",
                                         "end the name with .fmu, .csv, .mat, .orr, .oml, .opt, .h5 or .mtsf")));
  }
  // What a page has written itself, the specification of a search, it may write again.
  const bool is_new = !(request.query.contains("replace") && name->second.ends_with(".opt"));
  Diagnostics diagnostics;
  if (!root_.write(name->second, request.body, is_new, diagnostics)) {
    const Diagnostic& first = diagnostics.all().front();
    return reply(failure_response(first.code == "file-exists" ? 409 : 403, first));
  }
  reply({200, "application/json", dump({{"path", name->second}})});
}

// A file that a tool has written. It is data for the page, never a page of its own.
void Service::file(const HttpRequest& request, const HttpReply& reply) {
  const auto path = request.query.find("path");
  if (path == request.query.end() || !is_result_name(path->second))
    return reply(failure_response(400, make_error("bad-name", "only results can be fetched")));
  Diagnostics diagnostics;
  auto bytes = root_.read(path->second, std::size_t{64} << 20, diagnostics);
  if (!bytes) return reply(failure_response(404, diagnostics.all().front()));
  reply({200, "application/octet-stream", std::move(*bytes), {{"Content-Disposition", "attachment"}}});
}

// Drawings of examples, made once.
void Service::example_picture(const HttpRequest& request, const HttpReply& reply) {
  const std::string name = request.query.at("example");
  const auto theme = request.query.find("theme");
  const bool dark = theme != request.query.end() && theme->second == "dark";
  std::string& svg = example_pictures_[name + (dark ? ":dark" : ":light")];
  if (svg.empty() && !options_.examples.empty()) {
    const RootFolder folder(options_.examples);
    Diagnostics diagnostics;
    const auto text = folder.good() ? folder.read(name + ".orr", std::size_t{16} << 20, diagnostics) : std::nullopt;
    const auto model = text ? model::parse(*text, name + ".orr", diagnostics) : std::nullopt;
    // Without evaluating: nothing of a model runs in the server.
    if (model) {
      const picture::Scene scene = picture::make_scene(model->root, "", {}, {});
      svg = picture::svg(scene, dark ? picture::Theme::dark : picture::Theme::light);
    }
  }
  if (svg.empty()) {
    example_pictures_.erase(name + (dark ? ":dark" : ":light"));
    return reply(failure_response(404, make_error("no-such-example", "there is no example " + name)));
  }
  reply({200, "image/svg+xml", svg});
}

OpenDocument* Service::find(const std::string& number) {
  int value = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
  const auto found =
      status == std::errc{} && end == number.data() + number.size() ? documents_.find(value) : documents_.end();
  return found == documents_.end() || found->second->closed ? nullptr : found->second.get();
}

OpenDocument* Service::document_of_run(std::uint32_t run) {
  // Runs are numbered for all documents together; each knows its own.
  const std::lock_guard lock(surroundings_.mutex);
  const auto found = surroundings_.run_documents.find(run);
  return found == surroundings_.run_documents.end() ? nullptr : find(std::to_string(found->second));
}

void Service::http(const HttpRequest& request, HttpReply reply) {
  if (request.path == "/") return page(reply);
  if (request.path.starts_with("/assets/")) return asset(request, reply);
  if (request.path == "/session") return session(request, reply);
  if (request.path == "/upload") return upload(request, reply);
  if (request.method != "GET") return reply(failure_response(405, make_error("bad-request", "this path is for GET")));
  if (request.path == "/library") {
    static const std::string tag = [] {
      Sha256 hash;
      hash.add(library_json());
      return '"' + hash.digits().substr(0, 32) + '"';
    }();
    if (request.if_none_match == tag) return reply({304, "application/json", "", {{"ETag", tag}}});
    return reply({200, "application/json", library_json(), {{"ETag", tag}, {"Cache-Control", "no-cache"}}});
  }
  if (request.path == "/file") return file(request, reply);
  if (request.path == "/picture.svg" && request.query.contains("example")) return example_picture(request, reply);
  OpenDocument* document = nullptr;
  const auto field = [&](const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
  };
  if (request.path == "/scene" || request.path == "/picture.svg" || request.path == "/text") {
    document = find(field("doc"));
  } else if (request.path == "/samples" || request.path == "/events" || request.path.starts_with("/results/") ||
             request.path == "/animation" || request.path == "/animation.svg") {
    const std::string text = request.path.starts_with("/results/") ? request.path.substr(9) : field("run");
    std::uint32_t run = 0;
    std::from_chars(text.data(), text.data() + text.size(), run);
    document = document_of_run(run);
  } else {
    return reply(failure_response(404, make_error("no-such-path", "there is nothing at this path")));
  }
  if (document == nullptr)
    return reply(failure_response(404, make_error("no-such-document", "there is no such document or run")));
  document->post([document, request, answer = std::move(reply)] { document->http(request, answer); });
}

void Service::connected(const TabRef& tab) { tabs_[tab->number] = tab; }

void Service::gone(const TabRef& tab) {
  tabs_.erase(tab->number);
  for (auto& [number, document] : documents_) {
    OpenDocument* one = document.get();
    one->post([one, tab_number = tab->number] { one->gone(tab_number); });
  }
}

void Service::tick() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < disk_time) return;
  looked_ = now;
  for (auto item = documents_.begin(); item != documents_.end();) {
    OpenDocument* one = item->second.get();
    if (one->closed) {
      std::erase_if(by_path_, [&](const auto& known) { return known.second == item->first; });
      one->shut_down();
      item = documents_.erase(item);
      continue;
    }
    one->post([one] { one->look_at_disk(); });
    ++item;
  }
}

void Service::message(const TabRef& tab, const std::string& text) {
  const Json request = parse_json(text);
  if (!request.is_object())
    return say_error(tab, Json::object(), make_error("bad-request", "a message is one object of JSON"));
  const std::string what = text_field(request, "do");
  try {
    if (what == "hello") return hello(tab, request);
    if (what == "open") return open(tab, request);
    if (what == "close") return close(tab, request);
    if (what == "list") return list(tab, request);
    if (what == "preferences") return preferences(tab, request);
    if (what == "code") return say_ok(tab, request, {{"address", options_.address + "/#code=" + guard_.make_code()}});
    OpenDocument* document = nullptr;
    if (request.contains("doc") && request["doc"].is_number_integer()) {
      document = find(std::to_string(request["doc"].get<long long>()));
    } else if (request.contains("run") && request["run"].is_number_unsigned()) {
      document = document_of_run(static_cast<std::uint32_t>(request["run"].get<std::uint64_t>() & 0xffffffffU));
    } else if (what == "acknowledge" || what == "unwatch") {
      for (auto& [number, one] : documents_) one->post([one = one.get(), tab, request] { one->handle(tab, request); });
      return;
    } else if (what == "help" && !documents_.empty()) {
      document = documents_.begin()->second.get();
    }
    if (document == nullptr)
      return say_error(tab, request,
                       make_error("no-such-document", "there is no such document or run, or no such request: " + what));
    document->post([document, tab, request] { document->handle(tab, request); });
  } catch (const nlohmann::json::exception& error) {
    say_error(tab, request, make_error("bad-request", std::string("a field is of the wrong type: ") + error.what()));
  }
}

void Service::hello(const TabRef& tab, const Json& request) {
  Json documents = Json::array();
  for (const auto& [path, number] : by_path_) documents.push_back({{"doc", number}, {"path", path}});
  say_ok(tab, request,
         {{"version", ORRERY_VERSION},
          {"root", root_.name()},
          {"model", options_.model.empty() ? Json() : Json(options_.model)},
          {"tab", tab->number},
          {"documents", std::move(documents)},
          {"tools", parse_json(surroundings_.tools)},
          {"web", assets_.has_page()}});
}

void Service::open(const TabRef& tab, const Json& request) {
  DocumentSource source;
  const std::string path = text_field(request, "path");
  Diagnostics diagnostics;
  if (request.contains("example")) {
    const std::string name = text_field(request, "example");
    const RootFolder folder(options_.examples);
    const auto text = options_.examples.empty() || !folder.good()
                          ? std::nullopt
                          : folder.read(name + ".orr", std::size_t{16} << 20, diagnostics);
    if (!text) return say_error(tab, request, make_error("no-such-example", "there is no example " + name));
    source.text = *text;
  } else if (flag_field(request, "new") && path.empty()) {
    source.name = "untitled";
  } else {
    if (!is_model_name(path)) return say_error(tab, request, make_error("bad-name", "models end with .orr"));
    source.path = path;
    source.create = flag_field(request, "new");
    if (source.create && root_.exists(path))
      return say_error(tab, request, make_error("file-exists", path + " is there already"));
    const auto known = by_path_.find(path);
    if (known != by_path_.end() && find(std::to_string(known->second)) != nullptr) {
      OpenDocument* document = documents_[known->second].get();
      return document->post([document, tab, request] { document->handle(tab, request); });
    }
  }
  if (documents_.size() >= most_documents)
    return say_error(tab, request, make_error("too-many", "too many documents are open"));
  const int number = ++next_document_;
  OpenDocument* document = (documents_[number] = std::make_unique<OpenDocument>(number, surroundings_)).get();
  if (source.path) by_path_[*source.path] = number;
  document->post([document, tab, request, source] {
    Diagnostics found;
    if (document->open(source, found)) return document->handle(tab, request);
    document->closed = true;
    say_error(tab, request, found);
  });
}

void Service::close(const TabRef& tab, const Json& request) {
  OpenDocument* document = find(std::to_string(static_cast<long long>(number_field(request, "doc", 0))));
  if (document == nullptr) return say_error(tab, request, make_error("no-such-document", "there is no such document"));
  document->post([document, tab, request] {
    const Json about = document->description();
    if (flag_field(about, "dirty") && !flag_field(request, "discard"))
      return say_error(tab, request,
                       make_error("unsaved-changes", "the model has changes that are not saved",
                                  "save it, or close it all the same"));
    document->forget_journal();
    document->closed = true;
    say_ok(tab, request, Json::object());
  });
}

// Read once: they belong to the program.
Json Service::examples() {
  if (!examples_.empty()) return parse_json(examples_);
  Json found = Json::array();
  if (options_.examples.empty()) return found;
  const RootFolder folder(options_.examples);
  Diagnostics ignored;
  for (const std::string part : {"", "automata", "book"}) {
    const auto items = folder.good() ? folder.list(part, ignored) : std::nullopt;
    if (!items) continue;
    for (const FolderItem& item : *items) {
      if (item.folder || !is_model_name(item.name)) continue;
      const std::string path = part.empty() ? item.name : part + "/" + item.name;
      const auto text = folder.read(path, std::size_t{4} << 20, ignored);
      const Json json = text ? parse_json(*text) : Json();
      if (!json.is_object()) continue;
      found.push_back({{"name", path.substr(0, path.size() - 4)},
                       {"title", text_field(json, "name")},
                       {"about", text_field(json, "about")}});
    }
  }
  examples_ = dump(found);
  return found;
}

void Service::list(const TabRef& tab, const Json& request) {
  const std::string folder = text_field(request, "folder");
  Diagnostics diagnostics;
  const auto items = root_.list(folder, diagnostics);
  if (!items) return say_error(tab, request, diagnostics);
  Json folders = Json::array(), files = Json::array(), recent = Json::array();
  for (const FolderItem& item : *items) {
    if (item.folder) {
      folders.push_back(item.name);
      continue;
    }
    if (!is_upload_name(item.name)) continue;
    files.push_back(
        {{"name", item.name}, {"size", item.size}, {"modified", item.modified}, {"model", is_model_name(item.name)}});
    const std::string inside = folder.empty() ? item.name : folder + "/" + item.name;
    const auto journal =
        is_model_name(item.name) ? edit::Journal::read(edit::journal_path(root_.absolute(inside))) : std::nullopt;
    if (journal && !journal->entries.empty() && !by_path_.contains(inside))
      recent.push_back({{"path", inside}, {"modified", item.modified}, {"unsaved", journal->entries.size()}});
  }
  say_ok(tab, request,
         {{"folder", folder}, {"folders", folders}, {"files", files}, {"examples", examples()}, {"recent", recent}});
}

void Service::preferences(const TabRef& tab, const Json& request) {
  Diagnostics diagnostics;
  const std::string text = change_preferences(request.contains("set") ? dump(request["set"]) : "{}", diagnostics);
  if (diagnostics.has_errors()) return say_error(tab, request, diagnostics);
  say_ok(tab, request, {{"preferences", parse_json(text)}});
}

}  // namespace orrery::server
