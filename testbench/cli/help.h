// SPDX-License-Identifier: Apache-2.0
//
// What a program prints about itself: one screen by --help, everything by --help-all, one topic by --help
// NAME. No line has more than 100 columns.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "testbench/cli/option_set.h"

namespace solidtlm::testbench {

struct Program;

class Help {
  public:
    /// Adds the options, to the set's group; the parsing must not outlive the Help.
    Help(CLI::App& app, const OptionSet& set, const Program& program);
    Help(const Help&) = delete;
    Help& operator=(const Help&) = delete;
    Help(Help&&) = delete;
    Help& operator=(Help&&) = delete;
    ~Help() = default;

    /// The command line's, with "--help --limit" at the end as "--help=--limit", so that it is a name.
    [[nodiscard]] static std::vector<std::string> arguments(int argc, const char* const* argv);
    /// Whether the command line asks for help. Other mistakes then do not matter.
    [[nodiscard]] bool wanted() const { return about_->count() > 0 || all_; }
    /// Returns the exit code, because nothing may have the name.
    int print(std::ostream& out, std::ostream& err) const;

  private:
    [[nodiscard]] std::string usage() const;
    [[nodiscard]] std::string screen() const;
    [[nodiscard]] std::string everything() const;
    /// Empty: there is no such option, key or table of keys.
    [[nodiscard]] std::string about(const std::string& name) const;
    [[nodiscard]] std::string about_option(const std::string& name) const;
    [[nodiscard]] std::string unknown(const std::string& name) const;
    [[nodiscard]] std::string examples(std::size_t most) const;
    [[nodiscard]] std::string notes() const;

    const CLI::App& app_;
    const OptionSet& set_;
    const Program& program_;
    std::string name_;
    const CLI::Option* about_ = nullptr;
    bool all_ = false;
    std::size_t width_;
};

}  // namespace solidtlm::testbench
