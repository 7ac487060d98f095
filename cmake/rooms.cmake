# The program except what depends on MPI: the accountants, the rooms and the command line are compiled to objects, and the
# program is linked from these.

file(GLOB_RECURSE TRILEMMA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(REMOVE_ITEM TRILEMMA_SOURCES ${PROJECT_SOURCE_DIR}/src/main.cpp)
list(FILTER TRILEMMA_SOURCES EXCLUDE REGEX "/src/(privacy/accountant|cli|comm|problem/plugin/python)/|/base/clock.cpp$")
list(FILTER TRILEMMA_SOURCES EXCLUDE REGEX "/src/problem/kernels/blas_.*[.]cpp$")
list(APPEND TRILEMMA_SOURCES ${PROJECT_SOURCE_DIR}/src/problem/kernels/blas_${TRILEMMA_BLAS}.cpp)
# Rooms that compute nothing in a round are compiled with -O1, which takes a quarter less time.
set(TRILEMMA_RUN_SOURCES)
foreach(TRILEMMA_ROOM IN ITEMS audit bench claim data experiment h5 network record run schedule settings sweep)
  file(GLOB TRILEMMA_ROOM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${TRILEMMA_ROOM}/*.cpp)
  list(APPEND TRILEMMA_RUN_SOURCES ${TRILEMMA_ROOM_SOURCES})
endforeach()
# Random numbers, and numbers from bytes, are the same bits in vector and scalar code, so fused operations stand where
# the code says so and nowhere else.
set_source_files_properties(src/numeric/bytes.cpp src/numeric/random.cpp src/numeric/random_lanes.cpp PROPERTIES
  COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)
# The same holds for grouped rows, whose products are rounded before they are added, and rows that are not; and for the
# norms of gradients, which other code computes too; and for layers, which promise the same bits on all processors.
set_source_files_properties(src/problem/logistic.cpp src/problem/kernels/record_factors.cpp
  src/problem/kernels/channels.cpp src/problem/kernels/gelu.cpp src/problem/layers/attention_layer.cpp
  src/problem/layers/batch_norm_layer.cpp src/problem/layers/embedding_layer.cpp src/problem/layers/norm_layer.cpp
  src/problem/layers/positions_layer.cpp PROPERTIES
  COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)
# There (x + c) - c is meant, whatever flags a user adds.
set_source_files_properties(src/numeric/rounded_add.cpp PROPERTIES COMPILE_OPTIONS -fno-associative-math
  SKIP_PRECOMPILE_HEADERS ON)
# Read once instead of for every source, which still includes what it uses (for headers, see the test `headers`).
set(TRILEMMA_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <limits> <map>
  <memory> <numeric> <optional> <span> <string> <string_view> <vector> <fmt/format.h>)
configure_file(src/base/version.cpp.in ${PROJECT_BINARY_DIR}/version.cpp @ONLY)
set(TRILEMMA_REVISION_FILE ${PROJECT_BINARY_DIR}/revision/revision.hpp)
add_custom_target(revision BYPRODUCTS ${TRILEMMA_REVISION_FILE}
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D REVISION_FILE=${TRILEMMA_REVISION_FILE}
          -P ${PROJECT_SOURCE_DIR}/cmake/revision.cmake)

# The accountants, a library of their own: no MPI, no HDF5, no Eigen, nothing of the rest.
file(GLOB TRILEMMA_ACCOUNTING_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/privacy/accountant/*.cpp)
add_library(trilemma_accounting STATIC ${TRILEMMA_ACCOUNTING_SOURCES})
target_compile_features(trilemma_accounting PUBLIC cxx_std_20)
target_include_directories(trilemma_accounting PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/trilemma>)
set_target_properties(trilemma_accounting PROPERTIES UNITY_BUILD ${TRILEMMA_UNITY})
target_link_libraries(trilemma_accounting PRIVATE $<BUILD_INTERFACE:trilemma_options;trilemma::kissfft;Boost::headers>)
install(TARGETS trilemma_accounting EXPORT trilemma_accounting COMPONENT accounting)
install(DIRECTORY src/privacy/accountant/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/trilemma/privacy/accountant
  COMPONENT accounting FILES_MATCHING PATTERN "*.hpp")
install(EXPORT trilemma_accounting NAMESPACE trilemma:: FILE trilemma_accounting-config.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/trilemma_accounting COMPONENT accounting)

# Two sets of objects, since a header that was compiled beforehand serves one set of options.
add_library(trilemma_run OBJECT ${TRILEMMA_RUN_SOURCES})
target_compile_options(trilemma_run PRIVATE $<$<CONFIG:Release>:-O1>)
list(REMOVE_ITEM TRILEMMA_SOURCES ${TRILEMMA_RUN_SOURCES})
add_library(trilemma_rooms OBJECT ${TRILEMMA_SOURCES} ${PROJECT_BINARY_DIR}/version.cpp)
add_dependencies(trilemma_rooms revision)
target_include_directories(trilemma_rooms PRIVATE ${PROJECT_BINARY_DIR}/revision)
foreach(TRILEMMA_PART IN ITEMS trilemma_run trilemma_rooms)
  target_link_libraries(${TRILEMMA_PART} PUBLIC trilemma_libraries)
  target_precompile_headers(${TRILEMMA_PART} PRIVATE ${TRILEMMA_COMMON_HEADERS})
  # A room is one compilation: a third of the time. So what a file keeps to itself needs a name that no other file of
  # its room has (make_rand_k, not make). Sources with options of their own are left out by CMake.
  set_target_properties(${TRILEMMA_PART} PROPERTIES UNITY_BUILD ${TRILEMMA_UNITY} UNITY_BUILD_MODE GROUP)
endforeach()
foreach(TRILEMMA_SOURCE IN LISTS TRILEMMA_SOURCES TRILEMMA_RUN_SOURCES)
  cmake_path(RELATIVE_PATH TRILEMMA_SOURCE BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE TRILEMMA_ROOM)
  string(REGEX REPLACE "/.*" "" TRILEMMA_ROOM ${TRILEMMA_ROOM})
  set_source_files_properties(${TRILEMMA_SOURCE} PROPERTIES UNITY_GROUP ${TRILEMMA_ROOM})
  # Kernels include themselves, once for each set of vector instructions.
  file(STRINGS ${TRILEMMA_SOURCE} TRILEMMA_IS_KERNEL LIMIT_COUNT 1 REGEX "^#include <hwy/foreach_target.h>")
  if(TRILEMMA_IS_KERNEL)
    set_source_files_properties(${TRILEMMA_SOURCE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endforeach()

add_library(trilemma_core STATIC $<TARGET_OBJECTS:trilemma_rooms> $<TARGET_OBJECTS:trilemma_run>
  $<TARGET_OBJECTS:trilemma_comm>)
set_target_properties(trilemma_core PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(trilemma_core PUBLIC trilemma_libraries trilemma_accounting MPI::MPI_CXX)

file(GLOB TRILEMMA_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
if(NOT TRILEMMA_CHECKS_PROCESSOR)
  list(FILTER TRILEMMA_CLI_SOURCES EXCLUDE REGEX "/src/cli/processor.cpp$")
endif()
add_library(trilemma_cli OBJECT src/main.cpp ${TRILEMMA_CLI_SOURCES})
target_include_directories(trilemma_cli PRIVATE ${PROJECT_BINARY_DIR}/processor)
target_link_libraries(trilemma_cli PUBLIC trilemma_libraries CLI11::CLI11)
# Nothing there takes time to run, and -O1 compiles faster. One unit: CLI11 and fmt are compiled once.
target_compile_options(trilemma_cli PRIVATE $<$<CONFIG:Release>:-O1>)
set_target_properties(trilemma_cli PROPERTIES UNITY_BUILD ${TRILEMMA_UNITY} UNITY_BUILD_BATCH_SIZE 0)
add_executable(trilemma $<TARGET_OBJECTS:trilemma_cli>)
set_target_properties(trilemma PROPERTIES LINKER_LANGUAGE CXX)
# All of the library: two functions of one name are an error then, not a choice of the linker.
target_link_libraries(trilemma PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,trilemma_core>)

# For programs with another MPI (TRILEMMA_OBJECTS_OF).
set(TRILEMMA_OBJECTS $<TARGET_OBJECTS:trilemma_cli> $<TARGET_OBJECTS:trilemma_rooms> $<TARGET_OBJECTS:trilemma_run>
  $<TARGET_OBJECTS:trilemma_accounting>)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/objects.txt
  CONTENT "${TRILEMMA_OBJECTS_MADE_FOR}\n$<JOIN:${TRILEMMA_OBJECTS},\n>\n")
add_custom_target(trilemma_objects)
add_dependencies(trilemma_objects trilemma_cli trilemma_rooms trilemma_run trilemma_accounting)
