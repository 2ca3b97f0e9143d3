# SPDX-License-Identifier: Apache-2.0
# The shared library that others link: every folder but cli and server, with nothing visible but what is ours.
get_property(library_folders GLOBAL PROPERTY ORRERY_FOLDERS)
list(REMOVE_ITEM library_folders cli server)

add_library(orrery_library SHARED)
set_target_properties(orrery_library PROPERTIES OUTPUT_NAME orrery EXPORT_NAME orrery LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
foreach(folder ${library_folders})
  get_target_property(type orrery_${folder} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    target_sources(orrery_library PRIVATE $<TARGET_OBJECTS:orrery_${folder}>)
  endif()
endforeach()
# For the foreign libraries; nothing is left to be taken from our own archives.
target_link_libraries(orrery_library PRIVATE orrery_api)
set(symbols ${CMAKE_SOURCE_DIR}/cmake/library.map)
target_link_options(orrery_library PRIVATE -Wl,--version-script=${symbols})
if(NOT ORRERY_SANITIZE)
  target_link_options(orrery_library PRIVATE -Wl,-z,defs)
endif()
set_target_properties(orrery_library PROPERTIES LINK_DEPENDS ${symbols})
target_compile_features(orrery_library INTERFACE cxx_std_20)
target_include_directories(orrery_library INTERFACE $<INSTALL_INTERFACE:include/orrery>)
