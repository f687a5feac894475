/* SPDX-License-Identifier: MIT */
/**
 * \file unwind_registers.h
 * \brief The registers of an interrupted thread by their numbers in DWARF.
 */
#ifndef SHARED_UNWIND_REGISTERS_H
#define SHARED_UNWIND_REGISTERS_H

#include "shared/unwind_rules.h"

#include <string.h>
#include <ucontext.h>

#if defined(__linux__) && defined(__x86_64__)
/** Whether stacks of this system can be unwound. */
#define UNWIND_IS_SUPPORTED 1

static const int unwind_register_indices[REGISTER_COUNT] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
							    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
							    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

/** Reads the registers from the context of a signal handler. Async-signal-safe. */
static inline void unwind_registers_read(const ucontext_t *context, uint64_t registers[REGISTER_COUNT])
{
	for (int i = 0; i < REGISTER_COUNT; i++)
		registers[i] = (uint64_t)context->uc_mcontext.gregs[unwind_register_indices[i]];
}

/** Writes the registers to a context. Async-signal-safe. */
static inline void unwind_registers_write(const uint64_t registers[REGISTER_COUNT], ucontext_t *context)
{
	for (int i = 0; i < REGISTER_COUNT; i++)
		context->uc_mcontext.gregs[unwind_register_indices[i]] = (greg_t)registers[i];
}
#else
#define UNWIND_IS_SUPPORTED 0

static inline void unwind_registers_read(const ucontext_t *context, uint64_t registers[REGISTER_COUNT])
{
	(void)context;
	memset(registers, 0, REGISTER_COUNT * sizeof(registers[0]));
}

static inline void unwind_registers_write(const uint64_t registers[REGISTER_COUNT], ucontext_t *context)
{
	(void)registers;
	(void)context;
}
#endif

#endif
