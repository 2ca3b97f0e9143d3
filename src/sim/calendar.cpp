// SPDX-License-Identifier: Apache-2.0
// The heap of pending events.
#include "sim/calendar.h"

#include <algorithm>

namespace orrery::sim {

Calendar::Calendar(std::size_t sources, std::vector<bool> queued)
    : pending_(sources), position_(sources, absent), queued_(std::move(queued)) {
  heap_.reserve(sources);
}

// The earliest is the first, unless another one was programmed before it and differs from it by rounding only. Below
// one that is not due, nothing is.
std::uint32_t Calendar::first_due(double limit) const {
  if (!(second().time <= limit)) return heap_[0];
  std::uint32_t best = heap_[0];
  find_first(0, limit, best);
  return best;
}

void Calendar::find_first(std::size_t at, double limit, std::uint32_t& best) const {
  if (at >= heap_.size() || !(pending_[heap_[at]].time <= limit)) return;
  if (Pending::comes_first(pending_[heap_[at]], pending_[best])) best = heap_[at];
  find_first(2 * at + 1, limit, best);
  find_first(2 * at + 2, limit, best);
}

const Pending& Calendar::second() const {
  if (heap_.size() < 2) return never_;
  if (heap_.size() < 3) return pending_[heap_[1]];
  return std::min(pending_[heap_[1]], pending_[heap_[2]]);
}

void Calendar::put(std::uint32_t at, std::uint32_t source) {
  heap_[at] = source;
  position_[source] = at;
}

void Calendar::sift_up(std::uint32_t at) {
  const std::uint32_t source = heap_[at];
  while (at > 0) {
    const std::uint32_t above = (at - 1) / 2;
    if (!(pending_[source] < pending_[heap_[above]])) break;
    put(at, heap_[above]);
    at = above;
  }
  put(at, source);
}

void Calendar::sift_down(std::uint32_t at) {
  const std::uint32_t source = heap_[at];
  const auto size = static_cast<std::uint32_t>(heap_.size());
  for (std::uint32_t below = 2 * at + 1; below < size; below = 2 * at + 1) {
    if (below + 1 < size && pending_[heap_[below + 1]] < pending_[heap_[below]]) ++below;
    if (!(pending_[heap_[below]] < pending_[source])) break;
    put(at, heap_[below]);
    at = below;
  }
  put(at, source);
}

void Calendar::program(std::uint32_t source, Pending event) {
  if (position_[source] == absent) {
    pending_[source] = event;
    heap_.push_back(source);
    position_[source] = static_cast<std::uint32_t>(heap_.size() - 1);
    sift_up(position_[source]);
    find_next();
    return;
  }
  if (queued_[source]) {
    if (event < pending_[source]) std::swap(event, pending_[source]);
    auto& waiting = waiting_[source];
    waiting.insert(std::upper_bound(waiting.begin(), waiting.end(), event,
                                    [](const Pending& a, const Pending& b) { return b < a; }),
                   event);
  } else {
    pending_[source] = event;
  }
  sift_up(position_[source]);
  sift_down(position_[source]);
  find_next();
}

void Calendar::remove_at(std::uint32_t at) {
  position_[heap_[at]] = absent;
  const std::uint32_t last = heap_.back();
  heap_.pop_back();
  if (at == heap_.size()) return;
  put(at, last);
  sift_up(at);
  sift_down(position_[last]);
}

void Calendar::cancel(std::uint32_t source) {
  waiting_.erase(source);
  if (position_[source] == absent) return;
  remove_at(position_[source]);
  find_next();
}

void Calendar::pop(std::uint32_t source) {
  const std::uint32_t at = position_[source];
  const auto waiting = queued_[source] ? waiting_.find(source) : waiting_.end();
  if (waiting == waiting_.end() || waiting->second.empty()) {
    remove_at(at);
  } else {
    pending_[source] = waiting->second.back();
    waiting->second.pop_back();
    sift_down(at);
  }
  find_next();
}

void Calendar::save(std::vector<double>& out) const {
  const auto add = [&](std::uint32_t source, const Pending& event) {
    out.push_back(source);
    out.push_back(event.time);
    out.push_back(static_cast<double>(event.order));
  };
  for (std::uint32_t source : heap_) add(source, pending_[source]);
  for (const auto& [source, events] : waiting_) {
    for (const Pending& event : events) add(source, event);
  }
}

void Calendar::restore(const double* in, std::size_t events) {
  while (!heap_.empty()) cancel(heap_[0]);
  waiting_.clear();
  for (std::size_t k = 0; k < events; ++k) {
    program(static_cast<std::uint32_t>(in[3 * k]), {in[3 * k + 1], static_cast<std::uint64_t>(in[3 * k + 2])});
  }
}

}  // namespace orrery::sim
