// SPDX-License-Identifier: Apache-2.0

/* Numbers in brackets are sections of the AHCI 1.3.1 specification.
 */
#include "ahci_driver.h"

#include <string.h>

/* Generic registers (3.1), and those of a port (3.3). */
enum { CAP = 0x00, GHC = 0x04, IS = 0x08, PI = 0x0C };
enum {
    PxCLB = 0x00,
    PxCLBU = 0x04,
    PxFB = 0x08,
    PxFBU = 0x0C,
    PxIS = 0x10,
    PxIE = 0x14,
    PxCMD = 0x18,
    PxTFD = 0x20,
    PxSIG = 0x24,
    PxSSTS = 0x28,
    PxSCTL = 0x2C,
    PxSERR = 0x30,
    PxSACT = 0x34,
    PxCI = 0x38
};

#define GHC_HR (1u << 0)
#define GHC_IE (1u << 1)
#define GHC_AE (1u << 31)
#define CMD_ST (1u << 0)
#define CMD_SUD (1u << 1)
#define CMD_FRE (1u << 4)
#define CMD_FR (1u << 14)
#define CMD_CR (1u << 15)
#define TFD_BSY_DRQ 0x88u
#define DET_MASK 0xFu
#define DET_RESET 1u
#define DET_PRESENT 3u
#define SIG_DISK 0x00000101u

/* PxIS and PxIE: a Register, PIO Setup or Set Device Bits FIS was received; errors. */
#define IS_DONE 0x0000000Bu
#define IS_ERRORS 0x7D000010u

/* ATA commands. */
enum {
    READ_DMA_EXT = 0x25,
    READ_LOG_EXT = 0x2F,
    WRITE_DMA_EXT = 0x35,
    READ_QUEUED = 0x60,
    WRITE_QUEUED = 0x61,
    FLUSH_EXT = 0xEA,
    IDENTIFY = 0xEC
};

/* Each port's memory: list, received FISes, a page for the driver's own reads, a table for each slot.
 */
#define RECEIVED_OFFSET 0x400u
#define PAGE_OFFSET 0x800u
#define TABLE_OFFSET 0x1000u
#define TABLE_BYTES 0x100u
#define PRDT_OFFSET 0x80u
#define PRD_BYTES 0x10000u /* of the largest PRD made here */

static uint64_t port_memory(const struct ahci* hba, unsigned port) {
    return hba->memory + (uint64_t)port * AHCI_PORT_MEMORY;
}

static uint32_t load(const struct ahci* hba, uint32_t offset) {
    return hba->machine->load(hba->machine->context, hba->abar + offset);
}

static void store(const struct ahci* hba, uint32_t offset, uint32_t value) {
    hba->machine->store(hba->machine->context, hba->abar + offset, value);
}

static uint32_t at(unsigned port, uint32_t offset) {
    return 0x100 + port * 0x80 + offset;
}

/* Waits until the bits of a register are `value`, for at most `most_ms`. */
static int becomes(const struct ahci* hba, uint32_t offset, uint32_t mask, uint32_t value, uint32_t most_ms) {
    for (uint32_t i = 0; i < most_ms * 100; ++i) {
        if ((load(hba, offset) & mask) == value) {
            return 1;
        }
        hba->machine->delay_us(hba->machine->context, 10);
    }
    return 0;
}

static void put32(uint8_t* bytes, uint32_t value) {
    for (int i = 0; i < 4; ++i) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
}

/* ---- Stopping and starting a port (10.3) */

static int stop_port(struct ahci* hba, unsigned port) {
    store(hba, at(port, PxCMD), load(hba, at(port, PxCMD)) & ~CMD_ST);
    if (!becomes(hba, at(port, PxCMD), CMD_CR, 0, 500)) {
        return 0;
    }
    store(hba, at(port, PxCMD), load(hba, at(port, PxCMD)) & ~CMD_FRE);
    return becomes(hba, at(port, PxCMD), CMD_FR, 0, 500);
}

