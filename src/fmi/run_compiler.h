// SPDX-License-Identifier: Apache-2.0
// Runs the C compiler on texts of others: with a limit of time and memory, and without a shell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery::fmi {

struct CompilerLimits {
  double seconds = 120;
  std::uint64_t memory_bytes = std::uint64_t{3} << 30;  // of each process
  std::uint64_t file_bytes = std::uint64_t{1} << 30;    // of each file it writes
};

enum class CompilerEnd : std::uint8_t { good, failed, missing, late, killed };

// The first word is the program, as PATH finds it. Its words go to a file.
CompilerEnd run_compiler(const std::vector<std::string>& words, const std::string& output,
                         const CompilerLimits& limits = {});

}  // namespace orrery::fmi
