// SPDX-License-Identifier: Apache-2.0
//
// Help texts: one screen with --help, everything with --help-all, one topic with --help NAME. No line has
// more than 100 columns.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "testbench/programs/cli/option_set.h"

namespace solidtlm::testbench {

struct Program;

class Help {
  public:
    /// Adds the help options to the set's group. The parsing must not outlive the Help.
    Help(CLI::App& app, const OptionSet& set, const Program& program);
    Help(const Help&) = delete;
    Help& operator=(const Help&) = delete;
    Help(Help&&) = delete;
    Help& operator=(Help&&) = delete;
    ~Help() = default;

    /// The arguments, with a final "--help --limit" joined to "--help=--limit", so that --limit is read as a
    /// name.
    [[nodiscard]] static std::vector<std::string> arguments(int argc, const char* const* argv);
    /// Whether the command line asks for help; other mistakes are then ignored.
    [[nodiscard]] bool wanted() const { return about_->count() > 0 || all_; }
    /// Prints the help. Returns the exit code: nothing may match the name.
    int print(std::ostream& out, std::ostream& err) const;

  private:
    [[nodiscard]] std::string usage() const;
    [[nodiscard]] std::string screen() const;
    [[nodiscard]] std::string everything() const;
    /// Help on one topic; empty: no option, key or table of keys has this name.
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
