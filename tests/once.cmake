# Tests of what does not depend on the width of numbers: words, files, processes, rules of the tree. One build runs them.

# --- Every header compiles, and twice; that it could alone, a script sees ------------------------
# A compilation for each header would take as long as a sixth of the program.
file(GLOB_RECURSE TRILEMMA_HEADERS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src
  ${PROJECT_SOURCE_DIR}/src/*.hpp)
set(TRILEMMA_HEADER_LINES)
foreach(TRILEMMA_HEADER IN LISTS TRILEMMA_HEADERS TRILEMMA_HEADERS)
  string(APPEND TRILEMMA_HEADER_LINES "#include \"${TRILEMMA_HEADER}\"\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp CONTENT "${TRILEMMA_HEADER_LINES}")
add_library(headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
target_link_libraries(headers PRIVATE trilemma_core CLI11::CLI11)
target_compile_options(headers PRIVATE -O0 -g0)
set_target_properties(headers PROPERTIES CXX_CLANG_TIDY "")
add_test(NAME headers
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/check_headers.py ${PROJECT_SOURCE_DIR}/src)
set_tests_properties(headers PROPERTIES LABELS layering TIMEOUT 300)

# --- A processor that lacks instructions ----------------------------------------------------------
# XOP was in one line of processors only, which no machine of today has.
if(TRILEMMA_CHECKS_PROCESSOR)
  add_executable(trilemma_other_processor cli/other_processor.cpp ${PROJECT_SOURCE_DIR}/src/cli/processor.cpp)
  target_include_directories(trilemma_other_processor PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/other_processor)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/other_processor/cli/needed_instructions.hpp
    CONTENT "#define TRILEMMA_NEEDED(need) need(\"sse2\") need(\"xop\")\n#define TRILEMMA_REMEDY \"build it here\"\n")
  add_test(NAME other_processor COMMAND trilemma_other_processor)
  set_tests_properties(other_processor PROPERTIES LABELS unit TIMEOUT 30
    PASS_REGULAR_EXPRESSION "compiled for a processor with xop instructions.*build it here" FAIL_REGULAR_EXPRESSION "started")
endif()

# --- Rules of the source tree ---------------------------------------------------------------------
add_test(NAME layering
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/check_layering.py
          ${PROJECT_SOURCE_DIR}/src)
add_test(NAME layering_self_test
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/self_test.py)
add_test(NAME documents
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/documents/check_documents.py ${PROJECT_SOURCE_DIR}
          $<TARGET_FILE:trilemma>)
add_test(NAME documents_words
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/documents/check_words.py ${PROJECT_SOURCE_DIR})
add_test(NAME documents_words_self_test
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/documents/words_self_test.py)
add_test(NAME writers
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/check_writers.py ${PROJECT_SOURCE_DIR})
add_test(NAME decisions
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/check_decisions.py ${PROJECT_SOURCE_DIR})
add_test(NAME layering_analysis
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/check_analysis.py ${PROJECT_SOURCE_DIR})
add_test(NAME layering_analysis_self_test
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/analysis_self_test.py)
add_test(NAME decisions_self_test
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/layering/decisions_self_test.py)
set_tests_properties(layering layering_analysis layering_analysis_self_test layering_self_test writers documents
                     documents_words documents_words_self_test decisions decisions_self_test PROPERTIES LABELS layering TIMEOUT 300)

# --- The site of the documents ---------------------------------------------------------------------
add_test(NAME documents_site COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/docs)
set_tests_properties(documents_site PROPERTIES LABELS layering TIMEOUT 120
  ENVIRONMENT "TRILEMMA_PROGRAM=$<TARGET_FILE:trilemma>" SKIP_REGULAR_EXPRESSION "mkdocs is not installed")

# --- Examples of README and docs -------------------------------------------------------------------
trilemma_python_test(documents_examples ${CMAKE_CURRENT_SOURCE_DIR}/documents/test_examples.py LABELS run TIMEOUT 900)
set_property(TEST documents_examples APPEND PROPERTY
  ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py numpy matplotlib pandas scipy pytest")

# --- Pictures of README and docs --------------------------------------------------------------------
trilemma_python_test(documents_pictures ${CMAKE_CURRENT_SOURCE_DIR}/documents/test_pictures.py LABELS run)
set_property(TEST documents_pictures APPEND PROPERTY
  ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py numpy matplotlib pandas scipy pytest")

# --- The table of all experiments of the papers --------------------------------------------------------
trilemma_python_test(documents_reproductions ${CMAKE_CURRENT_SOURCE_DIR}/documents/test_reproductions.py LABELS run)
set_property(TEST documents_reproductions APPEND PROPERTY
  ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py numpy matplotlib pandas scipy pytest")

# --- An entry in the reference for every method and part -------------------------------------------
trilemma_python_test(documents_entries ${CMAKE_CURRENT_SOURCE_DIR}/documents/test_entries.py LABELS run)

# --- Whole runs of the program: what needs more than its file ------------------------------------
# With a limit on the time until something ends.
set_tests_properties(run_faults PROPERTIES RUN_SERIAL ON)
set_tests_properties(run_network run_strict_pairs run_submit_study PROPERTIES PROCESSORS 2)
# With scripts/test --all these run ten times as many cases.
set_tests_properties(run_disk_fault run_bench_scripts PROPERTIES TIMEOUT 1800)
set_tests_properties(run_strict_pairs PROPERTIES TIMEOUT 3600)
# A minute of benchmark runs; the unit tests of the judgement run each time.
set_tests_properties(run_bench_faults PROPERTIES LABELS long)

# Many more random experiments than each time.
add_test(NAME claims_of_random_experiments COMMAND trilemma_tests --gtest_filter=Claims.NoRandomExperiment*)
set_tests_properties(claims_of_random_experiments PROPERTIES LABELS long TIMEOUT 3600
  ENVIRONMENT "TRILEMMA_CLAIMS=20000;TRILEMMA_CLAIMS_SEED=7")

# --- Jobs (Python, tests/jobs/) --------------------------------------------------------------------
# The tests of jobs/submit imitate program and batch system; slurm and slurm_placement start a Slurm of their own and
# are skipped if there is none.
foreach(TRILEMMA_JOB_TEST IN ITEMS submit submit_local submit_placement submit_checks submit_writing)
  trilemma_python_test(run_${TRILEMMA_JOB_TEST} ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_${TRILEMMA_JOB_TEST}.py LABELS run)
endforeach()
trilemma_python_test(run_reproduce ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_reproduce.py LABELS run)
set_property(TEST run_reproduce APPEND PROPERTY
  ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py numpy matplotlib pandas scipy pytest")
trilemma_python_test(slurm ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_slurm.py LABELS slurm TIMEOUT 1200 RUN_SERIAL ON
  SKIP_REGULAR_EXPRESSION "Slurm is not installed|cannot start a Slurm")
trilemma_python_test(slurm_placement ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_slurm_placement.py LABELS slurm TIMEOUT 400
  RUN_SERIAL ON SKIP_REGULAR_EXPRESSION "Slurm is not installed|cannot start a Slurm")

# The program of the preset `mpich`, compared with this one: skipped where it is not built.
trilemma_python_test(mpich ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_mpich.py LABELS mpich TIMEOUT 300 PROCESSORS 2
  SKIP_REGULAR_EXPRESSION "there is no program with MPICH")

# The program of the preset `clang` with other BLAS libraries: skipped where it is not built.
trilemma_python_test(clang ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_clang.py LABELS clang TIMEOUT 300
  SKIP_REGULAR_EXPRESSION "there is no program by Clang")

# The program of the preset `simgrid` on simulated ranks: skipped where it is not built.
trilemma_python_test(simgrid ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_simgrid.py LABELS simgrid TIMEOUT 300
  SKIP_REGULAR_EXPRESSION "there is no program for SimGrid")

# Nodes on as many simulated ranks.
trilemma_python_test(simgrid_nodes ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_simgrid_nodes.py LABELS simgrid TIMEOUT 300
  SKIP_REGULAR_EXPRESSION "there is no program for SimGrid")
trilemma_python_test(simgrid_1024_nodes ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_simgrid_nodes.py TIMEOUT 1800
  SKIP_REGULAR_EXPRESSION "there is no program for SimGrid")
set_tests_properties(simgrid_1024_nodes PROPERTIES LABELS "simgrid;long")
set_property(TEST simgrid_1024_nodes APPEND PROPERTY ENVIRONMENT TRILEMMA_SIMULATED_NODES=1024)

trilemma_python_test(simgrid_many ${CMAKE_CURRENT_SOURCE_DIR}/jobs/test_simgrid_many.py LABELS long
  TIMEOUT 1800 RUN_SERIAL ON SKIP_REGULAR_EXPRESSION "there is no program for SimGrid")
set_tests_properties(simgrid_many PROPERTIES LABELS "simgrid;long")

# --- Tables and figures (Python, analysis/tests/) -------------------------------------------------
# Every sixth file in a process: pandas and matplotlib take two seconds to be imported.
set(TRILEMMA_ANALYSIS_PROCESSES 6)
file(GLOB TRILEMMA_ANALYSIS_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/analysis/tests/test_*.py)
# The one that calls the program too: scripts/test may leave the others out.
set(TRILEMMA_WIDTH_TEST ${PROJECT_SOURCE_DIR}/analysis/tests/test_output_width.py)
list(REMOVE_ITEM TRILEMMA_ANALYSIS_TESTS ${TRILEMMA_WIDTH_TEST})
trilemma_python_test(run_output_width ${TRILEMMA_WIDTH_TEST} LABELS run)
set_property(TEST run_output_width APPEND PROPERTY
  ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py numpy matplotlib pandas scipy pytest")
set(TRILEMMA_ANALYSIS_NUMBER 0)
foreach(TRILEMMA_ANALYSIS_TEST IN LISTS TRILEMMA_ANALYSIS_TESTS)
  math(EXPR TRILEMMA_ANALYSIS_PROCESS "${TRILEMMA_ANALYSIS_NUMBER} % ${TRILEMMA_ANALYSIS_PROCESSES} + 1")
  math(EXPR TRILEMMA_ANALYSIS_NUMBER "${TRILEMMA_ANALYSIS_NUMBER} + 1")
  list(APPEND TRILEMMA_ANALYSIS_${TRILEMMA_ANALYSIS_PROCESS} ${TRILEMMA_ANALYSIS_TEST})
endforeach()
foreach(TRILEMMA_ANALYSIS_PROCESS RANGE 1 ${TRILEMMA_ANALYSIS_PROCESSES})
  set(TRILEMMA_ANALYSIS_NAME analysis_${TRILEMMA_ANALYSIS_PROCESS})
  trilemma_python_test(${TRILEMMA_ANALYSIS_NAME} "${TRILEMMA_ANALYSIS_${TRILEMMA_ANALYSIS_PROCESS}}" LABELS analysis)
  set_tests_properties(${TRILEMMA_ANALYSIS_NAME} PROPERTIES COST 60)
  set_property(TEST ${TRILEMMA_ANALYSIS_NAME} APPEND PROPERTY
    ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py numpy matplotlib pandas scipy pytest")
endforeach()

# --- Faults seeded into a copy of the sources, which the audit must find --------------------------
# Compiles the program seven times over: only with -DTRILEMMA_FAULT_TESTS=ON, then `ctest -L faults`.
add_test(NAME seeded_faults
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/faults/seeded_faults.py ${PROJECT_SOURCE_DIR})
set_tests_properties(seeded_faults PROPERTIES LABELS faults TIMEOUT 3600 RUN_SERIAL ON)
# Whether they still fit the sources is looked at every time.
add_test(NAME seeded_faults_fit
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/faults/seeded_faults.py --check ${PROJECT_SOURCE_DIR})
set_tests_properties(seeded_faults_fit PROPERTIES LABELS layering TIMEOUT 300)
if(NOT TRILEMMA_FAULT_TESTS)
  set_tests_properties(seeded_faults PROPERTIES DISABLED ON)
endif()

# Long ones early, so that a core does not end with one of them alone.
set_tests_properties(run_audit run_extend run_real_time run_resume run_submit run_submit_local run_sweep PROPERTIES COST 50)

# Random questions to `trilemma privacy`; longer: tests/fuzz_privacy.py --seconds 300 --seed 2.
add_test(NAME run_privacy_fuzz
  COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/fuzz_privacy.py
          --program $<TARGET_FILE:trilemma> --seconds 20 --seed 1)
set_tests_properties(run_privacy_fuzz PROPERTIES LABELS run TIMEOUT 120
  ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)

# Kills at random moments; a short version here, 50 of them in longer runs with `ctest -L long`.
set(TRILEMMA_KILLED_ROUNDS_5 8000)
set(TRILEMMA_KILLED_ROUNDS_50 15000)
foreach(TRILEMMA_KILLS 5 50)
  add_test(NAME run_kill_and_resume_${TRILEMMA_KILLS}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/python ${CMAKE_CURRENT_SOURCE_DIR}/kill_and_resume.py
            --program $<TARGET_FILE:trilemma> --kills ${TRILEMMA_KILLS} --seed 1
            --rounds ${TRILEMMA_KILLED_ROUNDS_${TRILEMMA_KILLS}})
  set_tests_properties(run_kill_and_resume_${TRILEMMA_KILLS} PROPERTIES LABELS run TIMEOUT 300 PROCESSORS 2 COST 100
    ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py;PYTHONDONTWRITEBYTECODE=1")
endforeach()
set_tests_properties(run_kill_and_resume_50 PROPERTIES LABELS long TIMEOUT 1800 RUN_SERIAL ON)

# Random faults of all kinds in synchronous runs, on the simulated clock and in real time: ctest -L soak.
add_test(NAME soak
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/python ${CMAKE_CURRENT_SOURCE_DIR}/faults/soak.py
          --program $<TARGET_FILE:trilemma> --seconds 900 --seed 1)
set_tests_properties(soak PROPERTIES LABELS "long;soak" TIMEOUT 2400 RUN_SERIAL ON
  ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py;PYTHONDONTWRITEBYTECODE=1")

# --- Mutated inputs for everything that reads (tests/fuzz/README.md) ---------------------------------
# Always the same fifty per format here; more, and under the sanitizers: scripts/fuzz.
file(GLOB TRILEMMA_FUZZ_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*.cpp)
trilemma_test_program(trilemma_fuzz trilemma_core trilemma_test_support ${TRILEMMA_FUZZ_SOURCES})
add_test(NAME fuzz COMMAND trilemma_fuzz --inputs 50 --seed 1)
set_tests_properties(fuzz PROPERTIES LABELS fuzz TIMEOUT 300)
if(TRILEMMA_LIBFUZZER)
  list(FILTER TRILEMMA_FUZZ_SOURCES EXCLUDE REGEX "/main.cpp$")
  add_executable(trilemma_libfuzzer ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/coverage/libfuzzer.cpp ${TRILEMMA_FUZZ_SOURCES}
    $<TARGET_OBJECTS:trilemma_test_support> $<TARGET_OBJECTS:trilemma_number_support>)
  target_link_libraries(trilemma_libfuzzer PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,trilemma_core> trilemma_test_options
    GTest::gtest -fsanitize=fuzzer)
endif()

# --- The accountants as a library of their own ----------------------------------------------------
add_test(NAME accounting_package
  COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D CONSUMER=${CMAKE_CURRENT_SOURCE_DIR}/accounting_package
          -D WORK=${CMAKE_CURRENT_BINARY_DIR}/accounting_package -D GENERATOR=${CMAKE_GENERATOR}
          -D COMPILER=${CMAKE_CXX_COMPILER} -P ${CMAKE_CURRENT_SOURCE_DIR}/accounting_package/check.cmake)
set_tests_properties(accounting_package PROPERTIES LABELS package TIMEOUT 120)

# --- What is installed ------------------------------------------------------------------------------
foreach(TRILEMMA_INSTALL_TEST IN ITEMS install debian release revision spack suites)
  trilemma_python_test(${TRILEMMA_INSTALL_TEST} ${CMAKE_CURRENT_SOURCE_DIR}/install/test_${TRILEMMA_INSTALL_TEST}.py
    LABELS package TIMEOUT 300)
  set_property(TEST ${TRILEMMA_INSTALL_TEST} APPEND PROPERTY
    ENVIRONMENT "TRILEMMA_PYTHON_MODULES=h5py numpy matplotlib pandas scipy pytest")
endforeach()
