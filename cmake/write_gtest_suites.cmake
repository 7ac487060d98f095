# Writes OUT: add_test for each suite of PROGRAM that FILTER leaves, with PROPERTIES.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER} OUTPUT_VARIABLE LISTED
  COMMAND_ERROR_IS_FATAL ANY)
# A line that is not indented and ends with a dot, or with one and a comment, is a suite.
string(REGEX MATCHALL "\n[^ \n][^\n]*\\.[^ \n]*(  #[^\n]*)?" EXPECTED "\n${LISTED}")
list(FILTER EXPECTED EXCLUDE REGEX "Running main")
string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\." SUITES "\n${LISTED}")
list(LENGTH EXPECTED EXPECTED_COUNT)
list(LENGTH SUITES COUNT)
if(COUNT EQUAL 0 OR NOT COUNT EQUAL EXPECTED_COUNT)
  message(FATAL_ERROR "${PROGRAM} lists ${EXPECTED_COUNT} suites that fit ${FILTER}, of which ${COUNT} were understood")
endif()
string(REPLACE ";" " " QUOTED "${PROPERTIES}")
set(SCRIPT)
foreach(SUITE IN LISTS SUITES)
  string(REGEX REPLACE "[\n.]" "" NAME "${SUITE}")
  string(APPEND SCRIPT "add_test([=[${NAME}]=] \"${PROGRAM}\" [=[--gtest_filter=${NAME}.*]=] --gtest_brief=1)\n"
    "set_tests_properties([=[${NAME}]=] PROPERTIES ${QUOTED})\n")
endforeach()
file(WRITE ${OUT} "${SCRIPT}")
