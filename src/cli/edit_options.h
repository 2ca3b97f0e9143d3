// SPDX-License-Identifier: Apache-2.0
// The part of the grammar that concerns pictures and changes of models.
#pragma once

namespace CLI {
class App;
}

namespace orrery::cli {

struct Arguments;

void add_picture_options(CLI::App& picture, Arguments& arguments);
void add_edit_options(CLI::App& edit, Arguments& arguments);
void add_diff_options(CLI::App& diff, Arguments& arguments);
void add_merge_options(CLI::App& merge, Arguments& arguments);

}  // namespace orrery::cli
