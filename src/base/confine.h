// SPDX-License-Identifier: Apache-2.0
// Landlock and seccomp for processes that run what we do not trust; where the kernel has none, nothing happens.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

// Of the calling process and all it starts, for good. It must have one thread.
struct Confinement {
  // Folders below which files may be made and changed; elsewhere everything may be read only.
  std::vector<std::string> writable = {};
  bool reads_nothing = false;       // no file can be opened any more
  std::vector<pid_t> protect = {};  // processes that it may not signal, trace or write to; nor all processes at once
  bool computes_only = false;       // no other programs, no network, no signals
};

struct Confined {
  bool files = false;  // by Landlock
  bool calls = false;  // by seccomp
};

Confined confine(const Confinement& limits);

// So much address space beyond what the process has now; nothing under a sanitizer, whose shadow is larger.
void limit_memory(std::uint64_t more_bytes);
// What a process that is not trusted gets where nobody says otherwise: half of the machine's memory.
std::uint64_t half_of_memory();

}  // namespace orrery
