# solidtlm_embed_toml(OUTPUT FOLDER HEADER NAMESPACE TYPE FUNCTION): writes a C++ source with a function
# std::span<const TYPE> FUNCTION() that gives every .toml file below FOLDER as TYPE{"path without .toml", "text"}, in
# alphabetical order. Runs when CMake configures; a changed or new file makes CMake configure again.
function(solidtlm_embed_toml output folder header namespace type function)
  file(GLOB_RECURSE files RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/*.toml)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    string(REGEX REPLACE "\\.toml$" "" name ${file})
    file(READ ${folder}/${file} text)
    string(APPEND entries "    ${type}{\"${name}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
  endforeach()
  file(RELATIVE_PATH from ${PROJECT_SOURCE_DIR} ${folder})
  set(source "// Generated from ${from}/*.toml; do not edit.
#include \"${header}\"

namespace ${namespace} {

std::span<const ${type}> ${function}() {
    static constexpr ${type} kFiles[] = {
${entries}    };
    return kFiles;
}

}  // namespace ${namespace}
")
  # Only when it changed, so that nothing is compiled again without need.
  if(EXISTS ${output})
    file(READ ${output} previous)
  endif()
  if(NOT "${previous}" STREQUAL "${source}")
    file(WRITE ${output} "${source}")
  endif()
endfunction()
