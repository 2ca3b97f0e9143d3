// SPDX-License-Identifier: Apache-2.0
// Files of the page: those in the executable, or those of a folder while they are being made.
#pragma once

#include <optional>
#include <string>

namespace orrery::server {

struct Asset {
  std::string bytes;
  bool gzipped = false;
};

class Assets {
 public:
  // Of this folder; empty: those that were built in.
  explicit Assets(std::string folder) : folder_(std::move(folder)) {}
  bool has_page() const;
  // "index.html", "assets/app-1234.js"; nothing: there is none.
  std::optional<Asset> find(const std::string& name) const;

 private:
  std::string folder_;
};

// By the end of the name.
std::string media_type(const std::string& name);
// The text that was gzipped; empty: it was not.
std::string gunzipped(const std::string& bytes);

}  // namespace orrery::server
