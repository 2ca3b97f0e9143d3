# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Nothing installed knows its prefix, so that the whole may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(cmake/public_headers.cmake)

# Texts that the program writes about itself.
set(texts ${CMAKE_BINARY_DIR}/texts)
file(MAKE_DIRECTORY ${texts})
function(orrery_text file)  # orrery_text(file command...): what `orrery command...` prints
  add_custom_command(OUTPUT ${texts}/${file} COMMAND orrery ${ARGN} > ${texts}/${file} DEPENDS orrery VERBATIM
    COMMENT "Writing ${file}")
endfunction()
orrery_text(orrery.1 manual)
orrery_text(orrery.bash completion bash)
orrery_text(orrery.zsh completion zsh)
add_custom_target(orrery_texts ALL DEPENDS ${texts}/orrery.1 ${texts}/orrery.bash ${texts}/orrery.zsh)
install(FILES ${texts}/orrery.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${texts}/orrery.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME orrery)
install(FILES ${texts}/orrery.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _orrery)

install(TARGETS orrery)
install(TARGETS orrery_library EXPORT OrreryTargets)
if(TARGET orrery_mpi)
  install(TARGETS orrery_mpi DESTINATION lib/orrery)
endif()

orrery_public_headers(headers)
foreach(header ${headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery/${folder})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Orrery)
install(EXPORT OrreryTargets NAMESPACE Orrery:: FILE OrreryConfig.cmake DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/OrreryConfigVersion.cmake DESTINATION ${package})

install(FILES src/foreign/include/vss_block4.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery)
install(FILES docs/orr.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery)
install(DIRECTORY python/orrery DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery/python PATTERN __pycache__ EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs PATTERN orr.schema.json EXCLUDE)
