// SPDX-License-Identifier: Apache-2.0
// Files that are made beside their target, to take its place when they are complete.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace orrery {

// The file that a chain of symbolic links ends at, from the root on: the link must survive when a new file takes the
// place of the old one, and foreign code may change the working folder before that. Nothing where a link on the way
// belongs to another user, in a folder that everybody can write (as fs.protected_symlinks of Linux has it): it may have
// been put there to lead elsewhere.
std::optional<std::string> final_target(const std::string& path);

// The descriptor of a file that did not exist, open for reading and writing; -1: see errno. In a folder that others can
// write, the name may have been taken to lead elsewhere: links are not followed. What a process of the same number has
// left at this place is removed.
int open_new(const std::string& path, mode_t mode);

// What processes that were killed have left beside a target: target.<process>.part, where no such process runs.
void remove_stale_parts(const std::string& target);

}  // namespace orrery
