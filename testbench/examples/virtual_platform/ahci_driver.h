// SPDX-License-Identifier: Apache-2.0

/* A small driver for an AHCI 1.3.1 host bus adapter, in plain C. It shows the way from a reset to data, and
 * back from an error: no more, and nothing that an operating system has to have.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AHCI_PORTS 32
#define AHCI_SLOTS 32
/* Of one request, so that it needs one PRD table of a few entries. */
#define AHCI_MOST_SECTORS 1024

/* How the driver reaches the machine it runs on. Addresses are the machine's. */
struct ahci_machine {
    void* context;
    uint32_t (*load)(void* context, uint64_t address);
    void (*store)(void* context, uint64_t address, uint32_t value);
    void (*get)(void* context, uint64_t address, void* bytes, size_t count);
    void (*put)(void* context, uint64_t address, const void* bytes, size_t count);
    void (*delay_us)(void* context, uint32_t time);
    /* Returns when the adapter's interrupt line is high, or after a second: then 0. */
    int (*wait_for_interrupt)(void* context);
};

struct ahci_port {
    int present;
    int queued;       /* the drive takes queued commands */
    uint32_t depth;   /* how many of them */
    uint64_t sectors; /* its capacity */
    char model[41];
    uint32_t outstanding; /* slots that the drive has not answered */
    uint32_t failed;      /* slots that ended with an error, until ahci_wait() has told of them */
    uint32_t errors;      /* PxIS bits of errors, since the port was started */
};

struct ahci {
    const struct ahci_machine* machine;
    uint64_t abar;   /* registers */
    uint64_t memory; /* AHCI_MEMORY bytes for lists, tables and received FISes; a multiple of 4096 */
    struct ahci_port port[AHCI_PORTS];
};

#define AHCI_PORT_MEMORY 0x4000u
#define AHCI_MEMORY (AHCI_PORTS * AHCI_PORT_MEMORY)

/* Resets the adapter, starts each port that has a drive, and asks the drive what it is. Returns how many. */
int ahci_begin(struct ahci* hba, const struct ahci_machine* machine, uint64_t abar, uint64_t memory);

/* Begins to read or write sectors, from or to `buffer`. Returns the slot, or -1 when all are taken. */
int ahci_submit(struct ahci* hba, unsigned port, int write, uint64_t lba, uint32_t sectors, uint64_t buffer);

/* Waits until all of `slots` have ended. 0: all well; -1: one has failed, and the port was started again. */
int ahci_wait(struct ahci* hba, unsigned port, uint32_t slots);

/* FLUSH CACHE EXT: what was written lies on flash afterwards. */
int ahci_flush(struct ahci* hba, unsigned port);

#ifdef __cplusplus
}
#endif
