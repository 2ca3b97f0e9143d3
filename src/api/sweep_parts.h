// SPDX-License-Identifier: Apache-2.0
// A sweep whose runs several processes make, on one machine or on many: each writes a part of its own, and one puts
// them together.
#pragma once

#include <string>

#include "analyse/sweep.h"
#include "api/ranks.h"
#include "api/sweep.h"

namespace orrery::api {

// What the parts of one sweep have in common.
struct SweepParts {
  std::string out;       // of the table
  std::string identity;  // by which sweeps differ
  std::size_t runs = 0, columns = 0;

  std::string path(int part) const;
  // The part of one process, new or as an earlier one has left it.
  std::optional<analyse::SweepStore> open(int part, Diagnostics& diagnostics) const;
  // Takes the runs of all parts that are there. False, and a diagnostic, where one of them belongs to another sweep or
  // is being written.
  [[nodiscard]] bool collect(const analyse::SweepStore& store, Diagnostics& diagnostics) const;
  // Removes them.
  void forget() const;
};

// The first rank: hands out ranges of runs, the longer the faster they are made, until there are none left. False: it
// was interrupted.
[[nodiscard]] bool hand_out_runs(const Ranks& ranks, const analyse::SweepStore& store, const SweepRequest& request);
// Another rank: makes what it is given.
analyse::SweepEnd make_runs_as_told(const Ranks& ranks, analyse::Sweep work, const SweepParts& parts,
                                    Diagnostics& diagnostics);
// Tells the other ranks that there is nothing to do: something is wrong.
void dismiss(const Ranks& ranks);

// Submits a job array whose tasks make the parts, unless one of an earlier call is still there, and waits for it.
// False, and a diagnostic unless it was interrupted: they are not made.
[[nodiscard]] bool submit_and_wait(const SweepRequest& request, Diagnostics& diagnostics);
// The files of a job array that is done with.
void forget_job(const SweepRequest& request);

}  // namespace orrery::api
