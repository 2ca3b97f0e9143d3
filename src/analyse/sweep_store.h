// SPDX-License-Identifier: Apache-2.0
// What a sweep has found so far, in a file with one record of fixed size for each run: whatever happens to the process,
// the runs that are in it need not be made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "base/kept_file.h"

namespace orrery::analyse {

struct SweepOutcome {
  std::vector<double> kept;
  std::string failure;  // the code of the diagnostic that ended the run; empty: it came to its end
};

// Threads, and processes that share the file, may write different runs at the same time.
class SweepStore {
 public:
  // Opens what an earlier sweep has left, or makes it. Nothing, and a diagnostic, when the file belongs to another
  // sweep (`what` differs) or to one that goes on right now.
  static std::optional<SweepStore> open(const std::string& path, const std::string& what, std::size_t runs,
                                        std::size_t columns, Diagnostics& diagnostics);

  const std::string& path() const { return file_.path(); }
  std::size_t runs() const { return runs_; }
  bool has(std::size_t run) const;
  // False: it is not there.
  [[nodiscard]] bool read(std::size_t run, SweepOutcome& outcome) const;
  // 0, or the errno of what stands in the way.
  [[nodiscard]] int write(std::size_t run, const SweepOutcome& outcome) const;
  // The sweep is complete: the file goes.
  void remove() const { file_.remove(); }

 private:
  SweepStore(KeptFile file, std::size_t runs, std::size_t columns)
      : file_(std::move(file)), runs_(runs), columns_(columns) {}
  std::size_t record_size() const;
  std::int64_t place_of(std::size_t run) const;

  KeptFile file_;
  std::size_t runs_, columns_;
};

}  // namespace orrery::analyse
