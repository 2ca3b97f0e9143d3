# SPDX-License-Identifier: Apache-2.0
# Where the kinds of packages differ: the archive has no prefix of its own.
if(CPACK_GENERATOR STREQUAL TXZ)
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
endif()
