// SPDX-License-Identifier: Apache-2.0
// Time series as HDF5 in the layout MTSF (Pfeiffer, Bausch-Gall, Otter: Proposal for a Standard Time Series File Format
// in HDF5, Modelica conference 2012): tables that describe the variables, and matrices with a column for each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace orrery::io {

struct MtsfVariable {
  enum class Type : std::uint8_t { real = 1, integer, boolean, text, enumeration };
  enum class Causality : std::uint8_t { parameter = 1, input, output, local };
  enum class Variability : std::uint8_t { constant = 1, fixed, tunable, discrete, continuous };

  std::string name, description = {}, unit = {};
  std::size_t place = 0;  // among the numbers, or the texts, of a row
  Type type = Type::real;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  std::string enumeration = {};                                  // name of the type
  std::vector<std::pair<std::string, std::int64_t>> items = {};  // of it
};

// Columns over a time that never decreases; two rows of one time are the two sides of a jump. Numbers and texts lie
// row by row.
struct MtsfContent {
  std::string model, tool, algorithm;
  bool dated = true;  // says when it was written; else the same content has the same bytes
  double start = 0, stop = 0, relative_tolerance = 0;
  std::vector<MtsfVariable> variables;  // without the time
  std::size_t numbers_per_row = 0, texts_per_row = 0;
  std::vector<double> time;
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

// Whether a file of this name is wanted so: it ends with .mtsf, .h5 or .hdf5.
bool is_mtsf_name(const std::string& path);
// Before a long run: false, and a diagnostic, when the path is one of MTSF and HDF5 is not installed, or has the name
// of another format.
[[nodiscard]] bool can_be_written(const std::string& path, Diagnostics& diagnostics);
// The bytes of the file; nothing, and a diagnostic about `path`, where HDF5 is not installed.
std::optional<std::string> mtsf_bytes(const MtsfContent& content, const std::string& path, Diagnostics& diagnostics);

class MtsfWriting;

// A file that grows by blocks of rows, numbers only. Whatever happens to the process, what was there at the last flush
// can be read; a kill while a flush writes, which takes a fraction of a millisecond, is the exception.
class MtsfStream {
 public:
  // HDF5 must be installed. The head is the content without rows.
  MtsfStream(std::string place, MtsfContent head);
  MtsfStream(const MtsfStream&) = delete;
  MtsfStream& operator=(const MtsfStream&) = delete;
  ~MtsfStream();

  // False, as with the others: the file cannot be written, and error() is an errno. The first append flushes.
  [[nodiscard]] bool append(std::span<const double> time, const double* numbers, bool last);
  [[nodiscard]] bool flush();
  [[nodiscard]] bool close(const std::string& algorithm);
  int error() const { return error_; }

 private:
  template <class Work>
  bool guarded(Work work);
  void create(bool growing);
  void abandon();

  std::string place_;
  MtsfContent head_;
  std::int64_t file_ = -1;  // of HDF5, whose header stays out of this one
  std::unique_ptr<MtsfWriting> writing_;
  int error_ = 0;
};

}  // namespace orrery::io
