/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/native_modules.h
 * \brief The program and the libraries that are and were loaded, with the times.
 */
#ifndef RECORDER_NATIVE_MODULES_H
#define RECORDER_NATIVE_MODULES_H

#include "base/allocator.h"
#include "recorder/elf_symbols.h"
#include "recorder/loaded_modules.h"

#include <pthread.h>
#include <stdatomic.h>

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
	int is_seen;            /**< Used during an update. */
	int has_left;           /**< It was unloaded, and may have been loaded again. */
	int has_symbols;        /**< Its symbols were read. */
	int has_bounds;         /**< The bounds of its functions were read. */
	elf_symbols symbols;
	elf_symbols bounds; /**< Without names. */
} native_module;

/**
 * A time in which a module was loaded, in counters. The loader is not watched all the time, so between two looks at its
 * list it is open when a module was loaded or unloaded.
 */
typedef struct module_stay {
	native_module *module;
	uint64_t since; /**< Not loaded yet at the look before. */
	uint64_t first; /**< Seen from here ... */
	uint64_t last;  /**< ... up to here. While it is loaded: up to the last look. */
	uint64_t until; /**< Not loaded any more. UINT64_MAX while it is loaded. */
} module_stay;

typedef struct stay_array {
	module_stay *stays;
	size_t count;
	size_t capacity;
} stay_array;

/**
 * Owner: the writer thread, except native_modules_update(), which any thread may call. All but the modules themselves
 * is guarded by the lock, which is never held while the loader is called. A module does not change once it is listed,
 * except its ID and its symbols, which are the writer thread's, and only the writer thread releases modules.
 */
typedef struct native_modules {
	mprof_allocator allocator;
	const counter_source *source;
	int with_symbols;
	int is_of_another; /**< Those of a process that has ended; the loader is not asked. */
	pthread_mutex_t lock;
	native_module **known; /**< All that are or were loaded. One that is loaded again is the same. */
	size_t known_count;
	size_t known_capacity;
	stay_array present; /**< Sorted by address. */
	stay_array gone;    /**< Sorted by module_stay::until. */
	/**
	 * Incremented when the list changes; 0 before the first update. Changed under the lock. Release and acquire: a
	 * thread that sees the number also sees, with the lock, at least the list that it belongs to.
	 */
	_Atomic uint32_t generation;
	loaded_counts counts; /**< The loader's at the last look. */
	loaded_list found;    /**< Result of a look of the writer thread. */
} native_modules;

/** \p with_symbols 0: no function is known. Returns 0 if the lock cannot be created. */
int native_modules_init(native_modules *modules, const mprof_allocator *allocator, const counter_source *source,
			int with_symbols);
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

/** The generation of the list. */
static inline uint32_t native_modules_generation(const native_modules *modules)
{
	return atomic_load_explicit(&modules->generation, memory_order_acquire);
}

/** Whether the loader's list may have changed since the last update. Cheap if the loader counts changes. */
int native_modules_have_changed(native_modules *modules);

/** Whether the list has been compared since an event: what was loaded after that cannot have contained its address. */
int native_modules_were_compared_since(native_modules *modules, uint64_t counter);

/** Updates the list from the loader's. Returns 0 and changes nothing if out of memory. */
int native_modules_look(native_modules *modules);

/** Updates the list if the loader's has changed; for any thread. Returns 0 and changes nothing if out of memory. */
int native_modules_update(native_modules *modules);

/** Forgets what is too old to be needed. Modules of native_modules_find() become invalid. */
void native_modules_trim(native_modules *modules);

/**
 * The module of an address that was recorded at a counter. NULL if there was none, or if it is open which of several.
 * Valid until native_modules_trim(). \p is_final is set to 0 if the result differs for another counter.
 */
native_module *native_modules_find(native_modules *modules, uint64_t address, uint64_t counter, int *is_final);

/** The function at an address of the module, or NULL. The first call reads the file. */
const elf_symbol *native_modules_function(const native_modules *modules, native_module *module, uint64_t address);

/** The bounds of the function at an address of the module, or NULL. It has no name. The first call reads the file. */
const elf_symbol *native_modules_bounds(const native_modules *modules, native_module *module, uint64_t address);

#endif
