// SPDX-License-Identifier: Apache-2.0
// One thread, asynchronous: a listener, connections with limits, and WebSockets they become.
#include <utility>  // before Boost.Asio 1.74, which needs it in C++20

#include "server/http_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <optional>

namespace orrery::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Failure = beast::error_code;

constexpr std::chrono::seconds request_time{30}, idle_time{60};

struct Context {
  asio::io_context& io;
  const NetworkLimits& limits;
  Guard& guard;
  Answers& answers;
  int connections = 0;
  int tabs = 0;  // made so far
};

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Percent codes; nothing when one is none, or stands for a zero byte.
std::optional<std::string> decoded(std::string_view text, bool plus) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '+' && plus) {
      out += ' ';
      continue;
    }
    if (text[k] != '%') {
      out += text[k];
      continue;
    }
    if (k + 2 >= text.size() || hex_value(text[k + 1]) < 0 || hex_value(text[k + 2]) < 0) return std::nullopt;
    const char c = static_cast<char>(hex_value(text[k + 1]) * 16 + hex_value(text[k + 2]));
    if (c == '\0') return std::nullopt;
    out += c;
    k += 2;
  }
  return out;
}

// False: the target is no path with a query.
bool read_target(std::string_view target, HttpRequest& request) {
  if (target.empty() || target.front() != '/') return false;
  const std::size_t mark = target.find('?');
  const auto path = decoded(target.substr(0, mark), false);
  if (!path) return false;
  request.path = *path;
  std::string_view rest = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const auto name = decoded(part.substr(0, equals), true);
    const auto value = decoded(equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), true);
    if (!name || !value) return false;
    request.query[*name] = *value;
  }
  return true;
}

Access access_of(const HttpRequest& request) {
  if (request.method == "GET" && (request.path == "/" || request.path.starts_with("/assets/"))) return Access::page;
  if (request.path == "/session") return Access::session;
  return Access::secret;
}

// "orrery, SECRET": the last one that is not our name.
std::string secret_of_protocols(std::string_view list, bool& named) {
  std::string secret;
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (item == "orrery") {
      named = true;
    } else {
      secret = std::string(item);
    }
  }
  return secret;
}

HttpResponse refusal_of(const Verdict& verdict) {
  HttpResponse response;
  response.status = verdict.status;
  response.body = std::string(R"({"error":{"severity":"error","code":")") + verdict.code + R"(","message":")" +
                  verdict.message + "\"}}";
  return response;
}

// A page behind a WebSocket.
class Socket final : public Tab, public std::enable_shared_from_this<Socket> {
 public:
  Socket(Context& context, beast::tcp_stream stream) : context_(context), stream_(std::move(stream)) {
    number = ++context.tabs;
  }
  ~Socket() override { --context_.connections; }

  void accept(const http::request<http::string_body>& request) {
    beast::get_lowest_layer(stream_).expires_never();  // the WebSocket has its own clock
    stream_.read_message_max(context_.limits.message);
    stream_.auto_fragment(false);  // a message is one frame
    stream_.set_option(websocket::stream_base::timeout{request_time, idle_time, true});
    stream_.set_option(websocket::stream_base::decorator(
        [](websocket::response_type& answer) { answer.set(http::field::sec_websocket_protocol, "orrery"); }));
    stream_.async_accept(request, [self = shared_from_this()](Failure failure) {
      if (failure) return;
      self->open_ = true;
      self->context_.answers.connected(self);
      self->read();
    });
  }

  void send(std::string text) override { enqueue(std::move(text), true); }
  void send_frame(std::string bytes) override { enqueue(std::move(bytes), false); }

 private:
  struct Outgoing {
    std::string bytes;
    bool text;
  };

  void enqueue(std::string bytes, bool text) {
    waiting_bytes_ += bytes.size();
    asio::post(context_.io, [self = shared_from_this(), out = Outgoing{std::move(bytes), text}]() mutable {
      if (!self->open_) return;
      if (self->waiting_bytes_ > self->context_.limits.waiting) return self->end();  // a page that does not read
      self->queue_.push_back(std::move(out));
      if (self->queue_.size() == 1) self->write();
    });
  }

