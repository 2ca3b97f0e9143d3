# SPDX-License-Identifier: Apache-2.0
# The page of the editor: types checked, one bundle, everything gzipped and put into the executable by the assembler. Its
# packages are fetched by `make setup`; without them, or with -DORRERY_WEB=OFF, all but the page is built.
option(ORRERY_WEB "Build the page of `orrery serve`, which needs Node and the packages of web/" ON)
find_program(ORRERY_NODE NAMES node nodejs)
mark_as_advanced(ORRERY_NODE)

target_compile_definitions(orrery_server PRIVATE ORRERY_VERSION="${PROJECT_VERSION}")
# Boost.Beast is long to compile and has warnings of its own; it gains nothing from being compiled with other files.
set_source_files_properties(src/server/http_server.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)

set(web_folder ${CMAKE_BINARY_DIR}/web)
set(assets ${CMAKE_BINARY_DIR}/generated/assets.S)
if(ORRERY_WEB AND ORRERY_NODE AND EXISTS ${CMAKE_SOURCE_DIR}/web/node_modules/.package-lock.json)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS web/src/* web/*.json web/*.mjs web/index.html)
  list(FILTER web_sources EXCLUDE REGEX "/node_modules/|/dist/")
  add_custom_command(OUTPUT ${assets}
    COMMAND ${ORRERY_NODE} node_modules/typescript/bin/tsc --noEmit
    COMMAND ${ORRERY_NODE} build.mjs --out ${web_folder}
    COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/embed_assets.py ${web_folder} ${assets}
    DEPENDS ${web_sources} ${CMAKE_SOURCE_DIR}/tools/embed_assets.py
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/web COMMENT "Building the page of the editor" VERBATIM)
  if(BUILD_TESTING)
    add_test(NAME web_unit_test COMMAND ${ORRERY_NODE} test.mjs WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/web)
    set_tests_properties(web_unit_test PROPERTIES TIMEOUT 300 LABELS fast)
    # Scenarios in Chromium, each with a server of its own; without Chromium they are skipped with a message.
    add_test(NAME web_scenarios COMMAND ${CMAKE_COMMAND} -E env ORRERY=$<TARGET_FILE:orrery> ORRERY_PAGE=${web_folder}
      ${ORRERY_NODE} test.mjs e2e WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/web)
    set_tests_properties(web_scenarios PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77 PROCESSORS 2)
  endif()
else()
  add_custom_command(OUTPUT ${assets}
    COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/embed_assets.py --none ${assets}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/embed_assets.py VERBATIM)
endif()
target_sources(orrery_server PRIVATE ${assets})
