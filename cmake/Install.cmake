# cmake --install: libraries, headers and a CMake package, so that find_package(SolidTLM) gives the drive to other people's
# platforms (docs/install.md). Installed is what SOLIDTLM_INSTALLED needs, under the names SolidTLM::<name>.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

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
          PATTERN "testing" EXCLUDE PATTERN "*test*" EXCLUDE PATTERN "*_fixture.h" EXCLUDE)
endforeach()
configure_package_config_file(cmake/SolidTLMConfig.cmake.in ${PROJECT_BINARY_DIR}/SolidTLMConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SolidTLMConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SolidTLMConfig.cmake ${PROJECT_BINARY_DIR}/SolidTLMConfigVersion.cmake
              cmake/SystemC.cmake
        DESTINATION ${package_dir})
