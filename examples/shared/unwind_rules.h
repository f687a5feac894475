/* SPDX-License-Identifier: MIT */
/**
 * \file unwind_rules.h
 * \brief The rules that restore the registers of the caller at an address in a function (DWARF call frame
 * information), and their application. Async-signal-safe.
 */
#ifndef SHARED_UNWIND_RULES_H
#define SHARED_UNWIND_RULES_H

#include "shared/unwind_tables.h"

/** Registers by their numbers in DWARF, for x86-64. */
enum { REGISTER_FRAME = 6, REGISTER_STACK = 7, REGISTER_ADDRESS = 16, REGISTER_COUNT = 17 };

typedef enum unwind_rule_kind {
	UNWIND_SAME = 0,      /**< The register is unchanged. */
	UNWIND_UNDEFINED,     /**< Its value is lost; for the address: there is no caller. */
	UNWIND_AT,            /**< Saved at the frame's base plus value. */
	UNWIND_IS,            /**< The frame's base plus value. */
	UNWIND_IN_REGISTER,   /**< In the register with the number value. */
	UNWIND_AT_EXPRESSION, /**< Saved at the address that the expression yields. */
	UNWIND_IS_EXPRESSION  /**< The value that the expression yields. */
} unwind_rule_kind;

typedef struct unwind_rule {
	unwind_rule_kind kind;
	int64_t value;
	unwind_cursor expression;
} unwind_rule;

/** All rules at one address. */
typedef struct unwind_row {
	unwind_rule base; /**< UNWIND_IN_REGISTER: register base_register plus value; or UNWIND_IS_EXPRESSION. */
	unsigned base_register;
	unwind_rule rules[REGISTER_COUNT];
} unwind_row;

/** The registers of a frame, and the memory from which those of its caller are read. */
typedef struct unwind_frame {
	uint64_t registers[REGISTER_COUNT];
	const uint8_t *stack; /**< Copy of the stack; the address of its first byte is stack_start. */
	uint64_t stack_start;
	uint64_t stack_length; /**< In bytes. */
} unwind_frame;

/** Computes the rules at an address of the function. Returns 0 if the programs are invalid or not supported. */
int unwind_rules_compute(const unwind_entry *entry, uintptr_t address, unwind_row *row);

/** Computes the address that identifies a frame: that of the stack pointer before the call. Returns 0 on failure. */
int unwind_rules_base(const unwind_row *row, const unwind_frame *frame, uint64_t *base);

/**
 * Replaces the registers by those of the caller. Returns 0 if one of them cannot be read. The address becomes 0 if
 * there is no caller.
 */
int unwind_rules_apply(const unwind_row *row, uint64_t base, unwind_frame *frame);

#endif
