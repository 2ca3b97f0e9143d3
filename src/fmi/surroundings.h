// SPDX-License-Identifier: Apache-2.0
// What of the process FMUs change and do not set right again: the folder it works in, standard streams, signals, the
// mask of new files, the locale.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <string>

namespace orrery::fmi {

class Surroundings {
 public:
  enum class Folder { kept, left };  // left: the FMU may go on in another one
  explicit Surroundings(Folder folder = Folder::kept);
  // When the FMU is gone: everything.
  ~Surroundings();
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  // While the FMU lives: all but its folder, and its handlers of crashes, without which some run-time systems cannot
  // be.
  void restore() const;
  void restore_folder() const;

 private:
  // How users and timers end programs.
  static constexpr std::array<int, 5> requests = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

  int folder_;
  std::array<int, 3> streams_;
  mode_t file_mask_;
  sigset_t blocked_;
  std::array<struct sigaction, 5> actions_;
  std::string locale_;
};

}  // namespace orrery::fmi
