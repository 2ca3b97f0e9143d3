// SPDX-License-Identifier: Apache-2.0
// A run of a document: what pages know of it, its rows and events. For the files of OpenDocument.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/model.h"
#include "server/open_document.h"
#include "server/recording.h"

namespace orrery::server {

struct OpenDocument::RunInfo {
  Json info;  // RUN of the protocol
  RunRecording recording;
  std::vector<std::string> origins;  // paths of blocks, by the numbers that events have
  std::vector<api::FigureInfo> figures;
  Json sources, surfaces;
  bool pinned = false;
  bool over = false;
};

// A number of the query; the fallback where there is none.
double query_number(const HttpRequest& request, const char* name, double fallback);
// A text of the query; empty where there is none.
std::string query_text(const HttpRequest& request, const char* name);
// Numbers with commas between them that are below `count`; nothing when the text is something else.
std::optional<std::vector<std::size_t>> numbers_below(const std::string& text, std::size_t count);
HttpResponse no_run();

}  // namespace orrery::server
