// SPDX-License-Identifier: Apache-2.0
//
// main() of every study: SystemC's own would print its banner first.
#include <cstdlib>
#include <systemc>

#include "testbench/studies/kit/study.h"

int sc_main(int argc, char* argv[]) {
    return solidtlm::testbench::run_study(argc, argv, *solidtlm::testbench::make_study());
}

int main(int argc, char* argv[]) {
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
