// SPDX-License-Identifier: Apache-2.0
//
// For tests: opens a page in headless Chromium and returns what was found in it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "fw/hal/check.h"
#include "testbench/show/result.h"

namespace solidtlm::testbench::testing {

/// A page after its scripts have run.
struct OpenedPage {
    std::string report;   ///< the displayed HTML
    std::string console;  ///< console output, including errors and refused loads
    int plots = -1;       ///< plots that the page wanted to draw
    int drawn = -2;       ///< plots that it drew
    int loaded = -1;      ///< resources that it loaded, from any place

    [[nodiscard]] bool shows(const std::string& text) const { return report.find(text) != std::string::npos; }
};

inline std::string file_text(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

/// The number that the page put into data-`name` of its root element; -1 when there is none.
inline int page_number(const std::string& html, const std::string& name) {
    const std::string mark = " data-" + name + "=\"";
    const std::size_t place = html.find(mark);
    return place == std::string::npos ? -1 : std::atoi(html.c_str() + place + mark.size());
}

inline bool have_browser() {
    return std::system("command -v chromium >/dev/null 2>&1") == 0;  // NOLINT(cert-env33-c)
}

/// REQUIRES: have_browser().
inline OpenedPage open_page(const std::filesystem::path& page) {
    SOLIDTLM_CHECK(have_browser(), "there is a browser");
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("solidtlm_browser_" + std::to_string(getpid()));
    fs::create_directories(folder);
    // The browser gets a profile of its own and must not use the network. Its sandbox refuses to run as root.
    const std::string command =
        "timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync --disable-extensions "
        "--host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir='" +
        (folder / "profile").string() +
        "' --window-size=1400,1000 --virtual-time-budget=20000 --enable-logging=stderr --v=0 --dump-dom "
        "'file://" +
        fs::absolute(page).string() + "' >'" + (folder / "dom").string() + "' 2>'" +
        (folder / "log").string() + "'";
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c)
    OpenedPage opened;
    const std::string html = file_text(folder / "dom");
    const std::size_t begin = std::min(html.find("<main"), html.size());
    opened.report = html.substr(begin, html.find("</main>", begin) - begin);
    std::ifstream log(folder / "log");
    for (std::string line; std::getline(log, line);) {
        if (line.find("CONSOLE") != std::string::npos) {
            opened.console += line + "\n";
        }
    }
    EXPECT_EQ(status, 0) << file_text(folder / "log");
    opened.plots = page_number(html, "plots");
    opened.drawn = page_number(html, "drawn");
    opened.loaded = page_number(html, "loaded");
    fs::remove_all(folder);
    return opened;
}

/// Checks what every report must do: draw all its plots, report no error, load nothing.
inline void expect_sound(const OpenedPage& page) {
    EXPECT_EQ(page.console, "");
    EXPECT_EQ(page.plots, page.drawn);
    EXPECT_EQ(page.loaded, 0);
    EXPECT_FALSE(page.shows("could not be drawn"));
}

/// The document that the page embeds, as it was written.
inline Json result_in(const std::string& html) {
    const std::string begin = "<script type=\"application/json\" id=\"result\">";
    const std::size_t from = html.find(begin) + begin.size();
    return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

}  // namespace solidtlm::testbench::testing
