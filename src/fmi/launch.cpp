// SPDX-License-Identifier: Apache-2.0
// Puts together what an instance stands on.
#include "fmi/launch.h"

#include "fmi/call_file.h"

namespace orrery::fmi {

std::unique_ptr<Instance> launch(Archive& archive, const Description& description, Log& log,
                                 const LaunchOptions& options, Diagnostics& diagnostics) {
  auto binary = unpack_binary(archive, description, options.instance.kind, diagnostics);
  if (!binary) return nullptr;
  InstanceOptions instance_options = options.instance;
  if (options.safe || !options.record.empty()) instance_options.intermediate = {};
  std::unique_ptr<Instance> instance;
  if (options.safe) {
    instance = instantiate_safe(description, std::move(binary), log, instance_options, options.limits, diagnostics);
  } else if (binary->load(diagnostics)) {
    instance = instantiate(description, std::move(binary), log, instance_options, diagnostics);
  }
  if (!instance || options.record.empty()) return instance;
  return record_calls(std::move(instance), options.record, options.record_header, diagnostics);
}

}  // namespace orrery::fmi
