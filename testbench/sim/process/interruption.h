// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>

namespace solidtlm::testbench {

/// While an Interruption exists, SIGINT (Ctrl-C) and SIGTERM are only recorded, so that the run can end in
/// order. A second SIGINT ends the process at once; a second SIGTERM does not, because timeout(1) sends two.
/// A signal that was ignored before stays ignored. Interruptions may be nested.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    /// From now on SIGINT and SIGTERM say on stderr that they end the process, while no Interruption exists:
    /// a program may read its input, or age its drive, for a long time.
    static void report_sudden_ends();

    /// The last recorded signal; 0: none.
    [[nodiscard]] static int signal() { return noted; }
    /// Records a signal as the handler does, for a caller that receives signals in another way.
    static void note(int signal) { noted = signal; }
    /// "interrupted by SIGINT". REQUIRES: signal() is not 0.
    [[nodiscard]] static std::string in_words();
    /// By convention: 128 plus the signal's number.
    [[nodiscard]] static int exit_code() { return kSignalled + signal(); }

  private:
    static constexpr int kSignalled = 128;
    static void end_suddenly(int signal);

    inline static volatile std::sig_atomic_t noted = 0;
    inline static volatile std::sig_atomic_t begun = 0;  ///< an Interruption has existed

    struct sigaction before_int_ {};
    struct sigaction before_term_ {};
};

}  // namespace solidtlm::testbench
