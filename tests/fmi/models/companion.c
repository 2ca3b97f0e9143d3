// SPDX-License-Identifier: Apache-2.0
// A library that an FMU brings along without telling the loader where it is.
double companion(void) { return 1; }
