# A Debian package of what `cmake --install` installs, without the library of the accountants and the module file:
# `cpack -G DEB` in the folder of the build. Name, licence and authors are those of CITATION.cff.

file(READ ${PROJECT_SOURCE_DIR}/CITATION.cff TRILEMMA_CITATION)
string(REGEX MATCH "\nauthors:\n(( [^\n]*\n)+)" TRILEMMA_AUTHORS "${TRILEMMA_CITATION}")
string(REGEX REPLACE "family-names: ([^\n]*)\n *given-names: ([^\n]*)" "name: \\2 \\1" TRILEMMA_AUTHORS
  "${CMAKE_MATCH_1}")
string(REGEX REPLACE " *- name: ([^\n]*)\n" "\\1;" TRILEMMA_AUTHORS "${TRILEMMA_AUTHORS}")
list(REMOVE_ITEM TRILEMMA_AUTHORS "")
list(JOIN TRILEMMA_AUTHORS ", " TRILEMMA_AUTHORS)
string(REGEX MATCH "\nabstract: >-\n(( [^\n]*\n)+)" TRILEMMA_ABSTRACT "${TRILEMMA_CITATION}")
string(REGEX REPLACE "\n? +" " " TRILEMMA_ABSTRACT "${CMAKE_MATCH_1}")
string(STRIP "${TRILEMMA_ABSTRACT}" TRILEMMA_ABSTRACT)

set(CPACK_PACKAGE_NAME trilemma)
set(CPACK_PACKAGE_VENDOR "${TRILEMMA_AUTHORS}")
set(CPACK_PACKAGE_CONTACT "${TRILEMMA_AUTHORS}")
set(CPACK_PACKAGE_DESCRIPTION "${TRILEMMA_ABSTRACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# jobs/submit is Python, job scripts are bash. The analysis needs the modules, several ranks the launcher.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.8)")
set(TRILEMMA_LAUNCHER openmpi-bin)
if("${MPI_CXX_LIBRARIES}" MATCHES mpich)
  set(TRILEMMA_LAUNCHER mpich)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "${TRILEMMA_LAUNCHER}, python3-h5py, python3-matplotlib, python3-numpy, python3-pandas, python3-scipy")
if(TRILEMMA_CITATION MATCHES "\nrepository-code: *\"?([^\n\"]+)")
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${CMAKE_MATCH_1})
endif()
# Where Debian looks for the licence.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT debian EXCLUDE_FROM_ALL)
include(CPack)
