# SPDX-License-Identifier: Apache-2.0
# The page of the editor: npm packages by the lock file, types checked, one bundle, everything gzipped and put into the
# executable by the assembler. -DORRERY_WEB=OFF, or a machine without npm, builds all but the page.
option(ORRERY_WEB "Build the page of `orrery serve`, which needs Node and npm" ON)
find_program(ORRERY_NPM npm)
mark_as_advanced(ORRERY_NPM)

target_compile_definitions(orrery_server PRIVATE ORRERY_VERSION="${PROJECT_VERSION}")
# Boost.Beast is long to compile and has warnings of its own; it gains nothing from being compiled with other files.
set_source_files_properties(src/server/http_server.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)

set(web_folder ${CMAKE_BINARY_DIR}/web)
set(assets ${CMAKE_BINARY_DIR}/generated/assets.S)
if(ORRERY_WEB AND ORRERY_NPM AND EXISTS ${CMAKE_SOURCE_DIR}/web/package-lock.json)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS web/src/* web/public/* web/*.json web/*.mjs web/index.html)
  list(FILTER web_sources EXCLUDE REGEX "/node_modules/|/dist/")
  add_custom_command(OUTPUT ${web_folder}/packages.stamp
    COMMAND ${ORRERY_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E make_directory ${web_folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${web_folder}/packages.stamp
    DEPENDS ${CMAKE_SOURCE_DIR}/web/package-lock.json WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/web
    COMMENT "Fetching the packages of the page" VERBATIM)
  add_custom_command(OUTPUT ${assets}
    COMMAND ${CMAKE_COMMAND} -E env ORRERY_WEB_OUT=${web_folder}/dist ${ORRERY_NPM} run --silent build
    COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/embed_assets.py ${web_folder}/dist ${assets}
    DEPENDS ${web_folder}/packages.stamp ${web_sources} ${CMAKE_SOURCE_DIR}/tools/embed_assets.py
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/web COMMENT "Building the page of the editor" VERBATIM)
else()
  add_custom_command(OUTPUT ${assets}
    COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/embed_assets.py --none ${assets}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/embed_assets.py VERBATIM)
endif()
target_sources(orrery_server PRIVATE ${assets})
