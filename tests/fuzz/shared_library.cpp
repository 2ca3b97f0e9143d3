// SPDX-License-Identifier: Apache-2.0
// Binaries of FMUs, which are mended before they are loaded.
#include "fmi/mend_library.h"
#include "fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const FuzzFolder folder;
  folder.write("fmu.so", data, size);
  const std::string path = folder.path() + "/fmu.so";
  fmi::look_beside(path);
  fmi::replace_needed(path, "libgfortran.so.3", "libgfortran.so.5");
  fmi::leave_stack_alone(path);
  return 0;
}
