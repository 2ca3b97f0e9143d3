// SPDX-License-Identifier: Apache-2.0
// Zip archives made in tests.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/folders_for_tests.h"
#include "fmi/unpack.h"

namespace orrery::fmi {

struct ArchiveEntry {
  std::string name, text;
  bool link = false;
};

// A file of the test that vanishes with it.
class TestFile {
 public:
  explicit TestFile(const std::string& name) : path_("/tmp/orrery_test_" + std::to_string(getpid()) + "_" + name) {}
  ~TestFile() { std::remove(path_.c_str()); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  const std::string& path() const { return path_; }

  // libzip refuses names that leave the archive, so they are put in as other ones and patched.
  void write_zip(const std::vector<ArchiveEntry>& entries) {
    std::remove(path_.c_str());
    int error = 0;
    zip_t* archive = zip_open(path_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    for (const ArchiveEntry& entry : entries) {
      zip_source_t* source = zip_source_buffer(archive, entry.text.data(), entry.text.size(), 0);
      const zip_int64_t index = zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_GUESS);
      if (index < 0) zip_source_free(source);
      if (entry.link && index >= 0) {
        const auto attributes = static_cast<zip_uint32_t>((S_IFLNK | 0777u) << 16);
        zip_file_set_external_attributes(archive, static_cast<zip_uint64_t>(index), 0, ZIP_OPSYS_UNIX, attributes);
      }
    }
    zip_close(archive);
  }
  void write(const std::string& bytes) {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }

 private:
  std::string path_;
};

// A test FMU with changes in its description, and files added or replaced.
class AlteredFmu {
 public:
  using Change = std::pair<std::string, std::string>;  // a text, and what stands for it
  AlteredFmu(const std::string& name, const std::vector<Change>& changes, const std::vector<ArchiveEntry>& files = {})
      : file_(name + "_altered.fmu") {
    Diagnostics diagnostics;
    const auto archive = Archive::open(test_fmu_folder() + "/" + name + ".fmu", diagnostics);
    std::vector<ArchiveEntry> entries = files;
    for (const std::string& path : archive->files()) {
      const auto same = [&](const ArchiveEntry& entry) { return entry.name == path; };
      if (std::any_of(files.begin(), files.end(), same)) continue;
      std::string text = archive->read(path, diagnostics).value_or("");
      for (const auto& [from, to] : changes) {
        if (path != "modelDescription.xml") break;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
        if (at != std::string::npos) text.replace(at, from.size(), to);
      }
      entries.push_back({path, std::move(text)});
    }
    file_.write_zip(entries);
  }
  const std::string& path() const { return file_.path(); }

 private:
  TestFile file_;
};

}  // namespace orrery::fmi
