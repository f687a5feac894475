/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/loaded_modules.h
 * \brief What the loader has in memory.
 */
#ifndef RECORDER_LOADED_MODULES_H
#define RECORDER_LOADED_MODULES_H

#include "base/allocator.h"
#include "recorder/elf_build_id.h"

/** What a module is, and so where its file is found. */
typedef enum loaded_kind {
	LOADED_LIBRARY,
	LOADED_PROGRAM, /**< The loader gives no name for it. */
	LOADED_VDSO     /**< The system's own: it is a file in memory only. */
} loaded_kind;

typedef struct loaded_module {
	uint64_t start; /**< Its lowest address. */
	uint64_t end;   /**< After its highest. */
	uint64_t base;  /**< What its addresses are more than those in its file. */
	size_t name;    /**< Where its name begins in loaded_list::names. */
	loaded_kind kind;
	char build_id[ELF_BUILD_ID_TEXT];
} loaded_module;

/** How often the loader has added and removed modules. */
typedef struct loaded_counts {
	int are_known; /**< 0: it does not count. */
	uint64_t added;
	uint64_t removed;
} loaded_counts;

typedef struct loaded_list {
	loaded_module *modules; /**< By address. */
	size_t count;
	size_t capacity;
	char *names; /**< Each ends with NUL. */
	size_t names_length;
	size_t names_capacity;
	loaded_counts counts;
} loaded_list;

/** Asks the loader for its counts. */
loaded_counts loaded_counts_read(void);

/** Fills a list, all zero at first, whose memory is used again. Returns 0 if there is no memory. */
int loaded_list_read(loaded_list *list, const mprof_allocator *allocator);

void loaded_list_destroy(loaded_list *list, const mprof_allocator *allocator);

#endif
