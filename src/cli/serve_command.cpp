// SPDX-License-Identifier: Apache-2.0
// `orrery serve`, and the worker that it starts for each model.
#include "cli/commands.h"
#include "server/worker_process.h"

namespace orrery::cli {

int serve_command(const Arguments& arguments) { return server::serve(arguments.serve); }

int serve_worker_command(const Arguments& arguments) { return server::run_worker(arguments.worker); }

}  // namespace orrery::cli
