// SPDX-License-Identifier: Apache-2.0
// Facts of a checked model, as they go from the worker to the server and on to pages.
#pragma once

#include "api/model_facts.h"
#include "server/json.h"

namespace orrery::server {

// By path of block: ports, types, clock, order, values with their numbers.
Json facts_json(const api::ModelFacts& facts);
// What icons and ports are drawn from.
picture::Facts facts_of_json(const Json& facts);
// The same without what only drawings need.
Json shown_facts(const Json& facts);

}  // namespace orrery::server
