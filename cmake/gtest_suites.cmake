# A ctest test for each suite of a GoogleTest program, instead of a process for each of its tests: most of these take
# less time than their process. A parametrised suite `Rows/Suite` is one test too. A test that is skipped does not show;
# where that matters use gtest_discover_tests.

# gtest_discover_suites(TARGET LIST FILTER PROPERTIES...): the suites that the filter leaves, found when TARGET is built
# and written to LIST.cmake.
function(gtest_discover_suites TARGET LIST FILTER)
  set(FILE ${CMAKE_CURRENT_BINARY_DIR}/${LIST}.cmake)
  set(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/write_gtest_suites.cmake)
  add_custom_command(TARGET ${TARGET} POST_BUILD BYPRODUCTS ${FILE} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${TARGET}> -D FILTER=${FILTER} -D OUT=${FILE}
            -D "PROPERTIES=${ARGN}" -P ${SCRIPT})
  set_property(TARGET ${TARGET} APPEND PROPERTY LINK_DEPENDS ${SCRIPT})
  # As long as the program is not built, the other tests can be run.
  set(GUARD ${CMAKE_CURRENT_BINARY_DIR}/${LIST}_if_built.cmake)
  file(CONFIGURE OUTPUT ${GUARD} @ONLY CONTENT
    "if(EXISTS \"@FILE@\")\n  include(\"@FILE@\")\nelse()\n  add_test(@LIST@_NOT_BUILT @LIST@_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${GUARD})
endfunction()
