# Third-party packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

include(cmake/SystemC.cmake)
add_library(solidtlm_systemc INTERFACE)
if(SystemCLanguage_FOUND)
  target_link_libraries(solidtlm_systemc INTERFACE SystemC::systemc)
else()
  target_link_libraries(solidtlm_systemc INTERFACE PkgConfig::SYSTEMC)
  # Debian builds the library as C++17; its API-version symbol must match.
  target_compile_definitions(solidtlm_systemc INTERFACE SC_CPLUSPLUS=201703L)
endif()
target_compile_definitions(solidtlm_systemc INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)

find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(LibArchive REQUIRED)
find_package(cereal REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(NBDKIT IMPORTED_TARGET nbdkit)  # tb_disk alone
if(SOLIDTLM_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
