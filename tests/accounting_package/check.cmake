# Installs the component `accounting` of BUILD into an empty directory, builds the consumer against it
# alone and runs it. Called with -D BUILD, CONSUMER, WORK, GENERATOR, COMPILER.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --component accounting --prefix ${WORK}/installed)
file(GLOB_RECURSE files RELATIVE ${WORK}/installed ${WORK}/installed/*)
foreach(file IN LISTS files)
  if(NOT file MATCHES "^include/trilemma/privacy/accountant/[a-z_]+\\.hpp$|/libtrilemma_accounting\\.a$|/cmake/trilemma_accounting/[a-z_-]+\\.cmake$")
    message(FATAL_ERROR "not a part of the accountants: ${file}")
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_PREFIX_PATH=${WORK}/installed -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
message(STATUS "epsilon of the consumer: ${out}")
