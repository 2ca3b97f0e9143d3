// SPDX-License-Identifier: Apache-2.0
// A model that pages look at: the document, its scenes, its worker process and its runs, on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/consent.h"
#include "edit/document.h"
#include "picture/facts.h"
#include "picture/scene.h"
#include "server/json.h"
#include "server/messages.h"
#include "server/recording.h"
#include "server/root_folder.h"
#include "server/tools.h"
#include "server/work_queue.h"
#include "server/worker.h"

namespace orrery::server {

// What all documents of a server share. Lives longer than they do.
struct Surroundings {
  const RootFolder& root;
  std::string executable;               // for workers
  std::atomic<std::uint32_t> runs = 0;  // numbers given so far, for all documents
  std::atomic<std::uint32_t> watches = 0;
  // Runs by the document that holds them.
  std::mutex mutex = {};
  std::map<std::uint32_t, int> run_documents = {};
  std::string tools = "[]";  // commands that pages may start (server/tools.h), as JSON
};

// How a document begins.
struct DocumentSource {
  std::optional<std::string> path;  // inside the root
  std::string text;                 // where it is none, or is not there yet
  std::string name;
  bool create = false;  // the path is for a new file
};

// All functions but post() and the constructor are called on the document's own thread.
class OpenDocument {
 public:
  OpenDocument(int number, Surroundings& surroundings);
  ~OpenDocument();
  OpenDocument(const OpenDocument&) = delete;
  OpenDocument& operator=(const OpenDocument&) = delete;

  int number() const { return number_; }
  void post(std::function<void()> job) { queue_->post(std::move(job)); }
  // From outside: what waits is done, then the thread and the worker end.
  void shut_down();

  // False, and diagnostics: it is not open.
  bool open(const DocumentSource& source, Diagnostics& diagnostics);
  bool is_open() const { return document_.has_value(); }
  void handle(const TabRef& tab, const Json& request);
  void http(const HttpRequest& request, const HttpReply& reply);
  void gone(int tab);
  void look_at_disk();
  Json description();
  // It is closed on purpose: nothing is to be recovered.
  void forget_journal();
  // What the worker says, and its answer to a check; whatever is in them.
  void worker_message(const Message& message);
  void checked(const Json& result);

  std::atomic<bool> closed = false;  // nobody may use it any more

 private:
  struct View {
    TabRef tab;
    std::string diagram;  // "" is the root; of pages that look at one
    bool looks = false;
  };
  struct Asked {
    TabRef tab;
    std::string id;  // as JSON; empty: no answer is wanted
  };
  struct RunInfo;  // document_runs.cpp
  struct Watch {
    std::uint32_t number = 0, run = 0;
    TabRef tab;
    SampleView view;
    int unacknowledged = 0;
    bool pending = false, done = false;
  };
  using Operations = std::vector<edit::Operation>;
  using Handler = void (OpenDocument::*)(const Asked&, const Json&);

  // open_document.cpp: answers, files, recovery.
  static const std::map<std::string, Handler>& handlers();
  void answer(const Asked& asked, const Json& ok);
  void pass_on(const Asked& asked, const Json& result);
  void refuse(const Asked& asked, const Diagnostics& diagnostics);
  void refuse(const Asked& asked, const Diagnostic& diagnostic);
  void push(const Json& message, int except = 0);
  void do_document(const Asked& asked, const Json& request);
  void do_save(const Asked& asked, const Json& request);
  void do_save_as(const Asked& asked, const Json& request);
  void do_revert(const Asked& asked, const Json& request);
  void do_recover(const Asked& asked, const Json& request);
  bool save_to(const std::string& path, bool force, Diagnostics& diagnostics);
  bool begin_journal(Diagnostics& diagnostics);
  void sync_journal();
  std::string model_path() const;  // absolute, also where there is no file yet
  // While edits of a journal wait for a decision, nothing else may change the model.
  bool may_change(const Asked& asked);

  // document_edits.cpp: changes and scenes.
  void do_view(const Asked& asked, const Json& request);
  void do_edit(const Asked& asked, const Json& request);
  void do_undo(const Asked& asked, const Json& request);
  void do_redo(const Asked& asked, const Json& request);
  void do_history(const Asked& asked, const Json& request);
  void do_select(const Asked& asked, const Json& request);
  void undo_or_redo(const Asked& asked, bool undo);
  const picture::Scene& scene(const std::string& diagram);
  // After a change: tells all pages; the change of the asking page's diagram is returned.
  std::string changed(const std::string& label, int by, const Json& select, const Operations* operations = nullptr);
  // `operations`: all that has changed since the scene was made; null: anything may have.
  std::string scene_change(const std::string& diagram, bool& exists, const Operations* operations = nullptr);
  std::string try_change(const std::string& diagram, const Operations& operations);
  Json diagram_tree() const;

