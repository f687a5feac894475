/* SPDX-License-Identifier: MIT */
/**
 * \file symbols.h
 * \brief The names of the functions of a program or library, read from its file, and their readable form. Functions
 * that are not exported have names if the file is not stripped. Any thread.
 */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUILD_ID_SIZE 32

/** What distinguishes a file from another one with the same name. */
typedef struct file_identity {
	unsigned char build_id[BUILD_ID_SIZE];
	size_t build_id_length; /**< 0: it has none, so the fields below count. */
	dev_t device;
	ino_t inode;
	off_t size;
	time_t changed;
	long changed_ns;
} file_identity;

/** A function; its name is an offset in symbol_table::names. */
typedef struct function_symbol {
	ElfW(Addr) start; /**< As in the file. */
	ElfW(Xword) size;
	uint32_t name;
	uint32_t rank; /**< Of names of one address, the lowest is shown. */
} function_symbol;

/** All 0: no function. */
typedef struct symbol_table {
	function_symbol *functions; /**< Sorted by address. */
	size_t count;
	char *names;
} symbol_table;

/** Identifies a loaded file: by the build ID in memory, or by what the file system has under the name. */
void symbols_identify(const struct dl_phdr_info *info, const char *path, file_identity *identity);

int symbols_is_same_file(const file_identity *a, const file_identity *b);

/** Reads the functions of a file, unless it is not the one with this identity any more. */
void symbols_read(symbol_table *table, const char *path, const file_identity *identity);

/** The linker name of the function at an address, as in the file; NULL if unknown. */
const char *symbols_find(const symbol_table *table, uintptr_t address);

/**
 * Looks for a C++ library that can demangle names. Call it when this module is loaded: later, the search may wait for a
 * thread that runs the constructors of a library.
 */
void symbols_find_demangler(void);

/** Looks for a C++ library that can demangle, and loads one, invisible to the program, if the program has none. */
void symbols_load_demangler(void);

/** The demangled name. The caller frees it; NULL if \p name is not a C++ name or there is no demangler. */
char *symbols_demangle(const char *name);

#endif
