/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/native_modules.h
 * \brief The program and the libraries that the loader has in memory. All of this is the writer thread's.
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
	uint64_t base;                    /**< What its addresses are more than those in its file. */
	char *loader_name;                /**< As the loader calls it. */
	char *file;                       /**< Its file, as far as it can be determined. */
	char build_id[ELF_BUILD_ID_TEXT]; /**< Hexadecimal, "" if it has none. */
	loaded_kind kind;
	uint64_t file_identity; /**< Without a build ID: what its file was when it was first seen, or 0. */
	uint32_t id;            /**< In the log; 0 until it is used. The user's. */
	uint64_t gone_at;       /**< The counter at which it was not there any more; 0 while it is. */
	int is_seen;            /**< While looking. */
	int has_symbols;        /**< They were looked for. */
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
	module_array present; /**< By address. */
	module_array gone;    /**< Those that the last look which found a change missed. */
	uint32_t generation;  /**< Raised when the list changes; 0 before the first look. */
	loaded_counts counts; /**< The loader's, as of the last look. */
	loaded_list found;    /**< What a look finds. */
} native_modules;

/** \p with_symbols 0: no function is known. */
void native_modules_init(native_modules *modules, const mprof_allocator *allocator, int with_symbols);
void native_modules_destroy(native_modules *modules);

/** Whether the loader's list has changed since the last look, or may have. Cheap where the loader counts. */
int native_modules_have_changed(const native_modules *modules);

/**
 * Looks at the loader's list. Modules that are not there any more are kept until the list changes again: what was seen
 * before \p counter, which is the current one, may be in them. Returns 0, changing nothing, if there is no memory.
 */
int native_modules_look(native_modules *modules, uint64_t counter);

/**
 * The module of an address that was seen at a counter, or NULL. Valid until the next look. \p is_final is set to 0 if
 * it is gone: a later counter has another answer.
 */
native_module *native_modules_find(const native_modules *modules, uint64_t address, uint64_t counter, int *is_final);

/** The function at an address of the module, or NULL. Valid until the next look. Reads the module's file at first. */
const elf_symbol *native_modules_function(const native_modules *modules, native_module *module, uint64_t address);

#endif
