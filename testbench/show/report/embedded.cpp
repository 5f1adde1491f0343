// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/report/embedded.h"

// The assembler includes the file unchanged. CMake names the folder of the files and makes this source depend
// on them.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a symbol and a string cannot come from a template
#define SOLIDTLM_EMBED(name, file)                                             \
    asm(".pushsection .rodata\n"                                               \
        ".global solidtlm_report_" #name                                       \
        "_begin\n"                                                             \
        ".global solidtlm_report_" #name                                       \
        "_end\n"                                                               \
        "solidtlm_report_" #name                                               \
        "_begin:\n"                                                            \
        ".incbin \"" file                                                      \
        "\"\n"                                                                 \
        "solidtlm_report_" #name                                               \
        "_end:\n"                                                              \
        ".popsection\n");                                                      \
    extern "C" const char solidtlm_report_##name##_begin[];                    \
    extern "C" const char solidtlm_report_##name##_end[];                      \
    namespace solidtlm::testbench::embedded {                                  \
    std::string_view name() {                                                  \
        return {&solidtlm_report_##name##_begin[0],                            \
                static_cast<std::size_t>(&solidtlm_report_##name##_end[0] -    \
                                         &solidtlm_report_##name##_begin[0])}; \
    }                                                                          \
    }

SOLIDTLM_EMBED(page, SOLIDTLM_REPORT_SOURCES "/page.html")
SOLIDTLM_EMBED(style, SOLIDTLM_REPORT_SOURCES "/page.css")
SOLIDTLM_EMBED(library, SOLIDTLM_REPORT_SOURCES "/third_party/echarts/echarts.min.js")
SOLIDTLM_EMBED(script, SOLIDTLM_REPORT_SCRIPT)