  void write() {
    stream_.text(queue_.front().text);
    stream_.async_write(asio::buffer(queue_.front().bytes), [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->end();
      self->waiting_bytes_ -= self->queue_.front().bytes.size();
      self->queue_.pop_front();
      if (!self->queue_.empty()) self->write();
    });
  }

  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->end();
      if (self->stream_.got_text()) {
        const std::string text = beast::buffers_to_string(self->buffer_.data());
        self->buffer_.consume(self->buffer_.size());
        self->context_.answers.message(self, text);
      } else {
        self->buffer_.consume(self->buffer_.size());  // nobody sends binary messages here
      }
      self->read();
    });
  }

  void end() {
    if (!std::exchange(open_, false)) return;
    Failure ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
    context_.answers.gone(shared_from_this());
  }

  Context& context_;
  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
  std::deque<Outgoing> queue_;
  std::atomic<std::size_t> waiting_bytes_ = 0;
  bool open_ = false;
};

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Context& context, tcp::socket socket) : context_(context), stream_(std::move(socket)) {
    ++context_.connections;
  }
  ~Connection() {
    if (!handed_over_) --context_.connections;
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(context_.limits.header));
    parser_->body_limit(context_.limits.message);
    stream_.expires_after(idle_time);
    http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->failed(failure);
      self->judge();
    });
  }

 private:
  // The headers decide before a byte of the body is read.
  void judge() {
    const auto& head = parser_->get();
    keep_alive_ = head.keep_alive();
    request_ = {};
    request_.method = text_of(head.method_string());
    request_.content_type = text_of(head[http::field::content_type]);
    request_.if_none_match = text_of(head[http::field::if_none_match]);
    request_.takes_gzip = text_of(head[http::field::accept_encoding]).find("gzip") != std::string::npos;
    if (!read_target({head.target().data(), head.target().size()}, request_))
      return refuse({400, "bad-request", "this is no path"});
    Caller caller{text_of(head[http::field::host]), text_of(head[http::field::origin]), text_of(head["Sec-Fetch-Site"]),
                  bearer_token(text_of(head[http::field::authorization]))};
    if (head.count(http::field::host) != 1) caller.host.clear();
    const bool upgrade = websocket::is_upgrade(head);
    bool named = false;
    if (upgrade) {
      caller.secret = secret_of_protocols(text_of(head[http::field::sec_websocket_protocol]), named);
      if (caller.origin.empty()) caller.origin = "none";  // a browser always sends one
    }
    const Verdict verdict = context_.guard.judge(caller, upgrade ? Access::secret : access_of(request_));
    if (verdict.status != 0) return refuse(verdict);
    if (upgrade) {
      if (request_.path != "/socket" || !named) return refuse({404, "no-such-path", "WebSockets begin at /socket"});
      handed_over_ = true;
      auto socket = std::make_shared<Socket>(context_, std::move(stream_));
      socket->accept(parser_->release());
      return;
    }
    if (request_.method == "POST") {
      if (request_.path == "/upload") {
        parser_->body_limit(context_.limits.upload);
      } else if (!request_.content_type.starts_with("application/json")) {
        return refuse({415, "bad-request", "the body must be application/json"});
      }
    } else if (request_.method != "GET") {
      return refuse({405, "bad-request", "only GET and POST are answered here"});
    }
    stream_.expires_after(request_time);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->failed(failure);
      self->request_.body = std::move(self->parser_->get().body());
      self->stream_.expires_never();
      // The answer may come from another thread.
      self->context_.answers.http(self->request_, [self](HttpResponse response) {
        asio::post(self->context_.io,
                   [self, answer = std::move(response)]() mutable { self->write(std::move(answer)); });
      });
    });
  }

  void failed(Failure failure) {
    if (failure == http::error::body_limit) return refuse({413, "too-large", "the body is too large"});
    if (failure == http::error::header_limit) return refuse({431, "too-large", "the headers are too large"});
    const bool is_http = failure.category() == http::make_error_code(http::error::bad_method).category();
    if (is_http && failure != http::error::end_of_stream && failure != http::error::partial_message)
      return refuse({400, "bad-request", "this is not HTTP"});
    close();
  }

  void refuse(const Verdict& verdict) {
    keep_alive_ = false;  // the body was not read
    write(refusal_of(verdict));
  }

  void write(HttpResponse response) {
    answer_ = {};
    answer_.version(11);
    answer_.result(response.status);
    answer_.set(http::field::content_type, response.type);
    answer_.set("X-Content-Type-Options", "nosniff");
    answer_.set("Cross-Origin-Resource-Policy", "same-origin");
    answer_.set("Cross-Origin-Opener-Policy", "same-origin");
    answer_.set("Referrer-Policy", "no-referrer");
    answer_.set("X-Frame-Options", "DENY");
    bool policy = false, cached = false;
    for (const auto& [name, value] : response.headers) {
      answer_.set(name, value);
      policy = policy || name == "Content-Security-Policy";
      cached = cached || name == "Cache-Control";
    }
    if (!policy) answer_.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    if (!cached) answer_.set(http::field::cache_control, "no-store");
    answer_.body() = std::move(response.body);
    answer_.keep_alive(keep_alive_);
    answer_.prepare_payload();
    stream_.expires_after(request_time);
    http::async_write(stream_, answer_, [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure || !self->keep_alive_) return self->close();
      self->read();
    });
  }

  void close() {
    Failure ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
  }

  Context& context_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest request_;
  http::response<http::string_body> answer_;
  bool keep_alive_ = false;
  bool handed_over_ = false;
};

}  // namespace

