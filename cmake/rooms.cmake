# The program except what depends on MPI: each room, the accountants and the command line are compiled to objects, and
# the program is linked from these.

# Rooms that know neither MPI nor HDF5, and the other rooms.
set(TRILEMMA_ROOMS_ON_NUMBERS base machine numeric settings problem privacy local)
set(TRILEMMA_OTHER_ROOMS h5 wire data compress record memory exchange schedule method claim experiment federation driver
  audit run sweep network bench)
# These rooms have no loop over coordinates or records in a round. With -O1 they compile in three quarters of the time.
set(TRILEMMA_ROOMS_AT_O1 base machine settings h5 data record schedule claim experiment audit run sweep network bench)
list(JOIN TRILEMMA_ROOMS_AT_O1 " " TRILEMMA_ROOMS_IN_WORDS)
string(APPEND TRILEMMA_FLAGS "; -O1 in cli ${TRILEMMA_ROOMS_IN_WORDS}")

# Random numbers, and numbers from bytes, are the same bits in vector and scalar code, so fused operations stand where
# the code says so and nowhere else.
set_source_files_properties(src/numeric/bytes.cpp src/numeric/integer_noise.cpp src/numeric/random.cpp
  src/numeric/random_lanes.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)
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

# trilemma_unite(NAME LIST): CMake's unity build cannot take kernels and sources with options of their own. In LIST, one
# file for each set of options replaces them and includes them. A kernel includes itself once for each set of vector
# instructions (Highway's foreach_target.h). The new file includes itself in place of its kernels, so the compiler reads
# the headers of Highway once.
function(trilemma_unite NAME LIST)
  set(UNITS)
  foreach(SOURCE IN LISTS ${LIST})
    get_source_file_property(OPTIONS ${SOURCE} COMPILE_OPTIONS)
    file(STRINGS ${SOURCE} IS_KERNEL LIMIT_COUNT 1 REGEX "^#include <hwy/foreach_target.h>")
    if(IS_KERNEL)
      string(MAKE_C_IDENTIFIER "${NAME}_kernels_${OPTIONS}" UNIT)
    elseif(OPTIONS)
      string(MAKE_C_IDENTIFIER "${NAME}_${OPTIONS}" UNIT)
    else()
      continue()
    endif()
    string(REPLACE "_NOTFOUND" "" UNIT ${UNIT})
    list(APPEND UNITS ${UNIT})
    set(OPTIONS_OF_${UNIT} ${OPTIONS})
    set(HAS_KERNELS_${UNIT} ${IS_KERNEL})
    string(APPEND INCLUDES_OF_${UNIT} "#include \"${SOURCE}\"\n")
    list(REMOVE_ITEM ${LIST} ${SOURCE})
  endforeach()
  list(REMOVE_DUPLICATES UNITS)
  foreach(UNIT IN LISTS UNITS)
    set(FILE ${PROJECT_BINARY_DIR}/units/${UNIT}.cpp)
    set(CONTENT ${INCLUDES_OF_${UNIT}})
    if(HAS_KERNELS_${UNIT})  # the last line undoes that each kernel names itself as the file to include
      set(NEXT "#undef HWY_TARGET_INCLUDE\n#define HWY_TARGET_INCLUDE \"${FILE}\"\n")
      set(CONTENT "${NEXT}#include <hwy/foreach_target.h>\n${CONTENT}${NEXT}")
    endif()
    file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT "${CONTENT}")
    set_source_files_properties(${FILE} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    if(OPTIONS_OF_${UNIT})
      set_source_files_properties(${FILE} PROPERTIES COMPILE_OPTIONS ${OPTIONS_OF_${UNIT}})
    endif()
    list(APPEND ${LIST} ${FILE})
  endforeach()
  set(${LIST} ${${LIST}} PARENT_SCOPE)
endfunction()

# trilemma_room(NAME LIBRARIES SOURCES...): the objects trilemma_room_NAME. A room is one compilation, which takes a third
# of the time. So a name that is local to a file must be unique in its room (make_rand_k, not make).
function(trilemma_room NAME LIBRARIES)
  set(ROOM trilemma_room_${NAME})
  set(SOURCES ${ARGN})
  if(TRILEMMA_UNITY)
    trilemma_unite(${NAME} SOURCES)
  endif()
  add_library(${ROOM} OBJECT ${SOURCES})
  target_link_libraries(${ROOM} PUBLIC ${LIBRARIES})
  set_target_properties(${ROOM} PROPERTIES UNITY_BUILD ${TRILEMMA_UNITY} UNITY_BUILD_BATCH_SIZE 0)
  # A precompiled header serves one set of options.
  set(HEADERS_OF trilemma_room_numeric)
  if(NAME IN_LIST TRILEMMA_ROOMS_AT_O1)
    target_compile_options(${ROOM} PRIVATE $<$<CONFIG:Release>:-O1>)
    set(HEADERS_OF trilemma_room_base)
  endif()
  if(ROOM STREQUAL HEADERS_OF)
    target_precompile_headers(${ROOM} PRIVATE ${TRILEMMA_COMMON_HEADERS})
  else()
    target_precompile_headers(${ROOM} REUSE_FROM ${HEADERS_OF})
  endif()
endfunction()

# The part of the room data that problems need. It reads no files.
set(TRILEMMA_RECORDS ${PROJECT_SOURCE_DIR}/src/data/dataset.cpp ${PROJECT_SOURCE_DIR}/src/data/scaling.cpp)
foreach(TRILEMMA_ROOM IN LISTS TRILEMMA_ROOMS_ON_NUMBERS TRILEMMA_OTHER_ROOMS)
  file(GLOB_RECURSE TRILEMMA_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${TRILEMMA_ROOM}/*.cpp)
  list(FILTER TRILEMMA_SOURCES EXCLUDE REGEX
    "/src/(base/clock|privacy/accountant/.*|problem/(plugin/python/.*|kernels/blas_.*))[.]cpp$")
  list(REMOVE_ITEM TRILEMMA_SOURCES ${TRILEMMA_RECORDS})
  if(TRILEMMA_ROOM STREQUAL base)
    list(APPEND TRILEMMA_SOURCES ${PROJECT_BINARY_DIR}/version.cpp)
  elseif(TRILEMMA_ROOM STREQUAL problem)
    list(APPEND TRILEMMA_SOURCES ${PROJECT_SOURCE_DIR}/src/problem/kernels/blas_${TRILEMMA_BLAS}.cpp)
  endif()
  if(TRILEMMA_ROOM IN_LIST TRILEMMA_ROOMS_ON_NUMBERS)
    trilemma_room(${TRILEMMA_ROOM} trilemma_number_libraries ${TRILEMMA_SOURCES})
    list(APPEND TRILEMMA_NUMBER_OBJECTS $<TARGET_OBJECTS:trilemma_room_${TRILEMMA_ROOM}>)
  else()
    trilemma_room(${TRILEMMA_ROOM} trilemma_libraries ${TRILEMMA_SOURCES})
    list(APPEND TRILEMMA_OTHER_OBJECTS $<TARGET_OBJECTS:trilemma_room_${TRILEMMA_ROOM}>)
  endif()
endforeach()
trilemma_room(records trilemma_number_libraries ${TRILEMMA_RECORDS})
list(APPEND TRILEMMA_NUMBER_OBJECTS $<TARGET_OBJECTS:trilemma_room_records>)
add_dependencies(trilemma_room_base revision)
target_include_directories(trilemma_room_base PRIVATE ${PROJECT_BINARY_DIR}/revision)
# A new revision compiles this file alone.
set_source_files_properties(${PROJECT_BINARY_DIR}/version.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# Layers, kernels, mechanisms and local steps: a library that is tested without MPI and HDF5.
add_library(trilemma_numbers STATIC ${TRILEMMA_NUMBER_OBJECTS} src/base/clock.cpp)
target_link_libraries(trilemma_numbers PUBLIC trilemma_number_libraries trilemma_accounting)
add_library(trilemma_core STATIC ${TRILEMMA_NUMBER_OBJECTS} ${TRILEMMA_OTHER_OBJECTS} $<TARGET_OBJECTS:trilemma_comm>)
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
set(TRILEMMA_OBJECTS $<TARGET_OBJECTS:trilemma_cli> ${TRILEMMA_NUMBER_OBJECTS} ${TRILEMMA_OTHER_OBJECTS}
  $<TARGET_OBJECTS:trilemma_accounting>)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/objects.txt
  CONTENT "${TRILEMMA_OBJECTS_MADE_FOR}\n$<JOIN:${TRILEMMA_OBJECTS},\n>\n")
add_custom_target(trilemma_objects DEPENDS ${TRILEMMA_OBJECTS})
