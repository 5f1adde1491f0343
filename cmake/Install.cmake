# cmake --install (docs/install.md). The component `programs` is what people run, with presets and traces; `manual` is
# manual pages and completion; all else is what find_package(SolidTLM) gives to other people's platforms: libraries,
# headers and a CMake package. Installed is what
# SOLIDTLM_INSTALLED needs, under the names SolidTLM::<name>.
include(CMakePackageConfigHelpers)

set(SOLIDTLM_INSTALLED solidtlm_platform solidtlm_hw_ahci)

set(targets)
set(todo ${SOLIDTLM_INSTALLED})
while(todo)
  list(POP_FRONT todo target)
  get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT target IN_LIST targets)
    list(APPEND targets ${target})
    list(FILTER libraries INCLUDE REGEX "^solidtlm_")
    list(APPEND todo ${libraries})
  endif()
endwhile()
foreach(target IN LISTS targets)
  string(REGEX REPLACE "^solidtlm_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/SolidTLM)
install(TARGETS ${targets} EXPORT SolidTLMTargets)
install(EXPORT SolidTLMTargets NAMESPACE SolidTLM:: DESTINATION ${package_dir})
foreach(folder fw hw platform)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/solidtlm FILES_MATCHING PATTERN "*.h"
          PATTERN "testing" EXCLUDE PATTERN "test_*" EXCLUDE PATTERN "*_test_*" EXCLUDE
          PATTERN "*_fixture.h" EXCLUDE)
endforeach()
configure_package_config_file(cmake/SolidTLMConfig.cmake.in ${PROJECT_BINARY_DIR}/SolidTLMConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SolidTLMConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SolidTLMConfig.cmake ${PROJECT_BINARY_DIR}/SolidTLMConfigVersion.cmake
              cmake/SystemC.cmake
        DESTINATION ${package_dir})

# Every executable but those for developers of this project alone.
function(solidtlm_programs folder result)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER found INCLUDE REGEX "^(tb_.*|describe_load)$")
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    solidtlm_programs(${each} more)
    list(APPEND found ${more})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
solidtlm_programs(${PROJECT_SOURCE_DIR}/testbench programs)

add_custom_target(programs DEPENDS ${programs})
install(TARGETS ${programs} COMPONENT programs)
if(TARGET nbdkit-solidtlm-plugin)
  install(TARGETS nbdkit-solidtlm-plugin DESTINATION ${SOLIDTLM_PLUGIN_DIR} COMPONENT programs)
endif()
set(data ${CMAKE_INSTALL_DATADIR}/solidtlm)
install(DIRECTORY platform/presets traces DESTINATION ${data} COMPONENT programs)

# Manual pages come from what the programs say of themselves.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND AND NOT CMAKE_CROSSCOMPILING AND NOT SOLIDTLM_SANITIZE AND NOT SOLIDTLM_FUZZ)
  set(pages)
  foreach(program IN LISTS programs)
    set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
    add_custom_command(OUTPUT ${page}
      COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/scripts/manual-page $<TARGET_FILE:${program}>
              ${PROJECT_VERSION} ${page}
      DEPENDS ${program} ${PROJECT_SOURCE_DIR}/scripts/manual-page VERBATIM)
    list(APPEND pages ${page})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT manual)
endif()

foreach(program solidtlm ${programs})
  install(FILES testbench/programs/cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${program} COMPONENT manual)
endforeach()
