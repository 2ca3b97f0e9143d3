// SPDX-License-Identifier: Apache-2.0
// From an archive to an instance, in this process or in one of its own, recorded or not.
#pragma once

#include <memory>
#include <string>

#include "fmi/instance.h"
#include "fmi/safe_process.h"

namespace orrery::fmi {

struct LaunchOptions {
  InstanceOptions instance;
  bool safe = false;  // in a process of its own
  SafeLimits limits;
  std::string record;         // file that keeps every call; empty: none
  std::string record_header;  // JSON, see call_file.h
};

// Unpacks, loads and instantiates. The instance owns the folder, the library and the process it stands on; description
// and log must outlive it. Nothing, and diagnostics, when that fails.
std::unique_ptr<Instance> launch(Archive& archive, const Description& description, Log& log,
                                 const LaunchOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::fmi
