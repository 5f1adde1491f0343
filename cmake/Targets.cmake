# Settings and helpers for the project's targets.

add_library(solidtlm_settings INTERFACE)
target_include_directories(solidtlm_settings INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                       $<INSTALL_INTERFACE:include/solidtlm>)
target_compile_features(solidtlm_settings INTERFACE cxx_std_20)

# What users of the installed libraries do not get.
add_library(solidtlm_build_settings INTERFACE)
target_link_libraries(solidtlm_settings INTERFACE $<BUILD_INTERFACE:solidtlm_build_settings>)
# Paths in messages are those below the root, so that another clone finds the same objects in ccache.
target_compile_options(solidtlm_build_settings INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_compile_options(solidtlm_build_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                         -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(SOLIDTLM_WERROR)
    target_compile_options(solidtlm_build_settings INTERFACE -Werror)  # other compilers warn of other things
  endif()
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms: overlapping copies in std::string + std::string (GCC bug 105651), sizes beyond the address space
    # when vectors of bytes are compared.
    target_compile_options(solidtlm_build_settings INTERFACE -Wno-restrict -Wno-stringop-overread)
  endif()
  if(CMAKE_UNITY_BUILD)
    # It takes every source of a unity for a header, whose coroutines may not use the source's own types.
    target_compile_options(solidtlm_build_settings INTERFACE -Wno-subobject-linkage)
  endif()
endif()
if(SOLIDTLM_SANITIZE)
  target_compile_options(solidtlm_build_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                           -fno-sanitize=vptr -fno-omit-frame-pointer)
  target_link_options(solidtlm_build_settings INTERFACE -fsanitize=address,undefined)
endif()
if(SOLIDTLM_FUZZ)
  if(SOLIDTLM_SANITIZE)
    set(coverage -fsanitize=fuzzer-no-link)
  else() # many inputs a second: edges, but no operands of comparisons
    set(coverage -fsanitize-coverage=inline-8bit-counters,pc-table)
  endif()
  target_compile_options(solidtlm_build_settings INTERFACE
    ${coverage} -fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/testbench/torture/fuzz/not_covered.txt)
endif()
if(SOLIDTLM_COVERAGE)
  target_compile_options(solidtlm_build_settings INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(solidtlm_build_settings INTERFACE --coverage)
endif()

# Code that runs once a run, not once a request: half the time to compile at -O1, with the sanitizers at -O0. A fuzzer
# runs it all the time.
function(solidtlm_cold name)
  if(SOLIDTLM_FUZZ)
    return()
  endif()
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<BOOL:${SOLIDTLM_SANITIZE}>:-O0>)
endfunction()

# solidtlm_layer(NAME [COLD] SOURCES ... LIBS ...): one static library a layer; LIBS are public.
# A layer of headers alone becomes an INTERFACE library.
function(solidtlm_layer name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LIBS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC solidtlm_settings ${ARG_LIBS})
    if(ARG_COLD)
      solidtlm_cold(${name})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE solidtlm_settings ${ARG_LIBS})
  endif()
endfunction()

# solidtlm_test(NAME [UNSANITIZED] SOURCES ... LIBS ... [LABELS ...] [TIMEOUT s]): a GoogleTest executable. UNSANITIZED:
# not built with the sanitizers, which would take long and find nothing that tests below do not show. SystemC tests link
# solidtlm_test_main (our sc_main) and run as one process a test, because SystemC elaborates once a process; firmware
# tests link solidtlm_fw_test_main (a plain main) and run as one process a shard.
set(SOLIDTLM_TEST_SHARDS 4)
function(solidtlm_test name)
  cmake_parse_arguments(ARG "UNSANITIZED" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT SOLIDTLM_BUILD_TESTS OR (ARG_UNSANITIZED AND SOLIDTLM_SANITIZE))
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} solidtlm_places GTest::gtest)
  # Tests of firmware run models of it, for minutes at -O0.
  if(NOT (SOLIDTLM_SANITIZE AND solidtlm_fw_testing IN_LIST ARG_LIBS))
    solidtlm_cold(${name})
  endif()
  if(solidtlm_fw_test_main IN_LIST ARG_LIBS)
    foreach(shard RANGE 1 ${SOLIDTLM_TEST_SHARDS})
      math(EXPR index "${shard} - 1")
      add_test(NAME ${name}.shard_${shard} COMMAND ${name})
      set_tests_properties(${name}.shard_${shard} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${SOLIDTLM_TEST_SHARDS};GTEST_SHARD_INDEX=${index}"
        TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
    endforeach()
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
  endif()
endfunction()
