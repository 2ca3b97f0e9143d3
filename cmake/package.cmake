# SPDX-License-Identifier: Apache-2.0
# `make package`: a Debian package and an archive that may be unpacked anywhere.
set(CPACK_GENERATOR DEB TXZ)
set(CPACK_PACKAGE_NAME orrery)
set(CPACK_PACKAGE_VENDOR Orrery)
set(CPACK_PACKAGE_CONTACT "The authors of Orrery <orrery@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Block diagrams in which continuous dynamics, sampled controllers and events live together, compiled to
native code before they run; a matrix language; FMUs. The program, its library and headers, documents and examples.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_THREADS 0)

set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when they are needed: HDF5 for results, matio for MAT files; a C compiler for the second tier and FMUs of sources.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, libc6-dev, libhdf5-103-1, libmatio11")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_kinds.cmake)
include(CPack)
