# Every library through its own find_package where it has one; imported targets for the others.

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus CONFIG REQUIRED)

# The headers alone: see src/numeric/vectors.cpp.
find_path(HIGHWAY_INCLUDE_DIR hwy/foreach_target.h REQUIRED)
add_library(trilemma::highway INTERFACE IMPORTED)
target_include_directories(trilemma::highway INTERFACE ${HIGHWAY_INCLUDE_DIR})

find_package(OpenBLAS CONFIG QUIET)
if(NOT OpenBLAS_FOUND)
  set(BLA_VENDOR OpenBLAS)
  find_package(BLAS REQUIRED)
  set(OpenBLAS_LIBRARIES ${BLAS_LIBRARIES})
  find_path(OpenBLAS_INCLUDE_DIRS cblas.h PATH_SUFFIXES openblas openblas-pthread REQUIRED)
endif()
add_library(trilemma::openblas INTERFACE IMPORTED)
target_link_libraries(trilemma::openblas INTERFACE ${OpenBLAS_LIBRARIES})
target_include_directories(trilemma::openblas INTERFACE ${OpenBLAS_INCLUDE_DIRS})

find_package(PkgConfig REQUIRED)
pkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET GLOBAL libsodium)
add_library(trilemma::sodium ALIAS PkgConfig::SODIUM)
pkg_check_modules(ZIP REQUIRED IMPORTED_TARGET GLOBAL libzip)
add_library(trilemma::zip ALIAS PkgConfig::ZIP)

find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
find_library(CSV_LIBRARY csv REQUIRED)
add_library(trilemma::csv INTERFACE IMPORTED)
target_include_directories(trilemma::csv INTERFACE ${CSV_INCLUDE_DIR})
target_link_libraries(trilemma::csv INTERFACE ${CSV_LIBRARY})

find_package(Boost REQUIRED)  # headers: Boost.Math
find_path(KISSFFT_INCLUDE_DIR kissfft/kissfft.hh REQUIRED)
add_library(trilemma::kissfft INTERFACE IMPORTED)
target_include_directories(trilemma::kissfft INTERFACE ${KISSFFT_INCLUDE_DIR})

find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
add_library(trilemma::random123 INTERFACE IMPORTED)
target_include_directories(trilemma::random123 INTERFACE ${RANDOM123_INCLUDE_DIR})

if(TRILEMMA_TESTS)
  find_package(GTest REQUIRED)
endif()
if(TRILEMMA_BENCH)
  find_package(benchmark REQUIRED)
endif()
