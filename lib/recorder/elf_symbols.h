/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/elf_symbols.h
 * \brief The functions that ELF files name.
 *
 * Nothing in a file is trusted: one that is damaged, cut or made to harm has fewer names, or wrong ones.
 */
#ifndef RECORDER_ELF_SYMBOLS_H
#define RECORDER_ELF_SYMBOLS_H

#include "base/allocator.h"

#include <stdint.h>

/** Most functions of a module, and most bytes of their names. What is beyond has no name. */
#define ELF_SYMBOLS_MAX (UINT32_C(1) << 24)
#define ELF_NAMES_MAX (UINT32_C(1) << 28)

/** A function. */
typedef struct elf_symbol {
	uint64_t start;     /**< Its address, as the file counts them. */
	uint64_t end;       /**< After its last byte, or its section's if its size is not known. */
	uint32_t name;      /**< Where its name begins in elf_symbols::names. */
	uint32_t enclosing; /**< Index + 1 of the closest function before that reaches over this one's start, or 0. */
	uint32_t rank;      /**< Which of several at one address gives the name: the lowest. */
	uint32_t has_size;  /**< 1: its size is known. */
} elf_symbol;

typedef struct elf_symbols {
	mprof_allocator allocator;
	elf_symbol *symbols; /**< By start, and one for each, once they are sorted. */
	size_t count;
	size_t capacity;
	char *names; /**< Each ends with NUL. */
	size_t names_length;
} elf_symbols;

void elf_symbols_init(elf_symbols *symbols, const mprof_allocator *allocator);
void elf_symbols_destroy(elf_symbols *symbols);

/**
 * Adds the functions that a file names. \p build_id: the module's, in hexadecimal; a file that has another one is not
 * the module's and is passed over. "" is not compared. Returns 1 if the file has a full table, 0 if it has only that of
 * the linker, or none.
 */
int elf_symbols_add_file(elf_symbols *symbols, const char *path, const char *build_id);

/** The same for a file in memory. */
int elf_symbols_add_memory(elf_symbols *symbols, const void *bytes, size_t length);

/** To be called once, after the last addition and before elf_symbols_find(). */
void elf_symbols_sort(elf_symbols *symbols);

/** The function that an address lies in, or NULL. */
const elf_symbol *elf_symbols_find(const elf_symbols *symbols, uint64_t address);

static inline const char *elf_symbols_name(const elf_symbols *symbols, const elf_symbol *symbol)
{
	return symbols->names + symbol->name;
}

#endif
