cmake_minimum_required(VERSION 3.25)
# Writes REVISION_FILE with the commit of SOURCE if it has changed; run at every build.

execute_process(COMMAND git describe --always --dirty --abbrev=12
  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision "unknown")
endif()
set(state "no")
set(clean "true")
if(revision STREQUAL "unknown")
  set(state "not available")
  set(clean "false")
elseif(revision MATCHES "-dirty$")
  set(state "yes")
  set(clean "false")
endif()
file(CONFIGURE OUTPUT ${REVISION_FILE} CONTENT
  "#define TRILEMMA_GIT_REVISION \"@revision@\"\n#define TRILEMMA_SOURCE_STATE \"@state@\"\n#define TRILEMMA_SOURCE_CLEAN @clean@\n" @ONLY)
