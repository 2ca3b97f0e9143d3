// SPDX-License-Identifier: Apache-2.0
// What a worker process is told when it starts.
#pragma once

#include <string>

namespace orrery::server {

struct WorkerArguments {
  std::string file;   // of the model, absolute
  std::string root;   // its working folder
  std::string allow;  // "read,write"
};

}  // namespace orrery::server
