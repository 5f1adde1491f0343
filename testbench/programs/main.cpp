// SPDX-License-Identifier: Apache-2.0
//
// main() of every scenario: SystemC's own would print its banner first.
#include <cstdlib>
#include <systemc>

int main(int argc, char* argv[]) {
    setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
    return sc_core::sc_elab_and_sim(argc, argv);
}
