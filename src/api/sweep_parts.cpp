// SPDX-License-Identifier: Apache-2.0
// Parts are files beside the table, each of the same form as the one that a single process writes.
#include "api/sweep_parts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace orrery::api {
namespace {

namespace fs = std::filesystem;

using Clock = std::chrono::steady_clock;
using Message = Ranks::Message;
enum : std::int64_t { asks, leaves, begins, range, ends };  // what a message says first
constexpr double seconds_of_a_range = 1;                    // that a killed process can lose

std::vector<std::string> existing(const SweepParts& parts) {
  const fs::path table(parts.out);
  const std::string begin = table.filename().string() + ".runs.";
  std::vector<std::string> found;
  std::error_code error;
  const fs::path folder = table.has_parent_path() ? table.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) || name.size() == begin.size()) continue;
    if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(begin.size()), name.end(),
                    [](char c) { return c >= '0' && c <= '9'; }))
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Message wait_for_message(const Ranks& ranks) {
  Message message{};
  while (ranks.receive(message) < 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  return message;
}

}  // namespace

std::string SweepParts::path(int part) const { return fmt::format("{}.runs.{}", out, part); }

std::optional<analyse::SweepStore> SweepParts::open(int part, Diagnostics& diagnostics) const {
  return analyse::SweepStore::open(path(part), identity, runs, columns, diagnostics);
}

bool SweepParts::collect(const analyse::SweepStore& store, Diagnostics& diagnostics) const {
  for (const std::string& file : existing(*this)) {
    auto part = analyse::SweepStore::open(file, identity, runs, columns, diagnostics);
    if (!part) return false;
    analyse::SweepOutcome outcome;
    for (std::size_t run = 0; run < runs; ++run) {
      if (!part->read(run, outcome) || store.has(run)) continue;
      const int error = store.write(run, outcome);
      if (error == 0) continue;
      diagnostics.error("output-unwritable", {store.path(), 0, 0, {}, {}},
                        fmt::format("cannot be written: {}", std::generic_category().message(error)),
                        "make room and repeat the command: it goes on where it stopped");
      return false;
    }
  }
  return true;
}

void SweepParts::forget() const {
  for (const std::string& file : existing(*this)) ::unlink(file.c_str());
}

bool hand_out_runs(const Ranks& ranks, const analyse::SweepStore& store, const SweepRequest& request) {
  const std::size_t runs = store.runs();
  const int workers = ranks.size() - 1;
  for (int rank = 1; rank <= workers; ++rank) ranks.send(rank, {begins, 0, 0, 0});
  std::size_t next = 0, done = 0;
  for (std::size_t run = 0; run < runs; ++run) done += store.has(run) ? 1 : 0;
  const std::size_t before = done;
  auto told = Clock::now();
  for (int there = workers; there > 0;) {
    if (request.run.interrupt != nullptr && request.run.interrupt->load()) return false;
    if (request.progress && Clock::now() - told > std::chrono::milliseconds(100)) {
      told = Clock::now();
      request.progress(done - before, runs - before);
    }
    Message message{};
    const int from = ranks.receive(message);
    if (from < 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      continue;
    }
    if (message[0] == leaves) {
      --there;
      continue;
    }
    // It has made so many runs in so many nanoseconds.
    const auto made = static_cast<double>(message[1]), seconds = 1e-9 * static_cast<double>(message[2]);
    done += static_cast<std::size_t>(message[1]);
    while (next < runs && store.has(next)) ++next;
    if (next == runs) {
      ranks.send(from, {ends, 0, 0, 0});
      continue;
    }
    // As many as take a while, as far as it is known; and always something left for the others.
    const std::size_t fair = std::max<std::size_t>((runs - next) / static_cast<std::size_t>(2 * workers), 1);
    const double by_cost = made > 0 && seconds > 0 ? seconds_of_a_range * made / seconds : 4;
    const std::size_t length = std::clamp<std::size_t>(static_cast<std::size_t>(std::min(by_cost, 1e9)), 1, fair);
    const std::size_t end = std::min(next + length, runs);
    ranks.send(from, {range, static_cast<std::int64_t>(next), static_cast<std::int64_t>(end), 0});
    next = end;
  }
  return true;
}

void dismiss(const Ranks& ranks) {
  for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, {ends, 0, 0, 0});
}

analyse::SweepEnd make_runs_as_told(const Ranks& ranks, analyse::Sweep work, const SweepParts& parts,
                                    Diagnostics& diagnostics) {
  analyse::SweepEnd end = analyse::SweepEnd::complete;
  if (wait_for_message(ranks)[0] != begins) return end;  // the first rank has told why
  {
    auto store = parts.open(ranks.rank(), diagnostics);
    if (!store) end = analyse::SweepEnd::failed;
    work.progress = {};
    Message asked{asks, 0, 0, 0};
    while (end == analyse::SweepEnd::complete) {
      ranks.send(0, asked);
      const Message told = wait_for_message(ranks);
      if (told[0] != range) break;
      work.store = &*store;
      work.begin = static_cast<std::size_t>(told[1]);
      work.end = static_cast<std::size_t>(told[2]);
      const Clock::time_point begun = Clock::now();
      end = analyse::make_runs(work, diagnostics);
      asked = {asks, told[2] - told[1], std::chrono::nanoseconds(Clock::now() - begun).count(), 0};
    }
  }
  ranks.send(0, {leaves, 0, 0, 0});
  return end;
}

}  // namespace orrery::api
