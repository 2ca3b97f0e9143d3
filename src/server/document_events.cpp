// SPDX-License-Identifier: Apache-2.0
// The event ledger of a run: rows, why an event happened, why a block did nothing.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/event_cause.h"
#include "io/number_text.h"
#include "server/open_document.h"
#include "server/run_info.h"

namespace orrery::server {
namespace {

constexpr std::size_t most_event_rows = 5000;

std::string cause_text(const EventRecord& event) {
  return event.cause <= static_cast<std::uint8_t>(EventCause::final) ? name_of(static_cast<EventCause>(event.cause))
                                                                     : "?";
}

}  // namespace

std::string query_text(const HttpRequest& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::string() : found->second;
}

double query_number(const HttpRequest& request, const char* name, double fallback) {
  const auto found = request.query.find(name);
  if (found == request.query.end() || found->second.empty()) return fallback;
  const double number = io::parse_number(found->second).value_or(fallback);
  return std::isnan(number) ? fallback : number;
}

HttpResponse no_run() {
  return {404, "application/json",
          R"({"error":{"severity":"error","code":"no-such-run","message":"there is no such run"}})"};
}

Json OpenDocument::event_json(const RunInfo& run, std::size_t number) const {
  const EventRecord& event = run.recording.events[number];
  Json json{{"id", number},
            {"t", number_json(event.time)},
            {"cause", cause_text(event)},
            {"block", event.origin < run.origins.size() ? run.origins[event.origin] : ""},
            {"port", event.port},
            {"restarted", event.restarted != 0}};
  const auto cause = static_cast<EventCause>(event.cause);
  if (cause == EventCause::crossing || cause == EventCause::mode) {
    json["left"] = number_json(event.left);
    json["right"] = number_json(event.right);
  }
  return json;
}

void OpenDocument::do_explain(const Asked& asked, const Json& request) {
  RunInfo* run = find_run(request);
  if (run == nullptr) return refuse(asked, make_error("no-such-run", "there is no such run"));
  const std::vector<EventRecord>& events = run->recording.events;
  const auto path_of = [&](std::size_t origin) {
    return origin < run->origins.size() ? run->origins[origin] : std::string();
  };
  Json sentences = Json::array(), answer_json;
  if (request.contains("event")) {
    const double wanted = number_field(request, "event", -1);
    if (wanted < 0 || wanted >= static_cast<double>(events.size()))
      return refuse(asked, make_error("no-such-event", "the run has no event of this number"));
    const auto id = static_cast<std::size_t>(wanted);
    const EventRecord& event = events[id];
    const std::string block = path_of(event.origin), t = io::number_text(event.time);
    const auto cause = static_cast<EventCause>(event.cause);
    std::string surface;
    for (const Json& item : run->surfaces) {
      const bool same = cause == EventCause::mode
                            ? &item == &run->surfaces[std::min<std::size_t>(event.source, run->surfaces.size() - 1)]
                            : part(item, "source") == event.source;
      if (part(item, "origin") == event.origin && same) surface = text_field(item, "text");
    }
    switch (cause) {
      case EventCause::initial:
        sentences.push_back("The run starts at t = " + t + ": all that is activated initially runs.");
        break;
      case EventCause::clock: sentences.push_back("A periodic clock ticks at t = " + t + "."); break;
      case EventCause::programmed:
        sentences.push_back(block + " had programmed its activation output " + std::to_string(event.port) +
                            " for t = " + t + ".");
        break;
      case EventCause::crossing:
        sentences.push_back(
            (surface.empty() ? "A surface of " + block + " crosses zero" : "In " + block + ", " + surface) +
            " at t = " + t + ": left of it " + io::number_text(event.left) + ", right of it " +
            io::number_text(event.right) + ".");
        break;
      case EventCause::mode:
        sentences.push_back(block + " changes its mode at t = " + t + (surface.empty() ? "" : ": " + surface) + ".");
        break;
      case EventCause::step: sentences.push_back("The solver has made a step to t = " + t + "."); break;
      case EventCause::final: sentences.push_back("The run ends at t = " + t + "."); break;
    }
    if (event.restarted != 0) sentences.push_back("It can disturb continuous states, so the integrator starts anew.");
    Json activates = Json::array(), blocks = Json::array();
    if (!block.empty()) blocks.push_back(block);
    if (cause != EventCause::mode && event.source < run->sources.size()) {
      for (const Json& origin : part(run->sources[event.source], "activates"))
        activates.push_back({{"block", path_of(origin.get<std::size_t>())}});
    }
    if (!activates.empty())
      sentences.push_back("It activates " + std::to_string(activates.size()) + " blocks, in this order.");
    answer_json = {{"text", sentences}, {"event", event_json(*run, id)}, {"activates", activates}, {"blocks", blocks}};
    if (!surface.empty()) answer_json["surface"] = surface;
    answer_json["before"] = id > 0 ? event_json(*run, id - 1) : Json();
    answer_json["after"] = id + 1 < events.size() ? event_json(*run, id + 1) : Json();
    return answer(asked, std::move(answer_json));
  }
  // Why not: which sources reach the block, and when they last fired before the time, and next after it.
  const std::string block = text_field(request, "block");
  const double t = number_field(request, "t", 0);
  const auto origin = std::find(run->origins.begin(), run->origins.end(), block);
  if (block.empty() || origin == run->origins.end())
    return refuse(asked, make_error("no-such-block", "the run knows no block " + block));
  const auto own = static_cast<std::size_t>(origin - run->origins.begin());
  std::vector<char> reaches(run->sources.size(), 0);
  bool any = false;
  for (std::size_t k = 0; k < run->sources.size(); ++k) {
    for (const Json& item : part(run->sources[k], "activates")) {
      if (item.get<std::size_t>() == own) reaches[k] = 1;
    }
    any = any || reaches[k] != 0;
  }
  std::size_t last = SIZE_MAX, next = SIZE_MAX;
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (events[k].cause == static_cast<std::uint8_t>(EventCause::mode) || events[k].source >= reaches.size() ||
        !reaches[events[k].source])
      continue;
    if (events[k].time <= t) last = k;
    if (events[k].time > t && next == SIZE_MAX) next = k;
  }
  if (!any) sentences.push_back("No event reaches " + block + ": it runs in continuous time, or never.");
  if (any && last == SIZE_MAX)
    sentences.push_back("No event that activates " + block + " has happened up to t = " + io::number_text(t) + ".");
  if (last != SIZE_MAX)
    sentences.push_back("The last event that activated " + block + " was at t = " + io::number_text(events[last].time) +
                        " (" + cause_text(events[last]) + " of " + path_of(events[last].origin) + ").");
  if (next != SIZE_MAX)
    sentences.push_back("The next one is at t = " + io::number_text(events[next].time) + " (" +
                        cause_text(events[next]) + " of " + path_of(events[next].origin) + ").");
  answer_json = {{"text", sentences}, {"blocks", Json::array({block})}};
  answer_json["before"] = last == SIZE_MAX ? Json() : event_json(*run, last);
  answer_json["after"] = next == SIZE_MAX ? Json() : event_json(*run, next);
  answer(asked, std::move(answer_json));
}

