// SPDX-License-Identifier: Apache-2.0
//
// The files of the page, as they were when the executable was built.
#pragma once

#include <string_view>

namespace solidtlm::testbench::embedded {

[[nodiscard]] std::string_view page();     ///< page.html: the frame, with placeholders for the others
[[nodiscard]] std::string_view style();    ///< page.css
[[nodiscard]] std::string_view library();  ///< third_party/echarts/echarts.min.js
[[nodiscard]] std::string_view script();   ///< js/*.js, one after another

}  // namespace solidtlm::testbench::embedded
