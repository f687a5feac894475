/* SPDX-License-Identifier: MIT */
/**
 * \file learned_rules.h
 * \brief Walks the stack of an interrupted thread by rules that were learned from the unwinding tables when an earlier
 * copy was unwound.
 *
 * For most addresses the tables contain a simple rule: the frame's base is the stack pointer or the frame pointer plus
 * a constant, and the frame pointer of the caller is unchanged or saved at a constant distance. Such a rule fits one
 * word, which a signal handler can look up.
 */
#ifndef SHARED_LEARNED_RULES_H
#define SHARED_LEARNED_RULES_H

#include "shared/sampled_stack.h"
#include "shared/unwind_rules.h"

#include <mprof/recorder.h>

/**
 * Learns the rule at an address, if it is simple: that of an interruption, or a return address minus 1.
 * Async-signal-safe.
 */
void learned_rules_add(uintptr_t address, const unwind_row *row);

/** Forgets all rules, because code was unloaded. Async-signal-safe. */
void learned_rules_forget(void);

/** The registers that the rules restore. */
typedef struct learned_frame {
	uint64_t address;
	uint64_t stack_pointer;
	uint64_t frame_pointer;
} learned_frame;

/** The rule at an address, as above; 0 if it is not known. Async-signal-safe. */
uint64_t learned_rules_find(uint64_t address);

/** The base of a frame: the stack pointer before the call. Async-signal-safe. */
uint64_t learned_rules_base(uint64_t rule, const learned_frame *frame);

/**
 * Replaces the registers by those of the caller. Returns 0 if they are not between the stack pointer and the end of the
 * stack. Async-signal-safe.
 */
int learned_rules_leave(uint64_t rule, uintptr_t end, learned_frame *frame);

/**
 * Stores at most \p limit frames, and #MPROF_FRAME_TRUNCATED if there are more. Returns their number; 0 if a rule is
 * not known. Reads only memory between the stack pointer and the end of the stack. Async-signal-safe.
 */
size_t learned_rules_walk(const uint64_t registers[REGISTER_COUNT], const sampled_stack *stack, mprof_frame *frames,
			  size_t limit);

#endif
