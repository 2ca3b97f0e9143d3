// SPDX-License-Identifier: Apache-2.0
// One evaluation of the cost is one run; between them a search waits.
#include "api/optimization_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "math/stepwise_minimiser.h"

namespace orrery::api {
namespace {

struct SearchOfBlock {
  std::unique_ptr<math::StepwiseMinimiser> search;
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  double first_cost = 0;
  int costs = 0;
  bool all_equal = true;

  void note(const std::vector<double>& x, double cost) {
    if (costs++ == 0) first_cost = cost;
    all_equal = all_equal && cost == first_cost;
    if (cost < least) {
      least = cost;
      best = x;
    }
  }
};

// What the runs of a model hand on.
struct Searches {
  std::map<std::string, SearchOfBlock> of_block;
  std::optional<SearchProgress> progress;
};

class Optimization final : public program::ForeignInstance {
 public:
  Optimization(Searches& searches, std::string block, math::MinimiseMethod method, std::size_t size)
      : searches_(searches),
        block_(std::move(block)),
        method_(method),
        next_(size, std::numeric_limits<double>::quiet_NaN()) {}

  program::ForeignOutcome open(std::span<double>) override { return {}; }

  // Arguments: value, cost, bounds, limits, count of activations; asked again with the same count the answer is the
  // same.
  void compute(int, const void* const* arguments, void* const* results) noexcept override {
    std::int32_t count = 0;
    std::memcpy(&count, arguments[5], sizeof count);
    if (count != answered_) {
      answered_ = count;
      try {
        answer(arguments);
      } catch (const std::exception& error) {
        failure_ = error.what();
        over_ = std::numeric_limits<double>::quiet_NaN();  // neither another run nor the end
      }
    }
    std::memcpy(results[0], next_.data(), next_.size() * sizeof(double));
    std::memcpy(results[1], &least_, sizeof least_);
    std::memcpy(results[2], &over_, sizeof over_);
  }

  program::ForeignOutcome perform(int, double, std::span<const double>, std::span<double>) override { return {}; }
  program::ForeignHealth health() noexcept override {
    return failure_.empty() ? program::ForeignHealth::well : program::ForeignHealth::failed;
  }
  void report(const Place& place, double t, Diagnostics& diagnostics) override {
    diagnostics.error("optimisation-failed", place, failure_, "look at the cost at the end of single runs").time = t;
  }
  bool save(std::vector<std::byte>&) override { return false; }
  bool restore(std::span<const std::byte>) override { return false; }

 private:
  static std::vector<double> numbers(const void* data, std::size_t count) {
    std::vector<double> list(count);
    if (count > 0) std::memcpy(list.data(), data, count * sizeof(double));
    return list;
  }

  void answer(const void* const* arguments) {
    const std::vector<double> x = numbers(arguments[0], next_.size());
    const double cost = numbers(arguments[1], 1)[0];
    SearchOfBlock& known = searches_.of_block[block_];
    if (!std::isfinite(cost)) throw math::Error(fmt::format("the cost of run {} is {}", known.costs + 1, cost));
    std::vector<double> tried = x;
    if (known.search && known.search->wanted()) tried = *known.search->wanted();
    known.note(tried, cost);
    if (!known.search) {
      const std::vector<double> low = numbers(arguments[2], x.size()), high = numbers(arguments[3], x.size());
      for (std::size_t k = 0; k < x.size(); ++k)
        if (!(low[k] <= high[k])) throw math::Error("a lower bound lies above its upper bound");
      const std::vector<double> limits = numbers(arguments[4], 3);
      math::MinimiseOptions options;
      options.method = method_;
      options.first_radius = limits[0];
      options.least_radius = limits[1];
      options.step_tolerance = method_ == math::MinimiseMethod::cma ? limits[1] : 0;
      options.value_tolerance = 0;
      options.evaluations = static_cast<int>(limits[2]);
      known.search = std::make_unique<math::StepwiseMinimiser>(x, low, high, options);
    }
    // Bounds may have moved the point the search begins at: then this run was for nothing but its cost.
    if (known.search->wanted() && (known.costs > 1 || *known.search->wanted() == x)) known.search->tell(cost);
    searches_.progress = SearchProgress{cost, known.least, {}};
    least_ = known.least;
    over_ = known.search->wanted() ? 0 : 1;
    next_ = over_ != 0 ? known.best : *known.search->wanted();
    if (over_ == 0) return;
    if (known.search->minimum().end == math::MinimiseEnd::limit) searches_.progress->unsure = block_;
    if (known.search->minimum().end == math::MinimiseEnd::failed) throw math::Error("the search found no way to go on");
    if (known.costs > 1 && known.all_equal)
      throw math::Error(
          fmt::format("all {} runs cost the same, so the model does not use the value that the block "
                      "puts out",
                      known.costs));
  }

  Searches& searches_;
  std::string block_;
  math::MinimiseMethod method_;
  std::int32_t answered_ = -1;
  std::vector<double> next_;
  double least_ = std::numeric_limits<double>::quiet_NaN(), over_ = 0;
  std::string failure_;
};

}  // namespace

program::ForeignKind optimization_kind(OmlEvaluator& evaluator) {
  using enum program::ForeignSetting::Type;
  return {"optimization",
          {{"method", text}, {"size", whole_number}},
          [searches = &evaluator.between_runs<Searches>()](const program::ForeignObject& object,
                                                           const program::ForeignRun&, const Place& place,
                                                           Diagnostics&) -> std::unique_ptr<program::ForeignInstance> {
            math::MinimiseMethod method = math::MinimiseMethod::bobyqa;
            std::size_t size = 1;
            for (const auto& [name, value] : object.settings) {
              if (name == "method") method = math::find_minimise_method(value).value_or(method);
              if (name == "size") size = std::stoul(value);
            }
            return std::make_unique<Optimization>(*searches, place.block, method, size);
          }};
}

std::optional<SearchProgress> search_progress(OmlEvaluator& evaluator) {
  return evaluator.between_runs<Searches>().progress;
}

}  // namespace orrery::api
