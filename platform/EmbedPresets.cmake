# solidtlm_embed_presets(OUTPUT FOLDER): writes a C++ source that holds every FOLDER/*.toml as a string. Runs when
# CMake configures; a changed or new preset makes CMake configure again.
function(solidtlm_embed_presets output folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.toml)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    Preset{\"${name}\", R\"toml(${text})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(source "// Generated from platform/presets/*.toml; do not edit.
#include \"platform/presets.h\"

namespace solidtlm::platform {

std::span<const Preset> presets() {
    static constexpr Preset kPresets[] = {
${entries}    };
    return kPresets;
}

}  // namespace solidtlm::platform
")
  # Only when it changed, so that nothing is compiled again without need.
  if(EXISTS ${output})
    file(READ ${output} previous)
  endif()
  if(NOT "${previous}" STREQUAL "${source}")
    file(WRITE ${output} "${source}")
  endif()
endfunction()
