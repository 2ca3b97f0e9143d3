// SPDX-License-Identifier: Apache-2.0
// Puts the parts together, prints the address, shows it in a browser, and ends cleanly.
#include "server/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/environment.h"
#include "base/signals.h"
#include "edit/journal.h"
#include "server/service.h"

namespace orrery::server {
namespace {

namespace fs = std::filesystem;

int complain_and_fail(const std::string& message, const std::string& help = {}) {
  std::fprintf(stderr, "orrery serve: %s\n", message.c_str());
  if (!help.empty()) std::fprintf(stderr, "  help: %s\n", help.c_str());
  return 1;
}

std::string own_executable() {
  std::error_code error;
  const std::string path = fs::read_symlink("/proc/self/exe", error).string();
  return error ? std::string() : path;
}

// Beside the program when it is installed, or in the sources that it was built from.
std::string example_folder() {
  std::error_code error;
  const fs::path program = own_executable();
  for (const fs::path& folder : {program.parent_path().parent_path() / "share/orrery/examples",
                                 program.parent_path().parent_path() / "examples", fs::path("examples")}) {
    if (fs::is_directory(folder, error)) return fs::absolute(folder, error).string();
  }
  return {};
}

// A private page that leads to the address: the code is in no list of processes. It is removed when the server ends.
class LaunchPage {
 public:
  explicit LaunchPage(const std::string& address) {
    const std::string folder = state_folder() + "/orrery";
    std::error_code error;
    fs::create_directories(folder, error);
    path_ = folder + "/launch-" + random_hex(8) + ".html";
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    const std::string text =
        "<!doctype html><meta charset=utf-8><title>Orrery</title><meta http-equiv=refresh content=\"0;url=" + address +
        "\">\n";
    good_ = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0) ::close(file);
  }
  ~LaunchPage() { ::unlink(path_.c_str()); }
  LaunchPage(const LaunchPage&) = delete;
  LaunchPage& operator=(const LaunchPage&) = delete;

  bool show() const {
    if (!good_ || (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)) return false;
    std::string program = "xdg-open", file = path_;
    char* const words[] = {program.data(), file.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t viewer = 0;
    const bool started = posix_spawnp(&viewer, program.c_str(), &actions, nullptr, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (started) std::thread([viewer] { ::waitpid(viewer, nullptr, 0); }).detach();
    return started;
  }

 private:
  std::string path_;
  bool good_ = false;
};

// One server for a model: a second one says where the first is.
class ModelLock {
 public:
  // Empty: it is ours now; else what the other one has written.
  std::string take(const std::string& model_file, const std::string& address) {
    const std::string path = edit::journal_path(model_file) + ".lock";
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file_ < 0) return {};
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      char text[256] = {};
      const ssize_t count = ::read(file_, text, sizeof text - 1);
      return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : "another one";
    }
    if (::ftruncate(file_, 0) != 0 || ::write(file_, address.data(), address.size()) < 0) return {};
    return {};
  }
  ~ModelLock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  int file_ = -1;
};

// Enter on the terminal prints an address with a fresh code, for another tab.
void print_codes_on_request(Guard& guard, const std::string& address, const std::atomic<bool>& end) {
  while (!end.load()) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, 200) <= 0) continue;
    char text[256];
    if (::read(STDIN_FILENO, text, sizeof text) <= 0) return;
    std::printf("%s/#code=%s\n", address.c_str(), guard.make_code().c_str());
    std::fflush(stdout);
  }
}

std::optional<std::string> read_token(const std::string& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0 || (about.st_mode & 077) != 0) return std::nullopt;
  std::FILE* in = std::fopen(file.c_str(), "re");
  if (in == nullptr) return std::nullopt;
  char text[256] = {};
  const std::size_t count = std::fread(text, 1, sizeof text - 1, in);
  std::fclose(in);
  std::string token(text, count);
  while (!token.empty() && (token.back() == '\n' || token.back() == ' ')) token.pop_back();
  if (token.size() < 32) return std::nullopt;
  return token;
}

}  // namespace

int serve(const ServeArguments& arguments) {
  std::error_code error;
  const fs::path wanted = arguments.model.empty() ? fs::current_path(error) : fs::absolute(arguments.model, error);
  const bool is_folder = fs::is_directory(wanted, error);
  if (!is_folder && !fs::is_regular_file(wanted, error))
    return complain_and_fail(arguments.model + ": there is no such model or folder");
  const RootFolder root(is_folder ? wanted.string() : wanted.parent_path().string());
  if (!root.good()) return complain_and_fail(wanted.string() + " cannot be opened");
  ServiceOptions options;
  options.assets = arguments.assets;
  options.examples = example_folder();
  options.commands = arguments.commands;
  if (!is_folder) options.model = wanted.filename().string();
  if (!options.model.empty() && !is_model_name(options.model))
    return complain_and_fail(options.model + " is no .orr file");

  const bool local = arguments.host == "127.0.0.1" || arguments.host == "::1" || arguments.host == "localhost";
  std::optional<std::string> token;
  if (!arguments.token_file.empty()) {
    token = read_token(arguments.token_file);
    if (!token)
      return complain_and_fail(arguments.token_file +
                               " must hold a secret of at least 32 characters and be yours alone (chmod 600)");
  }
  if (!local && !token)
    return complain_and_fail("--host " + arguments.host + " lets other machines in",
                             "give a secret with --token-file FILE");
  if (!local)
    std::fprintf(stderr,
                 "\033[31mwarning: every machine that reaches %s can try the secret, and nothing is encrypted\033[0m\n",
                 arguments.host.c_str());

  HttpServer network(local ? "127.0.0.1" : arguments.host, static_cast<std::uint16_t>(arguments.port));
  if (!network.good())
    return complain_and_fail(fmt::format("port {} cannot be used: {}", arguments.port, network.error()),
                             "leave --port out for a free one");
  Guard guard(network.port(), local ? "" : arguments.host);
  if (token) guard.set_secret(*token);
  const std::string address = fmt::format("http://{}:{}", local ? "127.0.0.1" : arguments.host, network.port());
  options.address = address;
  ModelLock lock;
  if (!is_folder) {
    const std::string other = lock.take(root.absolute(options.model), address);
    if (!other.empty())
      return complain_and_fail(options.model + " is open in another orrery serve: " + other,
                               "open that page, or end the other one");
  }
  const EndWatch watch;
  Service service(root, guard, arguments.executable.empty() ? own_executable() : arguments.executable, options);
  const std::string launch = address + "/#code=" + guard.make_code();
  const LaunchPage page(launch);
  const bool shown = arguments.browser && page.show();
  if (!Assets(arguments.assets).has_page())
    std::fprintf(stderr,
                 "orrery serve: this program was built without the page of the editor\n  help: install npm and build "
                 "again, or give --assets FOLDER\n");
  std::printf("The editor is at %s\n", launch.c_str());
  if (!shown && std::getenv("SSH_CONNECTION") != nullptr)
    std::printf("From another machine: ssh -L %u:127.0.0.1:%u HOST, then open that address there.\n", network.port(),
                network.port());
  std::printf("The code is good once and for a minute; %sCtrl-C ends.\n",
              isatty(STDIN_FILENO) ? "Enter prints another; " : "");
  std::fflush(stdout);
  std::thread codes;
  if (isatty(STDIN_FILENO)) codes = std::thread([&] { print_codes_on_request(guard, address, end_requested()); });
  network.run(guard, service, end_requested());
  service.shut_down();
  if (codes.joinable()) codes.join();
  return 0;
}

}  // namespace orrery::server
