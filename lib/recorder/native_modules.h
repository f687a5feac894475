/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/native_modules.h
 * \brief The program and the libraries that are loaded. Writer thread only.
 */
#ifndef RECORDER_NATIVE_MODULES_H
#define RECORDER_NATIVE_MODULES_H

#include "base/allocator.h"
#include "recorder/elf_symbols.h"
#include "recorder/loaded_modules.h"

/** A program or library. */
typedef struct native_module {
	uint64_t start;                   /**< Its lowest address. */
	uint64_t end;                     /**< After its highest. */
	uint64_t base;                    /**< Difference of its addresses to those in its file. */
	char *loader_name;                /**< Its name in the loader's list. */
	char *file;                       /**< Its file, as far as it can be determined. */
	char build_id[ELF_BUILD_ID_TEXT]; /**< Hexadecimal, "" if it has none. */
	loaded_kind kind;
	uint64_t file_identity; /**< Without a build ID: identity of its file when it was found, or 0. */
	uint32_t id;            /**< In the log, 0 until it is used. Set by the caller. */
	uint64_t gone_at;       /**< Counter at which it was found unloaded; 0 while it is loaded. */
	int is_seen;            /**< Used during an update. */
	int has_symbols;        /**< Its symbols were read. */
	elf_symbols symbols;
} native_module;

typedef struct module_array {
	native_module **modules;
	size_t count;
	size_t capacity;
} module_array;

typedef struct native_modules {
	mprof_allocator allocator;
	int with_symbols;
	int is_of_another;    /**< Those of a process that has ended; the loader is not asked. */
	module_array present; /**< Sorted by address. */
	module_array gone;    /**< The modules that the last change of the list removed. */
	uint32_t generation;  /**< Incremented when the list changes; 0 before the first update. */
	loaded_counts counts; /**< The loader's counts at the last update. */
	loaded_list found;    /**< Result of an update. */
} native_modules;

/** \p with_symbols 0: no function is known. */
void native_modules_init(native_modules *modules, const mprof_allocator *allocator, int with_symbols);
void native_modules_destroy(native_modules *modules);

/**
 * Adds a module of a process that has ended, with its file and its ID in the log. After this, the list is that of the
 * process, and the loader is not asked. Returns 0 if there is no memory.
 */
int native_modules_recover(native_modules *modules, const loaded_module *left, const char *file, uint32_t id);

/** Assigns the ID that the log has for the module that starts at an address. Returns 0 if there is no such module. */
int native_modules_assign(native_modules *modules, uint64_t start, uint32_t id);

/** Removes all modules of native_modules_recover(). */
void native_modules_clear(native_modules *modules);

/** Whether the loader's list may have changed since the last update. Cheap if the loader counts changes. */
int native_modules_have_changed(const native_modules *modules);

/**
 * Updates the list from the loader's. Unloaded modules are kept until the list changes again: addresses recorded before
 * \p counter, the current one, may be in them. Returns 0 and changes nothing if out of memory.
 */
int native_modules_look(native_modules *modules, uint64_t counter);

/**
 * The module of an address that was recorded at a counter, or NULL. Valid until the next update. \p is_final is set to
 * 0 if the module is unloaded: for a later counter the result differs.
 */
native_module *native_modules_find(const native_modules *modules, uint64_t address, uint64_t counter, int *is_final);

/** The function at an address of the module, or NULL. Valid until the next update. The first call reads the file. */
const elf_symbol *native_modules_function(const native_modules *modules, native_module *module, uint64_t address);

#endif
