# SPDX-License-Identifier: Apache-2.0
# Installs the build folder BUILD, moves the result, and uses it: the program, its texts, and the library from the project
# CONSUMER outside. cmake -DBUILD=... -DCONSUMER=... -P check.cmake
set(work ${BUILD}/package_test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first --strip)
# What is installed must not know where.
file(RENAME ${work}/first ${work}/prefix)
set(prefix ${work}/prefix)
set(model ${prefix}/share/orrery/examples/bouncing_ball.orr)

run(${CMAKE_COMMAND} -E env ORRERY_CACHE=${work}/cache ${prefix}/bin/orrery run ${model} --quiet --out ${work}/ball.csv)
run(${CMAKE_COMMAND} -E env ORRERY_CACHE=${work}/cache ${prefix}/bin/orrery run ${model} --quiet --tier second)
run(bash -n ${prefix}/share/bash-completion/completions/orrery)
foreach(file share/man/man1/orrery.1 share/zsh/vendor-completions/_orrery share/orrery/orr.schema.json
    share/doc/orrery/copyright share/doc/orrery/docs/semantics.md)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${work}/consumer -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Debug)
run(${CMAKE_COMMAND} --build ${work}/consumer)
run(${CMAKE_COMMAND} -E env ORRERY_CACHE=${work}/cache ${work}/consumer/embed ${CONSUMER}/vehicle.orr)
if(NOT output MATCHES "t = 59.9 s: 20.0.*without control since t = 30 s")
  message(FATAL_ERROR "${output}")
endif()
message(STATUS "${output}")
file(REMOVE_RECURSE ${work})