HttpResponse OpenDocument::event_rows(const HttpRequest& request) {
  const auto found = runs_.find(static_cast<std::uint32_t>(std::clamp(query_number(request, "run", 0), 0.0, 4e9)));
  if (found == runs_.end()) return no_run();
  const RunInfo& run = *found->second;
  const std::vector<EventRecord>& events = run.recording.events;
  const auto text = request.query.find("filter");
  const std::string filter = text == request.query.end() ? "" : text->second;
  const double from = query_number(request, "from", 0), count = query_number(request, "count", 200);
  const double t0 = query_number(request, "t0", -HUGE_VAL), t1 = query_number(request, "t1", HUGE_VAL);
  const auto first = static_cast<std::size_t>(std::clamp(from, 0.0, 1e15));
  const auto most = std::min(most_event_rows, static_cast<std::size_t>(std::clamp(count, 0.0, 1e6)));
  Json rows = Json::array();
  std::size_t total = 0;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const EventRecord& event = events[k];
    if (event.time < t0 || event.time > t1) continue;
    if (!filter.empty() && cause_text(event).find(filter) == std::string::npos &&
        (event.origin >= run.origins.size() || run.origins[event.origin].find(filter) == std::string::npos))
      continue;
    if (total >= first && rows.size() < most) rows.push_back(event_json(run, k));
    ++total;
  }
  return {200, "application/json",
          dump({{"run", found->first}, {"total", total}, {"from", first}, {"rows", std::move(rows)}})};
}

}  // namespace orrery::server
