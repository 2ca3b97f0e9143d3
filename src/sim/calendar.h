// SPDX-License-Identifier: Apache-2.0
// Pending events: one per activation output (several where the output has a queue), by time, then by order of
// programming.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace orrery::sim {

// A tick counts as programmed when its instant begins: behind what was programmed before, ahead of what is programmed
// in it. Orders are whole numbers that a double can hold.
constexpr std::uint64_t tick_order = std::uint64_t{1} << 50;
constexpr std::uint64_t order_within_instant = std::uint64_t{1} << 51;

struct Pending {
  double time = std::numeric_limits<double>::infinity();
  std::uint64_t order = 0;  // counts programming, so that simultaneous events run in the order they were programmed

  // Among events that are due in one instant although their times may differ by rounding.
  static bool comes_first(const Pending& a, const Pending& b) { return a.order < b.order; }

  friend bool operator<(const Pending& a, const Pending& b) {
    return a.time < b.time || (a.time == b.time && a.order < b.order);
  }
};

// An indexed binary heap over sources.
class Calendar {
 public:
  Calendar(std::size_t sources, std::vector<bool> queued);

  bool empty() const { return heap_.empty(); }
  // The earliest event; infinity when there is none.
  const Pending& next() const { return next_; }
  std::uint32_t next_source() const { return heap_[0]; }
  // Of the events up to `limit`, of which there is one, the source of the one to run first in their instant.
  std::uint32_t first_due(double limit) const;
  // The earliest event apart from the first.
  const Pending& second() const;
  bool is_pending(std::uint32_t source) const { return position_[source] != absent; }
  double time_of(std::uint32_t source) const { return pending_[source].time; }
  // The (first) event of a source; one that never comes when there is none.
  const Pending& pending(std::uint32_t source) const { return is_pending(source) ? pending_[source] : never_; }

  void program(std::uint32_t source, Pending event);  // replaces, or joins the queue
  void cancel(std::uint32_t source);
  void pop() { pop(heap_[0]); }    // removes the earliest event
  void pop(std::uint32_t source);  // removes the (first) event of a source that has one
  // Replaces the earliest event by a later one of the same source, which has no queue.
  void postpone(Pending event) {
    pending_[heap_[0]] = next_ = event;
    if (heap_.size() == 1) return;
    sift_down(0);
    find_next();
  }

  // Everything pending, as numbers: source, time, order.
  void save(std::vector<double>& out) const;
  void restore(const double* in, std::size_t events);

 private:
  static constexpr std::uint32_t absent = UINT32_MAX;
  void sift_up(std::uint32_t at);
  void sift_down(std::uint32_t at);
  void put(std::uint32_t at, std::uint32_t source);
  void remove_at(std::uint32_t at);
  void find_first(std::size_t at, double limit, std::uint32_t& best) const;
  void find_next() { next_ = heap_.empty() ? never_ : pending_[heap_[0]]; }

  std::vector<Pending> pending_;         // by source
  std::vector<std::uint32_t> position_;  // by source: place in the heap
  std::vector<std::uint32_t> heap_;
  std::vector<bool> queued_;
  std::map<std::uint32_t, std::vector<Pending>> waiting_;  // queued sources: events behind the first, sorted descending
  Pending never_, next_;
};

}  // namespace orrery::sim