  // document_queries.cpp
  void do_inspect(const Asked& asked, const Json& request);
  void do_diagram(const Asked& asked, const Json& request);
  void do_copy(const Asked& asked, const Json& request);
  void do_find(const Asked& asked, const Json& request);
  void do_diff(const Asked& asked, const Json& request);

  // document_worker.cpp: everything that runs texts of the model.
  void start_worker();
  void ask_worker(Json request, std::function<void(const Json&)> done);
  void worker_ended(int status);
  void check();  // soon
  void check_now();
  void forward(const Asked& asked, Json request);
  void do_evaluate(const Asked& asked, const Json& request);
  void do_complete(const Asked& asked, const Json& request);
  void do_help(const Asked& asked, const Json& request);
  void do_schedule(const Asked& asked, const Json& request);
  void do_linearise(const Asked& asked, const Json& request);
  void do_execute(const Asked& asked, const Json& request);
  std::vector<std::string> executed();
  void do_console(const Asked& asked, const Json& request);
  void do_interrupt(const Asked& asked, const Json& request);
  void do_consent(const Asked& asked, const Json& request);
  void do_restart_worker(const Asked& asked, const Json& request);
  void note_needs(const Json& diagnostics);

  // document_runs.cpp
  void do_run(const Asked& asked, const Json& request);
  void do_control(const Asked& asked, const Json& request);
  void do_runs(const Asked& asked, const Json& request);
  void do_pin(const Asked& asked, const Json& request);
  void do_forget(const Asked& asked, const Json& request);
  void do_watch(const Asked& asked, const Json& request);
  void do_acknowledge(const Asked& asked, const Json& request);
  void do_unwatch(const Asked& asked, const Json& request);
  void do_values(const Asked& asked, const Json& request);
  void do_explain(const Asked& asked, const Json& request);
  RunInfo* find_run(const Json& request);
  void run_message(const Json& message);
  void rows_message(const Message& message);
  void send_frames(std::uint32_t run);
  void send_frame(Watch& watch);
  void forget_old_runs();
  void end_runs(const char* state, const std::string& message);
  Json event_json(const RunInfo& run, std::size_t number) const;
  HttpResponse samples(const HttpRequest& request);
  HttpResponse event_rows(const HttpRequest& request);
  HttpResponse result_file(const HttpRequest& request);

  // document_figures.cpp
  HttpResponse animation(const HttpRequest& request);

  // document_tools.cpp
  void do_tool(const Asked& asked, const Json& request);
  void do_tool_stop(const Asked& asked, const Json& request);

  const int number_;
  Surroundings& surroundings_;
  std::optional<edit::Document> document_;
  std::optional<std::string> path_;  // inside the root
  std::string saved_text_;           // canonical, as in the file
  bool dirty_ = false;
  std::string disk_text_;           // the bytes that were read or written last
  std::string disk_told_;           // what pages know of the file
  std::string recovery_;            // path of a journal that waits
  std::size_t journal_synced_ = 0;  // the revision that is on the disk
  std::map<int, View> views_;       // by tab
  std::vector<std::string> selected_;
  std::vector<std::string> executed_;  // ExecOMLScript blocks whose scripts are run before checks and runs
  std::string run_text_;               // of the model when it was run last
  picture::Facts facts_;
  std::map<std::string, picture::Scene> scenes_;  // of the diagrams that are looked at
  std::string tree_told_;
  bool check_wanted_ = false;
  std::size_t base_revision_ = 0;  // of documents before this one: revisions never go back
  std::string problems_;           // the last push, for pages that come later
  std::string shown_facts_;
  std::string needs_;

  Capabilities allowed_;
  std::string trust_note_;
  std::unique_ptr<Worker> worker_;
  std::uint32_t worker_number_ = 0;  // of the worker: messages of earlier ones are dropped
  int crashes_ = 0;
  std::uint32_t asked_ = 0;
  std::map<std::uint32_t, std::function<void(const Json&)>> waiting_;
  std::atomic<bool> dropping_ = false;     // the worker ends: nobody reads what it still sends
  std::atomic<std::size_t> arriving_ = 0;  // bytes of messages on their way from the worker's thread

  std::map<std::uint32_t, std::unique_ptr<RunInfo>> runs_;
  std::map<std::uint32_t, Watch> watches_;

  std::unique_ptr<ToolProcess> tool_;  // the last that was started
  std::uint32_t tool_number_ = 0;
  std::size_t tool_bytes_ = 0;
  bool tool_running_ = false;

  std::size_t revision() const { return base_revision_ + document_->revision(); }

  std::unique_ptr<WorkQueue> queue_;  // the last member: its thread uses the others
};

// Null when there is none of this path.
const model::BlockInstance* block_at(const model::Model& model, const std::string& path);

}  // namespace orrery::server