/* A connected drive is detected within 10 ms, and sends its signature within 30 s (10.1). */
static int start_port(struct ahci* hba, unsigned port) {
    const uint64_t memory = port_memory(hba, port);
    store(hba, at(port, PxCLB), (uint32_t)memory);
    store(hba, at(port, PxCLBU), (uint32_t)(memory >> 32));
    store(hba, at(port, PxFB), (uint32_t)(memory + RECEIVED_OFFSET));
    store(hba, at(port, PxFBU), (uint32_t)((memory + RECEIVED_OFFSET) >> 32));
    store(hba, at(port, PxCMD), load(hba, at(port, PxCMD)) | CMD_SUD);
    store(hba, at(port, PxCMD), load(hba, at(port, PxCMD)) | CMD_FRE);
    if (!becomes(hba, at(port, PxSSTS), DET_MASK, DET_PRESENT, 10) ||
        !becomes(hba, at(port, PxTFD), TFD_BSY_DRQ, 0, 30000)) {
        return 0;
    }
    /* Clears events of the start. */
    store(hba, at(port, PxSERR), ~0u);
    store(hba, at(port, PxIS), ~0u);
    store(hba, IS, 1u << port);
    store(hba, at(port, PxIE), IS_DONE | IS_ERRORS);
    store(hba, at(port, PxCMD), load(hba, at(port, PxCMD)) | CMD_ST);
    hba->port[port].outstanding = 0;
    hba->port[port].errors = 0;
    return 1;
}

/* COMRESET: DET = 1 for at least a millisecond (10.4.2). */
static int reset_port(struct ahci* hba, unsigned port) {
    stop_port(hba, port);
    store(hba, at(port, PxSCTL), DET_RESET);
    hba->machine->delay_us(hba->machine->context, 1000);
    store(hba, at(port, PxSCTL), 0);
    return start_port(hba, port);
}

/* ---- A command (5.5.1, 4.2) */

/* Writes command FIS and header of a slot, with `bytes` of data at `buffer`; the drive may then take it. */
static void issue(struct ahci* hba, unsigned port, unsigned slot, uint8_t command, uint64_t lba,
                  uint32_t count, uint64_t buffer, uint32_t bytes, int write) {
    const struct ahci_machine* machine = hba->machine;
    const uint64_t memory = port_memory(hba, port);
    const uint64_t table = memory + TABLE_OFFSET + (uint64_t)slot * TABLE_BYTES;
    const int queued = command == READ_QUEUED || command == WRITE_QUEUED;
    uint8_t fis[20] = {0x27, 0x80, command}; /* Register Host to Device, a command */
    uint8_t header[32] = {0};
    uint32_t prds = 0;

    for (unsigned i = 0; i < 3; ++i) {
        fis[4 + i] = (uint8_t)(lba >> 8 * i);
        fis[8 + i] = (uint8_t)(lba >> (24 + 8 * i));
    }
    fis[7] = 0x40; /* LBA */
    /* A queued command has its tag (its slot) in the field in which others have their count. */
    fis[queued ? 3 : 12] = (uint8_t)count;
    fis[queued ? 11 : 13] = (uint8_t)(count >> 8);
    if (queued) {
        fis[12] = (uint8_t)(slot << 3);
    }
    machine->put(machine->context, table, fis, sizeof fis);

    for (; bytes > 0; ++prds) {
        const uint32_t part = bytes < PRD_BYTES ? bytes : PRD_BYTES;
        uint8_t prd[16] = {0};
        put32(prd, (uint32_t)buffer);
        put32(prd + 4, (uint32_t)(buffer >> 32));
        put32(prd + 12, part - 1);
        machine->put(machine->context, table + PRDT_OFFSET + prds * sizeof prd, prd, sizeof prd);
        buffer += part;
        bytes -= part;
    }
    put32(header, sizeof fis / 4 | (write ? 1u << 6 : 0) | prds << 16);
    put32(header + 8, (uint32_t)table);
    put32(header + 12, (uint32_t)(table >> 32));
    machine->put(machine->context, memory + slot * sizeof header, header, sizeof header);

    hba->port[port].outstanding |= 1u << slot;
    if (queued) {
        store(hba, at(port, PxSACT), 1u << slot); /* before PxCI */
    }
    store(hba, at(port, PxCI), 1u << slot);
}

/* Runs one non-queued command while no other is outstanding. */
static int single(struct ahci* hba, unsigned port, uint8_t command, uint64_t lba, uint32_t count,
                  uint64_t buffer, uint32_t bytes) {
    if (ahci_wait(hba, port, hba->port[port].outstanding) != 0) {
        return -1;
    }
    issue(hba, port, 0, command, lba, count, buffer, bytes, 0);
    return ahci_wait(hba, port, 1);
}

/* ---- Interrupts and errors */

/* Reads the adapter's interrupt: clears the port's bits first, then the adapter's (10.7.2). */
static void interrupt(struct ahci* hba) {
    const uint32_t ports = load(hba, IS);
    for (unsigned port = 0; port < AHCI_PORTS; ++port) {
        if ((ports & 1u << port) != 0) {
            const uint32_t causes = load(hba, at(port, PxIS));
            store(hba, at(port, PxIS), causes);
            hba->port[port].errors |= causes & IS_ERRORS;
        }
    }
    store(hba, IS, ports);
}

