// SPDX-License-Identifier: Apache-2.0
// Signals given by samples: what SignalGenerator, SignalIn and the readers of files build.
#pragma once

#include <string>
#include <vector>

#include "blocks/block.h"

namespace orrery::blocks {

// The values of one output at all times, one sample after the other, elements column by column.
struct SampledChannel {
  Type type;
  std::vector<double> data;  // complex: two numbers an element
};

struct SampleRules {
  std::string method = "linear";  // as of a LookupTable
  std::string before = "zero";    // before the first sample: zero, hold, extrapolate, repeat
  std::string after = "zero";     // after the last one
  std::string times_parameter;    // which parameter is blamed
};

// The parameters method, before and after.
std::vector<ParameterSpec> sample_specs(std::vector<ParameterSpec> first);
SampleRules sample_rules(const Block& b, std::string times_parameter);

// Output k is channel k over time; activation output 1 fires at each sample. Channels that are not doubles need a
// method of order zero.
void build_samples(Block& b, const std::vector<double>& times, const std::vector<SampledChannel>& channels,
                   const SampleRules& rules);

// Output k is channel k, the next sample at each activation.
void build_samples_in_turn(Block& b, const std::vector<SampledChannel>& channels, std::size_t samples,
                           const SampleRules& rules);

}  // namespace orrery::blocks
