# Settings and helpers for the project's targets.

add_library(solidtlm_settings INTERFACE)
target_include_directories(solidtlm_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(solidtlm_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                   -Wno-sign-conversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12: overlapping copies in std::string + std::string (GCC bug 105651), sizes beyond the address
  # space when vectors of bytes are compared.
  target_compile_options(solidtlm_settings INTERFACE -Wno-restrict -Wno-stringop-overread)
endif()
if(SOLIDTLM_SANITIZE)
  target_compile_options(solidtlm_settings INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                     -fno-sanitize=vptr -fno-omit-frame-pointer)
  target_link_options(solidtlm_settings INTERFACE -fsanitize=address,undefined)
endif()
if(SOLIDTLM_COVERAGE)
  target_compile_options(solidtlm_settings INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(solidtlm_settings INTERFACE --coverage)
endif()

# solidtlm_layer(NAME SOURCES ... LIBS ...): one static library a layer; LIBS are public.
# A layer of headers alone becomes an INTERFACE library.
function(solidtlm_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC solidtlm_settings ${ARG_LIBS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE solidtlm_settings ${ARG_LIBS})
  endif()
endfunction()

# solidtlm_test(NAME SOURCES ... LIBS ... [LABELS ...]): a GoogleTest executable, one process a test. SystemC tests
# link solidtlm_test_main (our sc_main); firmware tests link solidtlm_fw_test_main (a plain main).
function(solidtlm_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT SOLIDTLM_BUILD_TESTS)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} GTest::gtest)
  target_compile_definitions(${name} PRIVATE SOLIDTLM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