struct HttpServer::Data {
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  std::optional<tcp::acceptor> other;  // on ::1
  asio::steady_timer timer{io};
  NetworkLimits limits;
  std::optional<Context> context;

  void accept(tcp::acceptor& from) {
    from.async_accept([this, &from](Failure failure, tcp::socket socket) {
      if (!from.is_open()) return;
      if (!failure && context->connections < limits.connections) {
        Failure ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<Connection>(*context, std::move(socket))->read();
      }  // else: closed at once
      accept(from);
    });
  }

  void tick(const std::atomic<bool>& end) {
    timer.expires_after(std::chrono::milliseconds(200));
    timer.async_wait([this, &end](Failure) {
      if (end.load()) return io.stop();
      context->answers.tick();
      tick(end);
    });
  }
};

HttpServer::HttpServer(const std::string& address, std::uint16_t port, const NetworkLimits& limits)
    : data_(std::make_unique<Data>()) {
  data_->limits = limits;
  Failure failure;
  const auto where = asio::ip::make_address(address, failure);
  const auto open = [&](tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
    acceptor.open(endpoint.protocol(), failure);
    if (!failure) acceptor.set_option(asio::socket_base::reuse_address(true), failure);
    if (!failure) acceptor.bind(endpoint, failure);
    if (!failure) acceptor.listen(64, failure);
    return !failure;
  };
  if (failure || !open(data_->acceptor, {where, port})) {
    error_ = failure.message();
    return;
  }
  port_ = data_->acceptor.local_endpoint().port();
  if (!where.is_v4() || !where.is_loopback()) return;
  data_->other.emplace(data_->io);  // browsers may take "localhost" for ::1
  if (!open(*data_->other, {asio::ip::address_v6::loopback(), port_})) data_->other.reset();
}

HttpServer::~HttpServer() = default;

void HttpServer::run(Guard& guard, Answers& answers, const std::atomic<bool>& end) {
  data_->context.emplace(Context{data_->io, data_->limits, guard, answers});
  data_->accept(data_->acceptor);
  if (data_->other) data_->accept(*data_->other);
  data_->tick(end);
  data_->io.run();
}

void HttpServer::stop() { data_->io.stop(); }

}  // namespace orrery::server
