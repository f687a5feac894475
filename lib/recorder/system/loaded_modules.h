/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/system/loaded_modules.h
 * \brief The modules that the loader has mapped.
 */
#ifndef RECORDER_SYSTEM_LOADED_MODULES_H
#define RECORDER_SYSTEM_LOADED_MODULES_H

#include "base/allocator.h"
#include "recorder/system/counter.h"
#include "recorder/system/elf_symbols.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/** Whether the process was made by fork() and has not executed a program since. Any thread. */
int loaded_maps_are_needed(void);

/** The kind of a module, which determines where its file is found. */
typedef enum loaded_kind {
	LOADED_LIBRARY,
	LOADED_PROGRAM, /**< The program itself, for which the loader has no name. */
	LOADED_VDSO     /**< The vDSO, an ELF file in memory only. */
} loaded_kind;

typedef struct loaded_module {
	uint64_t start; /**< Its lowest address. */
	uint64_t end;   /**< After its highest. */
	uint64_t base;  /**< Difference between its addresses and those in its file. */
	size_t name;    /**< Offset of its name in loaded_list::names. */
	loaded_kind kind;
	char build_id[ELF_BUILD_ID_TEXT];
} loaded_module;

/** How many modules the loader has added and removed. */
typedef struct loaded_counts {
	int are_known; /**< 0: the loader has no counts. */
	uint64_t added;
	uint64_t removed;
	uint64_t counter; /**< The recorder's counter when they were read: the loader changed nothing meanwhile. */
} loaded_counts;

typedef struct loaded_list {
	loaded_module *modules; /**< Sorted by address. */
	size_t count;
	size_t capacity;
	char *names; /**< Each ends with NUL. */
	size_t names_length;
	size_t names_capacity;
	loaded_counts counts;
} loaded_list;

/** Gets the loader's counts. */
loaded_counts loaded_counts_read(const counter_source *source);

/**
 * Fills a list, which is all zero before the first call and whose memory is reused. Returns 0 if there is no memory.
 */
int loaded_list_read(loaded_list *list, const mprof_allocator *allocator, const counter_source *source);

void loaded_list_destroy(loaded_list *list, const mprof_allocator *allocator);

#endif
