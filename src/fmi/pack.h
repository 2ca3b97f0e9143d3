// SPDX-License-Identifier: Apache-2.0
// Archives that we write: the counterpart of unpack.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orrery::fmi {

struct PackedFile {
  std::string name;  // with folders, "/" between them
  std::string bytes;
};

// The bytes of a zip archive, the same for the same files. Nothing: it cannot be made.
std::optional<std::string> pack_archive(const std::vector<PackedFile>& files);

}  // namespace orrery::fmi
