// SPDX-License-Identifier: Apache-2.0
// The shared library of an FMU: which one, loaded so that no symbol of ours gets into it nor any of its own out.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fmi/description.h"
#include "fmi/unpack.h"

namespace orrery::fmi {

// An unpacked FMU and its library. Every one has a folder of its own, so that two of one FMU share nothing.
class Binary {
 public:
  ~Binary();
  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;

  // Loads the library into this process; what it needs beside itself is looked for in its own folders too.
  [[nodiscard]] bool load(Diagnostics& diagnostics);
  void* symbol(const std::string& name) const;  // nullptr: there is none
  // The library stays loaded: after a crash its destructors are not to be trusted.
  void abandon() { handle_ = nullptr; }
  const std::string& folder() const { return folder_->path(); }
  const std::string& fmu() const { return fmu_; }  // the archive, for messages
  const std::string& library() const { return library_; }

 private:
  friend std::unique_ptr<Binary> unpack_binary(Archive&, const Description&, Kind, Diagnostics&);
  Binary() = default;
  [[nodiscard]] bool replace_missing(const std::string& missing, const std::vector<std::string>& together,
                                     Diagnostics& diagnostics);
  std::unique_ptr<TemporaryFolder> folder_;
  std::string fmu_, library_;
  void* handle_ = nullptr;
  std::set<std::string> threads_;  // of the process before the library was loaded
};

// Folders of binaries in the archive: "linux64", "x86_64-linux", ...
std::vector<std::string> platforms(const Archive& archive);
// The platform folder that fits this machine; empty when the archive has none.
std::string own_platform(const Archive& archive);
// Unpacks what this machine needs, without running any of it. Compiles the sources when no binary fits.
std::unique_ptr<Binary> unpack_binary(Archive& archive, const Description& description, Kind kind,
                                      Diagnostics& diagnostics);

// Compiles the sources below folder/sources into a library; empty, and diagnostics, when that fails.
std::string compile_sources(const std::string& folder, const Description& description, Kind kind,
                            const std::string& fmu, Diagnostics& diagnostics);

// "libgfortran3" for "libgfortran.so.3": the Debian package that may hold a library; empty when none comes to mind.
std::string debian_package(const std::string& library);

}  // namespace orrery::fmi
