# Writes OUT: add_test for each suite of PROGRAM that FILTER leaves, with PROPERTIES.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER} OUTPUT_VARIABLE LISTED
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[^\n]*\n?main[^\n]*\n" "" LISTED "${LISTED}")
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\.[^\n]*" LINES "${LISTED}")
string(REPLACE ";" " " QUOTED "${PROPERTIES}")
set(SCRIPT)
foreach(LINE IN LISTS LINES)
  string(REGEX MATCH "[A-Za-z0-9_/]+\\." SUITE "${LINE}")
  string(REGEX REPLACE "\\.$" "" NAME "${SUITE}")
  string(APPEND SCRIPT "add_test([=[${NAME}]=] \"${PROGRAM}\" [=[--gtest_filter=${NAME}.*]=] --gtest_brief=1)\n"
    "set_tests_properties([=[${NAME}]=] PROPERTIES ${QUOTED})\n")
endforeach()
if(NOT SCRIPT)
  message(FATAL_ERROR "${PROGRAM} has no test that fits ${FILTER}")
endif()
file(WRITE ${OUT} "${SCRIPT}")
