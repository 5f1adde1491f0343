# What a configuration chooses by name: policies, layers, formats (fw/hal/named.h).
#
# solidtlm_registry(LIBRARY FOLDER f HEADER h TYPE t LIST l [TEST test] [LIBS ...]): each FOLDER/NAME.cpp defines a
# constant of TYPE (with its namespace), `k<Name><Type>`. The sources join LIBRARY and their tests TEST, and the function
# LIST, declared in HEADER, is generated: all constants in the order of their files' names. With LIBS, LIBRARY is one of
# its own. A new file needs no line anywhere.
function(solidtlm_registry library)
  cmake_parse_arguments(ARG "" "FOLDER;HEADER;TYPE;LIST;TEST" "LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${ARG_FOLDER}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(stems)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    list(APPEND stems ${stem})
  endforeach()
  string(REGEX MATCH "^(.*)::([^:]+)$" matched ${ARG_TYPE})
  set(namespace ${CMAKE_MATCH_1})
  set(type ${CMAKE_MATCH_2})
  set(declarations)
  set(pointers)
  foreach(stem IN LISTS stems)
    set(constant k)
    string(REPLACE "_" ";" words ${stem})
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND constant ${first}${rest})
    endforeach()
    string(APPEND declarations "extern const ${type} ${constant}${type};\n")
    list(APPEND pointers "&${constant}${type}")
  endforeach()
  list(JOIN pointers ", " pointers)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${ARG_LIST}_registry.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "// Generated from the names of the files in ${ARG_FOLDER} (cmake/Registry.cmake).
#include <array>

#include \"${ARG_HEADER}\"

namespace ${namespace} {

${declarations}
std::span<const ${type}* const> ${ARG_LIST}() {
    static constexpr std::array kAll{${pointers}};
    return kAll;
}

}  // namespace ${namespace}
" @ONLY)
  if(ARG_LIBS)
    solidtlm_layer(${library} SOURCES ${generated} LIBS ${ARG_LIBS})
  else()
    target_sources(${library} PRIVATE ${generated})
  endif()
  target_sources(${library} PRIVATE ${sources})
  if(SOLIDTLM_BUILD_TESTS AND tests)
    target_sources(${ARG_TEST} PRIVATE ${tests})
  endif()
endfunction()
