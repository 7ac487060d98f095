# needed_instructions.hpp: what the compiler may use beyond the first x86-64 processors, as TRILEMMA_NEEDED(need)
# with one need("name") for each set of instructions (src/cli/processor.cpp). Other architectures are not checked.
set(TRILEMMA_CHECKS_PROCESSOR OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(TRILEMMA_CHECKS_PROCESSOR ON)
  set(TRILEMMA_NEEDED)
  separate_arguments(TRILEMMA_PROCESSOR_FLAGS UNIX_COMMAND
    "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${TRILEMMA_BUILD_TYPE}} ${TRILEMMA_PROCESSOR_OPTION}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${TRILEMMA_PROCESSOR_FLAGS} -dM -E -x c++ /dev/null
    OUTPUT_VARIABLE TRILEMMA_MACROS COMMAND_ERROR_IS_FATAL ANY)
  foreach(TRILEMMA_SET IN ITEMS sse3 ssse3 sse4.1 sse4.2 popcnt avx avx2 fma bmi bmi2 avx512f avx512cd avx512bw avx512dq
      avx512vl avx512vbmi avx512vbmi2 avx512vnni avx512bitalg avx512vpopcntdq gfni)
    string(TOUPPER "${TRILEMMA_SET}" TRILEMMA_MACRO)
    string(REPLACE "." "_" TRILEMMA_MACRO "__${TRILEMMA_MACRO}__")
    if(TRILEMMA_MACROS MATCHES "#define ${TRILEMMA_MACRO} 1")
      string(APPEND TRILEMMA_NEEDED " need(\"${TRILEMMA_SET}\")")
    endif()
  endforeach()
  # The check itself must run everywhere.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cli/processor.cpp PROPERTIES COMPILE_OPTIONS "-march=x86-64"
    SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  set(TRILEMMA_REMEDY "build it here with -DTRILEMMA_NATIVE=ON")
  if(TRILEMMA_NATIVE)
    set(TRILEMMA_REMEDY "build it here, or anywhere with -DTRILEMMA_NATIVE=OFF")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/processor/cli/needed_instructions.hpp @ONLY
    CONTENT "#define TRILEMMA_NEEDED(need)@TRILEMMA_NEEDED@\n#define TRILEMMA_REMEDY \"@TRILEMMA_REMEDY@\"\n")
endif()
