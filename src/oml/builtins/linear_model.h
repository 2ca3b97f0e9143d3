// SPDX-License-Identifier: Apache-2.0
// Linear time-invariant models as OML passes them around: structs of ss or tf, or lists of matrices.
#pragma once

#include "math/linear_model.h"
#include "oml/builtin.h"

namespace orrery::oml {

using math::LinearModel;

LinearModel state_space(const Value& a, const Value& b, const Value& c, const Value& d, double ts);
LinearModel transfer_function(const Value& num, const Value& den, double ts);
// The model in arguments k...: a struct of ss or tf, a gain, num and den, or A, B, C, D. `used` becomes how many
// arguments it took; at most `limit` are looked at.
LinearModel model_argument(const Call& c, int k, int limit, int& used);
bool is_model(const Value& v);
Value to_struct(const LinearModel& m);

}  // namespace orrery::oml
