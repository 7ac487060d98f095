# A ctest test for each suite of a GoogleTest program, instead of a process for each of its tests: most of these take
# less time than their process. A parametrised suite `Rows/Suite` is one test too.

# gtest_discover_suites(TARGET FILTER PROPERTIES...): the suites that the filter leaves, found when TARGET is built.
function(gtest_discover_suites TARGET LIST FILTER)
  set(FILE ${CMAKE_CURRENT_BINARY_DIR}/${LIST}.cmake)
  add_custom_command(TARGET ${TARGET} POST_BUILD BYPRODUCTS ${FILE} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${TARGET}> -D FILTER=${FILTER} -D OUT=${FILE}
            -D "PROPERTIES=${ARGN}" -P ${PROJECT_SOURCE_DIR}/cmake/write_gtest_suites.cmake)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${FILE})
endfunction()
