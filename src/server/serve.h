// SPDX-License-Identifier: Apache-2.0
// `orrery serve`: the editor in a browser, on this machine.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::server {

struct ServeArguments {
  std::string model;               // or a folder; empty: the current folder
  bool browser = true;             // show it
  int port = 0;                    // 0: a free one
  std::string assets;              // folder of the page
  std::string host = "127.0.0.1";  // others need a token file
  std::string token_file;          // holds the secret of others
  std::string executable;          // for workers; empty: this program
  std::string commands = "[]";     // the grammar of this program as JSON: what it can do besides
};

// Until Ctrl-C or SIGTERM. The exit code.
int serve(const ServeArguments& arguments);

}  // namespace orrery::server
