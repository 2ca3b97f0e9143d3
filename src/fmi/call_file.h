// SPDX-License-Identifier: Apache-2.0
// The flight recorder's file: a header, then every call of an instance with its values and its answer.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fmi/message.h"

namespace orrery::fmi {

struct CallRecord {
  Call call{};
  std::vector<char> request, answer;
  bool answered = true;  // false: the file ends within this call
};

class CallFile {
 public:
  // Nothing, and a diagnostic, when it is no such file.
  static std::unique_ptr<CallFile> open(const std::string& path, Diagnostics& diagnostics);
  ~CallFile();
  CallFile(const CallFile&) = delete;
  CallFile& operator=(const CallFile&) = delete;

  const std::string& header() const { return header_; }  // JSON
  const std::string& path() const { return path_; }
  // Nothing at the end.
  std::optional<CallRecord> next();

 private:
  CallFile(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  bool read(void* to, std::size_t size);
  bool read_bytes(std::vector<char>& bytes);
  std::FILE* file_;
  std::string path_, header_;
};

// An instance that passes every call on and writes it down. A request is on disk before it is executed, so that the
// file ends with the call that killed the program.
std::unique_ptr<Instance> record_calls(std::unique_ptr<Instance> inner, const std::string& path,
                                       const std::string& header, Diagnostics& diagnostics);

// An instance that gives the recorded answers to the recorded calls, in their order; it dies of any other call.
std::unique_ptr<Instance> play_calls(std::unique_ptr<CallFile> file);

// What a request or an answer says, for people and for comparisons.
struct CallField {
  std::string name;  // "values[3]", "status"
  std::string text;
  std::optional<double> number;
};
std::vector<CallField> fields_of_request(const CallRecord& record);
std::vector<CallField> fields_of_answer(const CallRecord& record);

}  // namespace orrery::fmi
