# SPDX-License-Identifier: Apache-2.0
# Which headers belong to the installed library: those programs hold (docs/embedding.md), and whatever they include.

# orrery_public_headers(result): their paths, relative to src/.
function(orrery_public_headers result)
  set(todo api/model.h api/run.h blocks/user_block.h)
  set(seen "")
  while(todo)
    list(POP_FRONT todo header)
    if(header IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${header})
    file(STRINGS src/${header} lines REGEX "^#include \"")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      list(APPEND todo ${included})
    endforeach()
  endwhile()
  set(${result} ${seen} PARENT_SCOPE)
endfunction()
