// SPDX-License-Identifier: Apache-2.0
// Runs of a document: started, watched, kept; samples, events and their explanations.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/event_cause.h"
#include "edit/compare.h"
#include "server/figure_json.h"
#include "server/open_document.h"
#include "server/run_info.h"

namespace orrery::server {
namespace {

constexpr std::size_t kept_runs = 5;
constexpr int most_unacknowledged = 2;
constexpr std::size_t most_watches = 64;
constexpr std::size_t most_events_kept = 20'000'000;

// What a legend says of a run: "e = 0.95" of a line of a context, "Motor.den = [0.5 1]" of a parameter.
Json told_changes(const std::vector<edit::Difference>& differences) {
  constexpr std::size_t most_told = 3;
  constexpr std::string_view parameter = "parameter ";
  Json told = Json::array();
  for (const edit::Difference& difference : differences) {
    std::string text = difference.after;
    if (difference.what == "block" && difference.field.starts_with(parameter))
      text = difference.path.substr(difference.path.rfind('/') + 1) + "." + difference.field.substr(parameter.size()) +
             " = " + text;
    else if (difference.what == "setting")
      text = difference.field + " = " + text;
    else if (difference.what != "context")
      continue;
    while (text.ends_with(';') || text.ends_with(' ')) text.pop_back();
    if (!text.empty() && text.size() < 60 && told.size() < most_told) told.push_back(text);
  }
  return told;
}

}  // namespace

OpenDocument::OpenDocument(int number, Surroundings& surroundings)
    : number_(number), surroundings_(surroundings), queue_(std::make_unique<WorkQueue>()) {}

OpenDocument::~OpenDocument() { shut_down(); }

void OpenDocument::do_run(const Asked& asked, const Json& request) {
  const std::uint32_t number = ++surroundings_.runs;
  auto run = std::make_unique<RunInfo>();
  Json set = request.contains("set") ? request["set"] : Json::object();
  run->info = {{"run", number},
               {"doc", number_},
               {"name", text_field(request, "name")},
               {"revision", revision()},
               {"state", "compiling"},
               {"t", 0},
               {"set", set},
               {"pinned", false},
               {"columns", Json::array()},
               {"rows", 0},
               {"events", 0}};
  std::string text = document_->text();
  if (!run_text_.empty() && run_text_ != text) {
    Diagnostics ignored;
    const auto before = model::parse(run_text_, model_path(), ignored);
    if (before) run->info["changed"] = told_changes(edit::compare(*before, document_->model()));
  }
  Json wanted{{"do", "run"}, {"run", number}, {"text", text}, {"set", std::move(set)}, {"exec", executed()}};
  for (const char* field : {"settings", "signals", "speed", "pause", "breaks", "points"}) {
    if (request.contains(field)) wanted[field] = request[field];
  }
  run_text_ = std::move(text);
  runs_[number] = std::move(run);
  {
    const std::lock_guard lock(surroundings_.mutex);
    surroundings_.run_documents[number] = number_;
  }
  forget_old_runs();
  answer(asked, {{"run", number}, {"revision", revision()}});
  if (!worker_ || !worker_->send(wanted)) end_runs("crashed", "the process that runs the model is gone");
}

void OpenDocument::forget_old_runs() {
  std::size_t loose = static_cast<std::size_t>(
      std::count_if(runs_.begin(), runs_.end(), [](const auto& item) { return !item.second->pinned; }));
  for (auto item = runs_.begin(); item != runs_.end() && loose > kept_runs;) {
    if (item->second->pinned || std::next(item) == runs_.end()) {
      ++item;
      continue;
    }
    const std::uint32_t number = item->first;
    std::erase_if(watches_, [&](const auto& watch) { return watch.second.run == number; });
    item = runs_.erase(item);
    --loose;
  }
}

OpenDocument::RunInfo* OpenDocument::find_run(const Json& request) {
  const double number = number_field(request, "run", -1);
  const auto found = number < 0 || number > 4e9 ? runs_.end() : runs_.find(static_cast<std::uint32_t>(number));
  return found == runs_.end() ? nullptr : found->second.get();
}

void OpenDocument::do_control(const Asked& asked, const Json& request) {
  RunInfo* run = find_run(request);
  if (run == nullptr || run->over) return refuse(asked, make_error("no-such-run", "the run is over"));
  Json wanted = request;
  wanted.erase("id");
  const std::string what = text_field(request, "do");
  if (what == "resume" || what == "step") {
    run->info["state"] = "running";
    push({{"on", "run"}, {"run", run->info["run"]}, {"doc", number_}, {"state", "running"}});
  }
  if (!worker_ || !worker_->send(wanted))
    return refuse(asked, make_error("worker-crashed", "the process that runs the model is gone"));
  answer(asked, Json::object());
}

void OpenDocument::do_runs(const Asked& asked, const Json& /*request*/) {
  Json list = Json::array();
  for (const auto& [number, run] : runs_) list.push_back(run->info);
  answer(asked, {{"runs", std::move(list)}});
}

void OpenDocument::do_pin(const Asked& asked, const Json& request) {
  RunInfo* run = find_run(request);
  if (run == nullptr) return refuse(asked, make_error("no-such-run", "there is no such run"));
  run->pinned = !request.contains("pinned") || flag_field(request, "pinned");
  run->info["pinned"] = run->pinned;
  if (request.contains("name")) run->info["name"] = text_field(request, "name");
  forget_old_runs();
  answer(asked, Json::object());
}

void OpenDocument::do_forget(const Asked& asked, const Json& request) {
  RunInfo* run = find_run(request);
  if (run == nullptr) return refuse(asked, make_error("no-such-run", "there is no such run"));
  const auto number = static_cast<std::uint32_t>(number_field(request, "run", 0));
  if (!run->over && worker_) worker_->send({{"do", "stop"}, {"run", number}});
  std::erase_if(watches_, [&](const auto& watch) { return watch.second.run == number; });
  runs_.erase(number);
  answer(asked, Json::object());
}

void OpenDocument::run_message(const Json& message) {
  const std::string what = text_field(message, "on");
  RunInfo* run = find_run(message);
  if (run == nullptr) return;
  const auto number = static_cast<std::uint32_t>(number_field(message, "run", 0));  // find_run has looked at it
  if (what == "sources") {
    run->origins = texts_field(message, "origins");
    run->sources = part(message, "sources");
    run->surfaces = part(message, "surfaces");
  } else if (what == "columns") {
    std::vector<RecordedColumn> columns;
    for (const Json& column : part(message, "columns"))
      columns.push_back({text_field(column, "name"), text_field(column, "block")});
    run->recording.begin(std::move(columns));
    run->info["columns"] = part(message, "columns");
    Json told = run->info;
    told["on"] = "run";
    push(told);
  } else if (what == "started") {
    run->info["state"] = "running";
    run->info["start"] = part(message, "start");
    run->info["stop"] = part(message, "stop");
    run->info["diagnostics"] = part(message, "diagnostics");
    run->info["figures"] = part(message, "figures");
    run->figures = figures_of_json(part(message, "figures"));
    Json told = run->info;
    told["on"] = "run";
    push(told);
  } else if (what == "progress") {
    run->info["t"] = part(message, "t");
    Json told = message;
    told["doc"] = number_;
    told["rows"] = run->recording.rows();
    told["events"] = run->recording.events.size();
    push(told);
  } else if (what == "paused") {
    run->info["state"] = "paused";
    run->info["t"] = part(message, "t");
    send_frames(number);
    Json told = message;
    told["doc"] = number_;
    told.erase("last_event");
    if (message.contains("last_event") && !run->recording.events.empty())
      told["event"] = event_json(*run, run->recording.events.size() - 1);
    push(told);
  } else if (what == "ended") {
    run->over = true;
    run->info["state"] = part(message, "state");
    run->info["diagnostics"] = part(message, "diagnostics");
    if (message.contains("report")) {
      run->info["report"] = part(message, "report");
      run->info["t"] = part(part(message, "report"), "t");
      run->info["seconds"] = part(part(message, "report"), "seconds");
    }
    note_needs(part(message, "diagnostics"));
    run->info["rows"] = run->recording.rows();
    run->info["events"] = run->recording.events.size();
    send_frames(number);
    Json told = run->info;
    told["on"] = "ended";
    push(told);
  }
}

void OpenDocument::rows_message(const Message& message) {
  const std::string& bytes = message.bytes;
  std::uint32_t head[3] = {};
  const std::size_t head_size = message.kind == MessageKind::rows ? 12 : message.kind == MessageKind::events ? 8 : 4;
  if (bytes.size() < head_size) return;
  std::memcpy(head, bytes.data(), head_size);
  const auto found = runs_.find(head[0]);
  if (found == runs_.end()) return;
  RunInfo& run = *found->second;
  if (message.kind == MessageKind::relabel) {
    if (bytes.size() == 5) run.recording.relabel_last(static_cast<signed char>(bytes[4]));
    return;
  }
  if (message.kind == MessageKind::events) {
    if (bytes.size() != 8 + head[1] * sizeof(EventRecord)) return;
    std::vector<EventRecord>& events = run.recording.events;
    const std::size_t before = events.size();
    if (before + head[1] > most_events_kept) return;
    events.resize(before + head[1]);
    std::memcpy(static_cast<void*>(events.data() + before), bytes.data() + 8, head[1] * sizeof(EventRecord));
    return;
  }
  const std::size_t columns = head[1], rows = head[2];
  if (bytes.size() != 12 + rows * (8 + 8 * columns + 1) || columns != run.recording.columns().size()) return;
  std::vector<double> time(rows), values(rows * columns);
  std::vector<signed char> phase(rows);
  std::memcpy(time.data(), bytes.data() + 12, rows * 8);
  std::memcpy(values.data(), bytes.data() + 12 + rows * 8, rows * columns * 8);
  std::memcpy(phase.data(), bytes.data() + 12 + rows * 8 * (1 + columns), rows);
  if (!run.recording.add(time, values, phase)) {
    if (worker_) worker_->send({{"do", "stop"}, {"run", head[0]}});
    return;
  }
  send_frames(head[0]);
}

void OpenDocument::do_watch(const Asked& asked, const Json& request) {
  RunInfo* run = find_run(request);
  if (run == nullptr) return refuse(asked, make_error("no-such-run", "there is no such run"));
  if (watches_.size() >= most_watches) return refuse(asked, make_error("too-many", "too many curves are watched"));
  Watch watch;
  watch.number = ++surroundings_.watches;
  watch.run = static_cast<std::uint32_t>(number_field(request, "run", 0));
  watch.tab = asked.tab;
  if (request.contains("signals")) {
    for (const Json& signal : request["signals"]) {
      const double column = signal.is_number() ? signal.get<double>() : -1;
      if (column < 0 || column >= 65535)
        return refuse(asked, make_error("bad-request", "signals are numbers of columns"));
      watch.view.columns.push_back(static_cast<std::size_t>(column));
    }
  }
  watch.view.from = number_field(request, "from", std::nan(""));
  watch.view.to = number_field(request, "to", std::nan(""));
  watch.view.pixels = static_cast<int>(std::clamp(number_field(request, "pixels", 1000), 16.0, 10000.0));
  answer(asked, {{"watch", watch.number}});
  send_frame(watches_[watch.number] = std::move(watch));
}

void OpenDocument::do_acknowledge(const Asked& /*asked*/, const Json& request) {
  const auto found = watches_.find(static_cast<std::uint32_t>(std::clamp(number_field(request, "watch", 0), 0.0, 4e9)));
  if (found == watches_.end()) return;
  Watch& watch = found->second;
  watch.unacknowledged = std::max(0, watch.unacknowledged - 1);
  if (watch.pending) send_frame(watch);
}

void OpenDocument::do_unwatch(const Asked& asked, const Json& request) {
  watches_.erase(static_cast<std::uint32_t>(std::clamp(number_field(request, "watch", 0), 0.0, 4e9)));
  answer(asked, Json::object());
}

void OpenDocument::send_frames(std::uint32_t run) {
  for (auto& [number, watch] : watches_) {
    if (watch.run == run && !watch.done) send_frame(watch);
  }
}

// Always the whole view: a page replaces what it draws. While two are on their way nothing is added to them.
void OpenDocument::send_frame(Watch& watch) {
  const auto found = runs_.find(watch.run);
  if (found == runs_.end()) return;
  const RunInfo& run = *found->second;
  if (watch.unacknowledged >= most_unacknowledged) {
    watch.pending = true;
    return;
  }
  SampleView view = watch.view;
  const std::size_t count = run.recording.columns().size();
  std::erase_if(view.columns, [&](std::size_t column) { return column >= count; });
  if (view.columns.empty())
    for (std::size_t k = 0; k < count && watch.view.columns.empty(); ++k) view.columns.push_back(k);
  watch.pending = false;
  watch.done = run.over;
  ++watch.unacknowledged;
  watch.tab->send_frame(run.recording.frame(view, watch.run, watch.number, run.over));
}

void OpenDocument::do_values(const Asked& asked, const Json& request) {
  RunInfo* run = find_run(request);
  if (run == nullptr || run->over) return refuse(asked, make_error("no-such-run", "the run is over"));
  Json wanted{{"do", "values"}, {"run", request["run"]}};
  if (request.contains("signals")) wanted["signals"] = request["signals"];
  ask_worker(std::move(wanted), [this, asked](const Json& result) { pass_on(asked, result); });
}

void OpenDocument::end_runs(const char* state, const std::string& message) {
  for (auto& [number, run] : runs_) {
    if (run->over) continue;
    run->over = true;
    run->info["state"] = state;
    run->info["rows"] = run->recording.rows();
    run->info["events"] = run->recording.events.size();
    if (!message.empty())
      run->info["diagnostics"] = Json::array({diagnostic_json(make_error("worker-crashed", message))});
    send_frames(number);
    Json told = run->info;
    told["on"] = "ended";
    push(told);
  }
}

HttpResponse OpenDocument::samples(const HttpRequest& request) {
  const auto found = runs_.find(static_cast<std::uint32_t>(std::clamp(query_number(request, "run", 0), 0.0, 4e9)));
  if (found == runs_.end()) return no_run();
  const RunInfo& run = *found->second;
  SampleView view;
  view.from = query_number(request, "from", std::nan(""));
  view.to = query_number(request, "to", std::nan(""));
  view.pixels = static_cast<int>(std::clamp(query_number(request, "pixels", 1000), 16.0, 10000.0));
  const auto signals = request.query.find("signals");
  if (signals == request.query.end()) {
    for (std::size_t k = 0; k < run.recording.columns().size(); ++k) view.columns.push_back(k);
  } else if (auto columns = numbers_below(signals->second, run.recording.columns().size())) {
    view.columns = std::move(*columns);
  } else {
    return {400, "application/json",
            dump({{"error", diagnostic_json(make_error("bad-request", "signals are numbers of columns"))}})};
  }
  return {200, "application/octet-stream", run.recording.frame(view, found->first, 0, run.over)};
}

}  // namespace orrery::server
