cmake_minimum_required(VERSION 3.25)
# Writes REVISION_FILE with the commit of SOURCE if it has changed; run at every build. The commit is that of the
# checkout, or else the one that `git archive` wrote into archive_revision.txt.

# A repository around an unpacked archive is not that of the source.
execute_process(COMMAND git rev-parse --show-prefix
  WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE failed OUTPUT_VARIABLE inside OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
set(revision "")
if(failed EQUAL 0 AND inside STREQUAL "")
  execute_process(COMMAND git describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(state "no")
set(clean "true")
if(NOT revision)
  set(archived "")
  if(EXISTS ${SOURCE}/cmake/archive_revision.txt)
    file(STRINGS ${SOURCE}/cmake/archive_revision.txt archived LIMIT_COUNT 1)
  endif()
  if(archived MATCHES "^[0-9a-f]+$")
    string(SUBSTRING ${archived} 0 12 revision)
    set(state "not known (archive)")
  else()
    set(revision "unknown")
    set(state "not available")
    set(clean "false")
  endif()
elseif(revision MATCHES "-dirty$")
  set(state "yes")
  set(clean "false")
endif()
file(CONFIGURE OUTPUT ${REVISION_FILE} CONTENT
  "#define TRILEMMA_GIT_REVISION \"@revision@\"\n#define TRILEMMA_SOURCE_STATE \"@state@\"\n#define TRILEMMA_SOURCE_CLEAN @clean@\n" @ONLY)
