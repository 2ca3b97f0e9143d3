// SPDX-License-Identifier: Apache-2.0
// What a description tells about a column of results, for files that keep it.
#pragma once

#include <string>

#include "fmi/description.h"
#include "io/mtsf.h"

namespace orrery::fmi {

// By the name of the column: that of a variable, or of an element "y[3]" of one.
io::MtsfVariable described_column(const Description& description, const std::string& column, std::size_t place);

}  // namespace orrery::fmi
