// SPDX-License-Identifier: Apache-2.0
// Finding and loading the library that speaks MPI.
#include "api/ranks.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <string>

namespace orrery::api {
namespace {

// Beside the program (in its build folder), or where it is installed; a variable may name another.
void* open_library() {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  const std::string program(self, length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::string folder = program.substr(0, program.rfind('/'));
  for (const std::string& place : {folder + "/orrery_mpi.so", folder + "/../lib/orrery/orrery_mpi.so",
                                   std::string("/usr/lib/orrery/orrery_mpi.so")}) {
    // Open MPI loads parts of its own, which look for its names.
    if (void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL)) return library;
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Ranks> Ranks::join(Diagnostics& diagnostics) {
  const auto fail = [&](const std::string& why) {
    diagnostics.error("no-mpi", {}, why,
                      "install openmpi-bin and libopenmpi-dev, build Orrery again, and start it with mpirun; or leave "
                      "--mpi out");
    return nullptr;
  };
  void* library = open_library();
  if (library == nullptr) return fail("the part of Orrery that speaks MPI is not installed");
  const auto find = [library](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  std::unique_ptr<Ranks> ranks(new Ranks);
  int (*begin)(int*, int*) = nullptr;
  void (*end)() = nullptr;
  if (!find("orrery_mpi_begin", begin) || !find("orrery_mpi_send", ranks->send_) ||
      !find("orrery_mpi_receive", ranks->receive_) || !find("orrery_mpi_end", end) ||
      !find("orrery_mpi_abort", ranks->abort_))
    return fail("the part of Orrery that speaks MPI is one of another version");
  if (begin(&ranks->rank_, &ranks->size_) == 0) return fail("MPI does not start");
  ranks->end_ = end;
  return ranks;
}

Ranks::~Ranks() {
  if (end_ != nullptr) end_();
}

}  // namespace orrery::api
