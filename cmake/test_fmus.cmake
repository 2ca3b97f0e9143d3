# SPDX-License-Identifier: Apache-2.0
# The FMUs of the tests, made from tests/fmi when fmi_test is built.
set(test_fmus ${CMAKE_BINARY_DIR}/test_fmus)
file(GLOB test_fmu_sources CONFIGURE_DEPENDS tests/fmi/*.py tests/fmi/models/* src/fmi/api/*.h)
add_custom_command(OUTPUT ${test_fmus}/stamp
  COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/fmi/make_fmus.py ${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR} ${test_fmus}
  DEPENDS ${test_fmu_sources} COMMENT "Making the FMUs of the tests" VERBATIM)
add_custom_target(test_fmus DEPENDS ${test_fmus}/stamp)
add_dependencies(fmi_test test_fmus)
target_link_libraries(fmi_test PRIVATE zip)
