// SPDX-License-Identifier: Apache-2.0
// Records of fixed size, each with a checksum over what it holds and which run it is.
#include "analyse/sweep_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace orrery::analyse {
namespace {

constexpr std::size_t head_size = 64, code_size = 40;
constexpr char magic[8] = {'O', 'R', 'R', 'S', 'W', 'P', '0', '1'};

// Fowler, Noll, Vo: good enough against torn records; nobody attacks a file of one's own.
std::uint64_t checksum(std::uint64_t start, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t hash = 14695981039346656037u ^ start;
  for (std::size_t k = 0; k < size; ++k) hash = (hash ^ bytes[k]) * 1099511628211u;
  return hash | 1;  // never that of a hole
}

struct Head {
  char magic[8];
  std::uint64_t what, runs, columns;
  char unused[head_size - 32];
};
static_assert(sizeof(Head) == head_size);

}  // namespace

std::size_t SweepStore::record_size() const { return sizeof(std::uint64_t) + code_size + 8 * columns_; }

std::int64_t SweepStore::place_of(std::size_t run) const {
  return static_cast<std::int64_t>(head_size + run * record_size());
}

std::optional<SweepStore> SweepStore::open(const std::string& path, const std::string& what, std::size_t runs,
                                           std::size_t columns, Diagnostics& diagnostics) {
  const Place place{path, 0, 0, {}, {}};
  bool busy = false;
  auto file = KeptFile::open(path, busy, diagnostics);
  if (busy)
    diagnostics.error("sweep-running", place, "another sweep writes these results right now",
                      "wait for it, or choose another name for the results");
  if (!file) return std::nullopt;
  SweepStore store(std::move(*file), runs, columns);
  Head head{};
  std::memcpy(head.magic, magic, sizeof magic);
  head.what = checksum(0, what.data(), what.size());
  head.runs = runs;
  head.columns = columns;
  const std::string_view wanted(reinterpret_cast<const char*>(&head), sizeof head);
  const std::string found = store.file_.read(0, sizeof head);
  if (found.empty()) {
    const int error = store.file_.write(wanted, 0);
    if (error == 0) return store;
    diagnostics.error("output-unwritable", place, fmt::format("cannot be written: {}", std::strerror(error)),
                      "make room, or choose another place for the results");
    return std::nullopt;
  }
  if (found != wanted) {
    diagnostics.error(
        "sweep-differs", place,
        "holds the runs of another sweep: other variables, values, settings, a changed model, or what "
        "is kept differ",
        "repeat the command it was begun with, remove the file (--fresh does), or choose another name for "
        "the results");
    return std::nullopt;
  }
  return store;
}

bool SweepStore::read(std::size_t run, SweepOutcome& outcome) const {
  const std::string bytes = file_.read(place_of(run), record_size());
  if (bytes.size() != record_size()) return false;
  std::uint64_t sum;
  std::memcpy(&sum, bytes.data(), sizeof sum);
  if (sum != checksum(run, bytes.data() + sizeof sum, bytes.size() - sizeof sum)) return false;
  const char* code = bytes.data() + sizeof sum;
  outcome.failure.assign(code, ::strnlen(code, code_size));
  outcome.kept.resize(columns_);
  std::memcpy(outcome.kept.data(), code + code_size, 8 * columns_);
  return true;
}

bool SweepStore::has(std::size_t run) const {
  SweepOutcome outcome;
  return read(run, outcome);
}

int SweepStore::write(std::size_t run, const SweepOutcome& outcome) const {
  std::string bytes(record_size(), '\0');
  char* code = bytes.data() + sizeof(std::uint64_t);
  std::memcpy(code, outcome.failure.data(), std::min(outcome.failure.size(), code_size - 1));
  std::memcpy(code + code_size, outcome.kept.data(), 8 * columns_);
  const std::uint64_t sum = checksum(run, code, bytes.size() - sizeof(std::uint64_t));
  std::memcpy(bytes.data(), &sum, sizeof sum);
  return file_.write(bytes, place_of(run));
}

}  // namespace orrery::analyse
