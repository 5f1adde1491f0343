# SystemC with TLM-2.0, from its CMake package (3.x) or from pkg-config (Debian's 2.3.4). The installed package looks for
# it in the same way.
find_package(SystemCLanguage CONFIG QUIET)
if(NOT SystemCLanguage_FOUND)
  pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc tlm)
endif()
