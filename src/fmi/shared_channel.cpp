// SPDX-License-Identifier: Apache-2.0
// A turn over shared memory with a futex behind it.
#include "fmi/shared_channel.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <ctime>

namespace orrery::fmi {
namespace {

constexpr std::size_t message_bytes = std::size_t{256} << 20;  // touched pages only are real
constexpr std::size_t speech_bytes = std::size_t{64} << 10;
// A switch of processes costs about as much as the longest spinning; where there is no second core to answer, every
// spinning is in vain, and it becomes shorter and shorter.
constexpr double longest_spin = 20e-6, shortest_spin = 4e-6;  // a short call takes one microsecond
constexpr long sleep_nanoseconds = 50'000'000;                // between looks at the other side

void pause_briefly() {
#if defined(__SSE2__)
  _mm_pause();
#endif
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

}  // namespace

struct SharedChannel::Layout {
  std::atomic<std::uint32_t> turn{0};
  std::atomic<std::uint32_t> sleepers{0};
  std::atomic<const char*> entered{nullptr};
  std::uint32_t call = 0;
  std::uint64_t size = 0;
  std::uint64_t spoken = 0;
  char speech[speech_bytes];
  alignas(64) char message[message_bytes];
};

std::unique_ptr<SharedChannel> SharedChannel::create() {
  void* memory =
      mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* layout = static_cast<Layout*>(memory);           // zeros are what every other field starts with
  layout->turn = static_cast<std::uint32_t>(Turn::fmu);  // it begins, by telling whether there is an instance
  return std::unique_ptr<SharedChannel>(new SharedChannel(layout));
}

SharedChannel::SharedChannel(Layout* layout) : layout_(layout), spin_seconds_(longest_spin) {}

SharedChannel::~SharedChannel() { munmap(layout_, sizeof(Layout)); }

bool SharedChannel::hand_over(Turn to, Call call, std::span<const char> message) {
  if (message.size() > message_bytes) return false;
  layout_->call = static_cast<std::uint32_t>(call);
  layout_->size = message.size();
  if (!message.empty()) std::memcpy(layout_->message, message.data(), message.size());
  layout_->turn.store(static_cast<std::uint32_t>(to));
  if (layout_->sleepers.load() != 0) futex(layout_->turn, FUTEX_WAKE, INT_MAX, nullptr);
  return true;
}

bool SharedChannel::wait_for(Turn own, const std::function<bool()>& alive) {
  if (!wait(static_cast<std::uint32_t>(own), alive)) return false;
  // Each is read once. Volatile, so that the compiler does not read it again.
  const auto number = *const_cast<const volatile std::uint32_t*>(&layout_->call);
  const std::uint64_t size = *const_cast<const volatile std::uint64_t*>(&layout_->size);
  call_ = static_cast<Call>(std::min(number, call_count - 1));
  copy_.resize(std::min<std::size_t>(size, message_bytes));
  if (!copy_.empty()) std::memcpy(copy_.data(), layout_->message, copy_.size());
  return true;
}

bool SharedChannel::wait(std::uint32_t mine, const std::function<bool()>& alive) {
  static const bool several = sysconf(_SC_NPROCESSORS_ONLN) > 1;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  do {
    for (int k = 0; k < 16; ++k) {
      if (layout_->turn.load(std::memory_order_acquire) == mine) {
        spin_seconds_ = std::min(2 * spin_seconds_, longest_spin);
        return true;
      }
      pause_briefly();
    }
  } while (several && std::chrono::duration<double>(Clock::now() - begin).count() < spin_seconds_);
  spin_seconds_ = std::max(spin_seconds_ / 2, shortest_spin);
  for (;;) {
    const std::uint32_t turn = layout_->turn.load();
    if (turn == mine) return true;
    if (!alive()) return layout_->turn.load() == mine;
    layout_->sleepers.fetch_add(1);
    const timespec timeout{0, sleep_nanoseconds};
    if (layout_->turn.load() == turn) futex(layout_->turn, FUTEX_WAIT, turn, &timeout);
    layout_->sleepers.fetch_sub(1);
  }
}

// A status, a category and a text, both ended by a zero; what does not fit is lost.
void SharedChannel::say(Status status, const char* category, const char* text) {
  const std::size_t group = std::strlen(category) + 1, words = std::strlen(text) + 1;
  const std::uint64_t spoken = layout_->spoken;
  if (spoken > speech_bytes || spoken + 1 + group + words > speech_bytes) return;
  char* at = layout_->speech + spoken;
  *at++ = static_cast<char>(status);
  std::memcpy(at, category, group);
  std::memcpy(at + group, text, words);
  layout_->spoken += 1 + group + words;
}

void SharedChannel::listen(Log& log) {
  const std::uint64_t spoken = *const_cast<const volatile std::uint64_t*>(&layout_->spoken);
  if (spoken == 0) return;
  const std::size_t end = std::min<std::size_t>(spoken, speech_bytes);
  const std::string copy(layout_->speech, end);
  for (std::size_t at = 0; at < end;) {
    const int status = std::clamp<int>(copy[at], 0, static_cast<int>(Status::pending));
    const std::string category(copy.data() + at + 1, strnlen(copy.data() + at + 1, end - at - 1));
    at = std::min(at + 2 + category.size(), end);
    const std::string text(copy.data() + at, strnlen(copy.data() + at, end - at));
    at += text.size() + 1;
    log.message(static_cast<Status>(status), category.c_str(), text.c_str());
  }
  layout_->spoken = 0;
}

std::atomic<const char*>& SharedChannel::entered_function() { return layout_->entered; }

}  // namespace orrery::fmi
