// SPDX-License-Identifier: Apache-2.0
// Writes the benchmark models a1 to c2 as files to a folder.
#include <fstream>
#include <string>

#include "../diagrams.h"

int main(int argc, char** argv) {
  using namespace orrery::bench;
  if (argc != 2) return 2;
  const std::pair<const char*, std::string> models[] = {
      {"a1", diagram_a1()}, {"a2", diagram_a2()}, {"a3", diagram_a3()}, {"b1", diagram_b1()},
      {"b2", diagram_b2()}, {"b3", diagram_b3()}, {"c1", diagram_c1()}, {"c2", diagram_c2()}};
  for (const auto& [name, text] : models) std::ofstream(std::string(argv[1]) + "/" + name + ".orr") << text;
  return 0;
}
