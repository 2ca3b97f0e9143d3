# SPDX-License-Identifier: Apache-2.0
# Tests of the executable that need no code: every example runs, completion offers what it should. With sanitizers this is
# the quickest way through all folders.
file(GLOB examples CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/examples examples/*.orr examples/automata/*.orr)
foreach(example ${examples})
  add_test(NAME run.${example} COMMAND orrery run ${CMAKE_SOURCE_DIR}/examples/${example} --quiet)
  set_tests_properties(run.${example} PROPERTIES LABELS fast TIMEOUT 300)
endforeach()
add_test(NAME completion COMMAND bash ${CMAKE_SOURCE_DIR}/tests/completion_test.sh $<TARGET_FILE:orrery>)
set_tests_properties(completion PROPERTIES LABELS fast TIMEOUT 300)
add_test(NAME exported_fmus COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/fmi/exported_fmus.py $<TARGET_FILE:orrery> ${CMAKE_SOURCE_DIR}/examples)
set_tests_properties(exported_fmus PROPERTIES TIMEOUT 3600)
