# What `cmake --install` takes along: the program, jobs, the analysis package, documents and a module file. In
# share/trilemma everything lies as in the repository, so that jobs/submit finds templates, package and interpreter.

set(TRILEMMA_SHARE ${CMAKE_INSTALL_DATADIR}/trilemma)
install(TARGETS trilemma RUNTIME COMPONENT program)
install(DIRECTORY jobs DESTINATION ${TRILEMMA_SHARE} COMPONENT program USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE)
install(DIRECTORY analysis/trilemma_analysis DESTINATION ${TRILEMMA_SHARE}/analysis COMPONENT program
  PATTERN __pycache__ EXCLUDE)
install(DIRECTORY packaging/reframe packaging/ramble packaging/benchpark DESTINATION ${TRILEMMA_SHARE}/packaging
  COMPONENT program PATTERN __pycache__ EXCLUDE)
install(PROGRAMS scripts/analysis scripts/derive-data scripts/get-data scripts/python DESTINATION ${TRILEMMA_SHARE}/scripts
  COMPONENT program)
install(FILES scripts/common.sh scripts/datasets.tsv DESTINATION ${TRILEMMA_SHARE}/scripts COMPONENT program)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# The pages that the program prints, as scripts/printed_pages.py finds them. A program for another processor cannot print;
# its pages then name the command.
install(CODE "
  file(GLOB TRILEMMA_PAGES \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/docs/reference/*.md\")
  foreach(TRILEMMA_PAGE IN LISTS TRILEMMA_PAGES)
    file(STRINGS \"\${TRILEMMA_PAGE}\" TRILEMMA_MARK REGEX \"^<!-- printed by: trilemma reference [a-z-]+ -->$\")
    if(TRILEMMA_MARK)
      string(REGEX REPLACE \".* ([a-z-]+) -->$\" \"\\\\1\" TRILEMMA_MARK \"\${TRILEMMA_MARK}\")
      execute_process(COMMAND \"$<TARGET_FILE:trilemma>\" reference \${TRILEMMA_MARK} OUTPUT_FILE \"\${TRILEMMA_PAGE}.new\"
        RESULT_VARIABLE TRILEMMA_CODE ERROR_QUIET)
      if(TRILEMMA_CODE EQUAL 0)
        file(RENAME \"\${TRILEMMA_PAGE}.new\" \"\${TRILEMMA_PAGE}\")
      else()
        file(REMOVE \"\${TRILEMMA_PAGE}.new\")
        message(WARNING \"the program does not print \${TRILEMMA_PAGE} here\")
      endif()
    endif()
  endforeach()" COMPONENT program)

# Commands in PATH, as links: both look for the rest next to the file that the link names.
file(RELATIVE_PATH TRILEMMA_SHARE_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/trilemma)
foreach(TRILEMMA_COMMAND IN ITEMS submit=jobs/submit analysis=scripts/analysis)
  string(REGEX MATCH "(.*)=(.*)" TRILEMMA_COMMAND ${TRILEMMA_COMMAND})
  set(TRILEMMA_LINK ${PROJECT_BINARY_DIR}/links/trilemma-${CMAKE_MATCH_1})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/links)
  file(CREATE_LINK ${TRILEMMA_SHARE_FROM_BIN}/${CMAKE_MATCH_2} ${TRILEMMA_LINK} SYMBOLIC)
  install(FILES ${TRILEMMA_LINK} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endforeach()

# Written while it is installed: the prefix is known only then.
set(TRILEMMA_MODULES "" CACHE STRING "modules that the module file loads, for instance gcc/12.2;openmpi/4.1.4")
install(CODE "
  if(NOT DEFINED TRILEMMA_MODULES)
    set(TRILEMMA_MODULES \"${TRILEMMA_MODULES}\")
  endif()
  list(TRANSFORM TRILEMMA_MODULES PREPEND \"depends-on \")
  list(JOIN TRILEMMA_MODULES \"\\n\" TRILEMMA_DEPENDENCIES)
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(MPIEXEC_EXECUTABLE \"${MPIEXEC_EXECUTABLE}\")
  set(TRILEMMA_PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
  cmake_path(ABSOLUTE_PATH TRILEMMA_PREFIX NORMALIZE)
  set(TRILEMMA_BIN \"\${TRILEMMA_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(TRILEMMA_DATA \"\${TRILEMMA_PREFIX}/${TRILEMMA_SHARE}\")
  set(TRILEMMA_DOC \"\${TRILEMMA_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  set(TRILEMMA_MODULE \"\${TRILEMMA_DATA}/modulefiles/trilemma/${PROJECT_VERSION}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/modulefile.in\" \"\$ENV{DESTDIR}\${TRILEMMA_MODULE}\" @ONLY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${TRILEMMA_MODULE}\")
  message(STATUS \"Module file: \$ENV{DESTDIR}\${TRILEMMA_MODULE}\")" COMPONENT module)