/* A failed queue continues after its log was read, which names the failed command (6.2.2). The other commands
   have failed too, and their senders issue them again. If reading the log fails, COMRESET follows. */
static void recover(struct ahci* hba, unsigned port) {
    hba->port[port].failed |= hba->port[port].outstanding;
    if (stop_port(hba, port) && start_port(hba, port) && hba->port[port].queued) {
        issue(hba, port, 0, READ_LOG_EXT, 0x10, 1, port_memory(hba, port) + PAGE_OFFSET, 512, 0);
        if (becomes(hba, at(port, PxCI), 1, 0, 1000)) {
            hba->port[port].outstanding = 0;
            return;
        }
    }
    reset_port(hba, port);
}

int ahci_wait(struct ahci* hba, unsigned port, uint32_t slots) {
    struct ahci_port* state = &hba->port[port];
    uint32_t failed = 0;
    while ((state->outstanding & slots) != 0) {
        const int told = hba->machine->wait_for_interrupt(hba->machine->context);
        if (told) {
            interrupt(hba);
        }
        if (!told || state->errors != 0) {
            recover(hba, port);
            break;
        }
        /* CI: the drive has not accepted the command, or not answered; SACT: not answered. */
        state->outstanding &= load(hba, at(port, PxCI)) | load(hba, at(port, PxSACT));
    }
    failed = state->failed & slots;
    state->failed &= ~slots;
    return failed == 0 ? 0 : -1;
}

/* ---- Interface */

static int identify(struct ahci* hba, unsigned port) {
    struct ahci_port* state = &hba->port[port];
    const uint64_t page = port_memory(hba, port) + PAGE_OFFSET;
    uint8_t data[512];
    if (single(hba, port, IDENTIFY, 0, 0, page, sizeof data) != 0) {
        return 0;
    }
    hba->machine->get(hba->machine->context, page, data, sizeof data);
    state->sectors = 0;
    for (int i = 7; i >= 0; --i) {
        state->sectors = state->sectors << 8 | data[200 + i]; /* words 100-103 */
    }
    state->queued = (data[153] & 1) != 0;   /* word 76 bit 8 */
    state->depth = (data[150] & 0x1Fu) + 1; /* word 75 */
    for (int i = 0; i < 40; ++i) {
        state->model[i] = (char)data[54 + (i ^ 1)]; /* words 27-46, two characters each, swapped */
    }
    for (int i = 40; i > 0 && state->model[i - 1] == ' '; --i) {
        state->model[i - 1] = '\0';
    }
    return 1;
}

int ahci_begin(struct ahci* hba, const struct ahci_machine* machine, uint64_t abar, uint64_t memory) {
    int found = 0;
    memset(hba, 0, sizeof *hba);
    hba->machine = machine;
    hba->abar = abar;
    hba->memory = memory;
    store(hba, GHC, GHC_AE | GHC_HR);
    if (!becomes(hba, GHC, GHC_HR, 0, 1000)) {
        return 0;
    }
    store(hba, GHC, GHC_AE);
    store(hba, GHC, GHC_AE | GHC_IE);
    const uint32_t implemented = load(hba, PI);
    for (unsigned port = 0; port < AHCI_PORTS; ++port) {
        if ((implemented & 1u << port) != 0 && start_port(hba, port) &&
            load(hba, at(port, PxSIG)) == SIG_DISK && identify(hba, port)) {
            hba->port[port].present = 1;
            ++found;
        }
    }
    return found;
}

int ahci_submit(struct ahci* hba, unsigned port, int write, uint64_t lba, uint32_t sectors, uint64_t buffer) {
    const struct ahci_port* state = &hba->port[port];
    const unsigned slots = state->queued ? state->depth : 1;
    unsigned slot = 0;
    while (slot < slots && (state->outstanding & 1u << slot) != 0) {
        ++slot;
    }
    if (slot == slots || sectors == 0 || sectors > AHCI_MOST_SECTORS) {
        return -1;
    }
    const uint8_t command =
        state->queued ? (write ? WRITE_QUEUED : READ_QUEUED) : (write ? WRITE_DMA_EXT : READ_DMA_EXT);
    issue(hba, port, slot, command, lba, sectors, buffer, sectors * 512, write);
    return (int)slot;
}

int ahci_flush(struct ahci* hba, unsigned port) {
    return single(hba, port, FLUSH_EXT, 0, 0, 0, 0);
}
