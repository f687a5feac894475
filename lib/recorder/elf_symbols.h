/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/elf_symbols.h
 * \brief The functions in the symbol tables of ELF files.
 *
 * Nothing in a file is trusted: a damaged, truncated or malicious file results in fewer or wrong names.
 */
#ifndef RECORDER_ELF_SYMBOLS_H
#define RECORDER_ELF_SYMBOLS_H

#include "base/allocator.h"
#include "recorder/elf_image.h"

#include <stdint.h>

/** Maximum number of functions of a module, and of bytes of their names. Functions beyond that have no name. */
#define ELF_SYMBOLS_MAX (UINT32_C(1) << 24)
#define ELF_NAMES_MAX (UINT32_C(1) << 28)

/** A function. */
typedef struct elf_symbol {
	uint64_t start;     /**< Its address in the file's own address space. */
	uint64_t end;       /**< After its last byte, or its section's if its size is not known. */
	uint32_t name;      /**< Where its name begins in elf_symbols::names, if these have names. */
	uint32_t enclosing; /**< Index + 1 of the closest preceding function that contains this one's start, or 0. */
	uint32_t rank;      /**< Of several at one address, the lowest rank provides the name. */
	uint32_t has_size;  /**< 1: its size is known. */
} elf_symbol;

typedef struct elf_symbols {
	mprof_allocator allocator;
	elf_symbol *symbols; /**< Once sorted: ordered by start, at most one for each start. */
	size_t count;
	size_t capacity;
	char *names; /**< Each ends with NUL. */
	size_t names_length;
} elf_symbols;

void elf_symbols_init(elf_symbols *symbols, const mprof_allocator *allocator);
void elf_symbols_destroy(elf_symbols *symbols);

/**
 * Adds the functions that a file names. \p build_id: the module's, in hexadecimal; a file with another one is not the
 * module's and is ignored. "" is not compared. Returns 1 if the file has a full symbol table, 0 if it has only that of
 * the dynamic linker, or none.
 */
int elf_symbols_add_file(elf_symbols *symbols, const char *path, const char *build_id);

/** Adds the functions that a file in memory names. Returns 1 if it has a full symbol table, otherwise 0. */
int elf_symbols_add_memory(elf_symbols *symbols, const void *bytes, size_t length);

/** Whether the file is that of a module with a build ID, as above. */
int elf_symbols_is_module(elf_image *image, const char *build_id);

/** Adds a function. Returns 0 if there is no room. */
int elf_symbols_append(elf_symbols *symbols, const elf_symbol *symbol);

/** Sorts the functions. Call it once, after the last addition and before elf_symbols_find(). */
void elf_symbols_sort(elf_symbols *symbols);

/** The function that contains an address, or NULL. */
const elf_symbol *elf_symbols_find(const elf_symbols *symbols, uint64_t address);

static inline const char *elf_symbols_name(const elf_symbols *symbols, const elf_symbol *symbol)
{
	return symbols->names + symbol->name;
}

#endif
