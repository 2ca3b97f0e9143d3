// SPDX-License-Identifier: Apache-2.0
// Writes and reads recordings of calls.
#include "fmi/call_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/new_file.h"
#include "fmi/caller.h"

namespace orrery::fmi {
namespace {

constexpr char magic[] = "orrery fmi calls 1\n";
constexpr std::size_t magic_size = sizeof magic - 1;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;  // of one message

class RecordingTransport final : public Transport {
 public:
  RecordingTransport(std::unique_ptr<Instance> inner, std::FILE* file, std::string path)
      : inner_(std::move(inner)), dispatcher_(*inner_), file_(file), path_(std::move(path)) {}
  ~RecordingTransport() override {
    inner_.reset();
    std::fclose(file_);
  }

  std::span<const char> exchange(Call call, std::span<const char> request) override {
    if (!unwritten_.code.empty()) return {};
    write(&call, sizeof call);
    write(request);
    bool written = std::fflush(file_) == 0;
    dispatcher_.execute(call, PacketReader(request), answer_);
    write(answer_.bytes());
    if (call == Call::free_instance) written = std::fflush(file_) == 0 && written;
    if (written && std::ferror(file_) == 0) return answer_.bytes();
    // A run whose recording is not whole is not the run that was asked for.
    unwritten_ = Death{"output-unwritable", fmt::format("the recording {} cannot be written: {}", path_,
                                                        errno != 0 ? std::strerror(errno) : "unknown reason")};
    return {};
  }
  const Death* death() const override {
    return !unwritten_.code.empty() ? &unwritten_ : inner_ ? inner_->death() : nullptr;
  }

 private:
  void write(const void* data, std::size_t size) {
    if (size > 0) std::fwrite(data, 1, size, file_);  // an empty message has no address
  }
  void write(std::span<const char> bytes) {
    const std::uint64_t size = bytes.size();
    write(&size, sizeof size);
    write(bytes.data(), bytes.size());
  }

  std::unique_ptr<Instance> inner_;
  Dispatcher dispatcher_;
  std::FILE* file_;
  std::string path_;
  PacketWriter answer_;
  Death unwritten_;
};

class PlayingTransport final : public Transport {
 public:
  explicit PlayingTransport(std::unique_ptr<CallFile> file) : file_(std::move(file)) {}

  std::span<const char> exchange(Call call, std::span<const char> request) override {
    if (!death_.code.empty()) return {};
    auto record = file_->next();
    ++number_;
    if (!record) {
      if (call == Call::free_instance) return end();
      return die(fmt::format("the recording ends before call {}, {}", number_, name_of(call)));
    }
    if (record->call != call) {
      return die(
          fmt::format("call {} is {}; the recording has {} there", number_, name_of(call), name_of(record->call)));
    }
    if (!std::equal(request.begin(), request.end(), record->request.begin(), record->request.end())) {
      return die(fmt::format("call {}, {}, has other values than the recording", number_, name_of(call)));
    }
    if (!record->answered) return die(fmt::format("the recording ends within call {}, {}", number_, name_of(call)));
    answer_ = std::move(record->answer);
    return answer_;
  }
  const Death* death() const override { return death_.code.empty() ? nullptr : &death_; }

 private:
  std::span<const char> die(std::string message) {
    death_ = Death{"fmi-replay-differs", std::move(message)};
    return {};
  }
  std::span<const char> end() {
    end_.clear();
    end_.put(Status::ok);
    end_.put(std::span<const char>());
    return end_.bytes();
  }
  std::unique_ptr<CallFile> file_;
  std::vector<char> answer_;
  PacketWriter end_;
  long number_ = 0;
  Death death_;
};

}  // namespace

std::unique_ptr<CallFile> CallFile::open(const std::string& path, Diagnostics& diagnostics) {
  std::FILE* handle = std::fopen(path.c_str(), "rb");
  if (handle == nullptr) {
    diagnostics.error("fmi-no-file", {path, 0, 0, {}, {}}, fmt::format("cannot be opened: {}", std::strerror(errno)));
    return nullptr;
  }
  std::unique_ptr<CallFile> file(new CallFile(handle, path));
  char head[magic_size];
  std::vector<char> header;
  if (!file->read(head, magic_size) || std::memcmp(head, magic, magic_size) != 0 || !file->read_bytes(header)) {
    diagnostics.error("fmi-bad-recording", {path, 0, 0, {}, {}}, "this is no recording of the calls of an FMU",
                      "orrery run X.fmu --record FILE makes one");
    return nullptr;
  }
  file->header_.assign(header.begin(), header.end());
  return file;
}

CallFile::~CallFile() { std::fclose(file_); }

bool CallFile::read(void* to, std::size_t size) { return std::fread(to, 1, size, file_) == size; }

bool CallFile::read_bytes(std::vector<char>& bytes) {
  std::uint64_t size = 0;
  if (!read(&size, sizeof size) || size > most_bytes) return false;
  // In pieces: the length may be a lie.
  constexpr std::size_t piece = std::size_t{1} << 20;
  bytes.clear();
  while (bytes.size() < size) {
    const std::size_t begin = bytes.size(), count = std::min<std::size_t>(piece, size - begin);
    bytes.resize(begin + count);
    if (!read(bytes.data() + begin, count)) return false;
  }
  return true;
}

std::optional<CallRecord> CallFile::next() {
  CallRecord record;
  std::uint32_t number = 0;
  if (!read(&number, sizeof number) || number >= call_count || !read_bytes(record.request)) return std::nullopt;
  record.call = static_cast<Call>(number);
  record.answered = read_bytes(record.answer);
  return record;
}

std::unique_ptr<Instance> record_calls(std::unique_ptr<Instance> inner, const std::string& path,
                                       const std::string& header, Diagnostics& diagnostics) {
  const auto target = final_target(path);
  errno = EACCES;
  std::FILE* file = target ? std::fopen(target->c_str(), "wbe") : nullptr;
  if (file == nullptr) {
    diagnostics.error("output-unwritable", {path, 0, 0, {}, {}},
                      fmt::format("cannot be written: {}", std::strerror(errno)));
    return nullptr;
  }
  const std::uint64_t size = header.size();
  std::fwrite(magic, 1, magic_size, file);
  std::fwrite(&size, 1, sizeof size, file);
  std::fwrite(header.data(), 1, header.size(), file);
  return make_forwarding_instance(std::make_unique<RecordingTransport>(std::move(inner), file, path));
}

std::unique_ptr<Instance> play_calls(std::unique_ptr<CallFile> file) {
  return make_forwarding_instance(std::make_unique<PlayingTransport>(std::move(file)));
}

}  // namespace orrery::fmi
