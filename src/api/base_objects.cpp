// SPDX-License-Identifier: Apache-2.0
// Variables of the base workspace as one run sees them.
#include "api/base_objects.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>
#include <sstream>

#include "program/procedure.h"
#include "trace/oml_values.h"

namespace orrery::api {
namespace {

using Numbers = std::vector<double>;

// What one block names: function (FromBase) or procedure (ToBase) number k is entry k.
struct Entry {
  std::string name;
  program::Scalar scalar = program::Scalar::f64;
  std::size_t size = 1;
  std::int32_t count = -1;  // of the last reading
  std::vector<std::byte> reading;
};

class BaseWorkspace final : public program::ForeignInstance {
 public:
  BaseWorkspace(std::vector<Entry> entries, std::map<std::string, Numbers> values)
      : entries_(std::move(entries)), values_(std::move(values)) {}

  program::ForeignOutcome open(std::span<double>) override { return {}; }

  // A function as long as the count is the same: arguments are the count and the value where there is no variable.
  void compute(int function, const void* const* arguments, void* const* results) noexcept override {
    Entry& entry = entries_[static_cast<std::size_t>(function)];
    const auto width = static_cast<std::size_t>(byte_size(entry.scalar));
    std::int32_t count = 0;
    std::memcpy(&count, arguments[0], sizeof count);
    if (count != entry.count) {
      entry.reading.resize(entry.size * width);
      std::memcpy(entry.reading.data(), arguments[1], entry.reading.size());
      const auto known = values_.find(entry.name);
      if (known != values_.end() && known->second.size() != entry.size) {
        wrong_ = function;
      } else if (known != values_.end()) {
        for (std::size_t k = 0; k < entry.size; ++k)
          program::write_number(entry.scalar, entry.reading.data() + k * width, known->second[k]);
      }
      entry.count = count;
    }
    std::memcpy(results[0], entry.reading.data(), entry.reading.size());
  }

  program::ForeignOutcome perform(int procedure, double, std::span<const double> arguments,
                                  std::span<double>) override {
    values_[entries_[static_cast<std::size_t>(procedure)].name].assign(arguments.begin(), arguments.end());
    return {};
  }

  program::ForeignHealth health() noexcept override {
    return wrong_ < 0 ? program::ForeignHealth::well : program::ForeignHealth::failed;
  }
  void report(const Place& place, double t, Diagnostics& diagnostics) override {
    if (wrong_ < 0) return;
    const Entry& entry = entries_[static_cast<std::size_t>(wrong_)];
    diagnostics
        .error("block-error", place,
               fmt::format("the variable {} has {} elements now, and {} when the run was made", entry.name,
                           values_[entry.name].size(), entry.size),
               "keep the size of what ToBase writes, or give the variables different names")
        .time = t;
  }

  bool save(std::vector<std::byte>& bytes) override {
    const auto put = [&](const void* data, std::size_t size) {
      const auto* from = static_cast<const std::byte*>(data);
      bytes.insert(bytes.end(), from, from + size);
    };
    for (const Entry& entry : entries_) {
      put(&entry.count, sizeof entry.count);
      if (entry.count >= 0) put(entry.reading.data(), entry.reading.size());
      const auto known = values_.find(entry.name);
      const std::uint64_t size = known == values_.end() ? UINT64_MAX : known->second.size();
      put(&size, sizeof size);
      if (known != values_.end()) put(known->second.data(), known->second.size() * sizeof(double));
    }
    return true;
  }
  bool restore(std::span<const std::byte> bytes) override {
    const auto take = [&](void* data, std::size_t size) {
      if (bytes.size() < size) return false;
      if (size > 0) std::memcpy(data, bytes.data(), size);
      bytes = bytes.subspan(size);
      return true;
    };
    values_.clear();
    for (Entry& entry : entries_) {
      if (!take(&entry.count, sizeof entry.count)) return false;
      entry.reading.resize(entry.size * static_cast<std::size_t>(byte_size(entry.scalar)));
      if (entry.count >= 0 && !take(entry.reading.data(), entry.reading.size())) return false;
      std::uint64_t size = 0;
      if (!take(&size, sizeof size)) return false;
      if (size == UINT64_MAX) continue;
      if (size > bytes.size() / sizeof(double)) return false;
      Numbers& value = values_[entry.name];
      value.resize(size);
      if (!take(value.data(), size * sizeof(double))) return false;
    }
    return bytes.empty();
  }

 private:
  std::vector<Entry> entries_;
  std::map<std::string, Numbers> values_;
  int wrong_ = -1;
};

}  // namespace

program::ForeignKind base_workspace_kind(OmlEvaluator& evaluator) {
  using enum program::ForeignSetting::Type;
  return {"base_workspace",
          {{"variable", text, true}},
          [interpreter = &evaluator.interpreter(), one_at_a_time = std::make_shared<std::mutex>()](
              const program::ForeignObject& object, const program::ForeignRun&, const Place&,
              Diagnostics&) -> std::unique_ptr<program::ForeignInstance> {
            const std::lock_guard lock(*one_at_a_time);
            std::vector<Entry> entries;
            std::map<std::string, Numbers> values;
            for (const auto& [setting, described] : object.settings) {
              Entry entry;
              int scalar = 0;
              std::istringstream(described) >> entry.name >> scalar >> entry.size;
              entry.scalar = static_cast<program::Scalar>(scalar);
              if (const oml::Value* value = interpreter->base()->get(entry.name)) {
                const auto known = trace::from_oml(*value);
                if (known && known->is_number() && !known->is_complex()) values[entry.name] = known->real;
              }
              entries.push_back(std::move(entry));
            }
            return std::make_unique<BaseWorkspace>(std::move(entries), std::move(values));
          }};
}

}  // namespace orrery::api
