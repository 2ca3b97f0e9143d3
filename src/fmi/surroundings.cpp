// SPDX-License-Identifier: Apache-2.0
// Asks for everything, and sets what is another one.
#include "fmi/surroundings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <cstring>

#include "fmi/guard.h"

namespace orrery::fmi {
namespace {

mode_t file_mask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

}  // namespace

Surroundings::Surroundings(Folder folder)
    : folder_(folder == Folder::kept ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1),
      file_mask_(file_mask()),
      locale_(setlocale(LC_ALL, nullptr)) {
  for (int k = 0; k < 3; ++k) streams_[k] = fcntl(k, F_DUPFD_CLOEXEC, 3);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked_);
  for (std::size_t k = 0; k < requests.size(); ++k) sigaction(requests[k], nullptr, &actions_[k]);
}

Surroundings::~Surroundings() {
  restore();
  restore_folder();
  mend_handlers();
  if (folder_ >= 0) close(folder_);
  for (const int copy : streams_) {
    if (copy >= 0) close(copy);
  }
}

void Surroundings::restore_folder() const {
  const int ignored = folder_ >= 0 ? fchdir(folder_) : 0;
  static_cast<void>(ignored);
}

void Surroundings::restore() const {
  umask(file_mask_);
  pthread_sigmask(SIG_SETMASK, &blocked_, nullptr);
  for (std::size_t k = 0; k < requests.size(); ++k) {
    struct sigaction now = {};
    sigaction(requests[k], nullptr, &now);
    if (now.sa_handler != actions_[k].sa_handler) sigaction(requests[k], &actions_[k], nullptr);
  }
  for (int k = 0; k < 3; ++k) {
    if (streams_[k] >= 0 && fcntl(k, F_GETFD) < 0) dup2(streams_[k], k);
  }
  const char* locale = setlocale(LC_ALL, nullptr);
  if (locale == nullptr || locale_ != locale) setlocale(LC_ALL, locale_.c_str());
}

}  // namespace orrery::fmi
