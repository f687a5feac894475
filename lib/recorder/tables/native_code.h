/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/native_code.h
 * \brief The locations, functions and modules of native addresses, with their IDs. Writer thread only.
 */
#ifndef RECORDER_TABLES_NATIVE_CODE_H
#define RECORDER_TABLES_NATIVE_CODE_H

#include <mprof/recorder.h>

#include "base/allocator.h"
#include "base/hash_map.h"
#include "recorder/system/elf_symbols.h"
#include "recorder/system/loaded_modules.h"
#include "recorder/tables/output.h"
#include "recorder/queues/salvage_journal.h"
#include "recorder/queues/shared.h"

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
	uint64_t file_identity;         /**< Without a build ID: identity of its file when it was found, or 0. */
	uint32_t id;                    /**< In the log, 0 until it is used. Set by the caller. */
	int is_seen;                    /**< Used during an update. */
	int has_left;                   /**< It was unloaded, and may have been loaded again. */
	int has_keys;                   /**< The next two are known. */
	uint32_t number;                /**< Among the modules that have been at its addresses. */
	struct native_module *original; /**< Same file, loaded first, at other addresses; NULL if this is it. */
	int has_symbols;                /**< Its symbols were read. */
	int has_bounds;                 /**< The bounds of its functions were read. */
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
 * except its ID and its bounds, which are the writer thread's, and what the lock guards: its symbols, until they were
 * read, and its number. Only the writer thread releases modules, and none that has keys.
 */
typedef struct native_modules {
	mprof_allocator allocator;
	const counter_source *source;
	int with_symbols;
	int with_keys;     /**< Keys of methods are those of functions. */
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

/** Removes all modules of native_modules_recover(). */
void native_modules_clear(native_modules *modules);

/**
 * Updates the list if the loader's has changed, before or after a module is unloaded: the keys and names of its
 * functions are kept. Any thread. Returns 0 and changes nothing if out of memory.
 */
int native_modules_follow(native_modules *modules);

/**
 * The key of the function at an address; 0 if its module has too large a number. \p first and \p last receive the
 * addresses of the module. An address without a module is its own key and range. Any thread. Returns 0 if out of
 * memory.
 */
int native_modules_find_key(native_modules *modules, uint64_t address, mprof_key *key, uint64_t *first, uint64_t *last);

/**
 * The name of the function with a key, and that of its module; NULL if unknown, or out of memory. Valid as long as the
 * list. Any thread.
 */
void native_modules_name_key(native_modules *modules, mprof_key key, const char **module, const char **function);

/** A location that has an ID. */
typedef struct known_location {
	uint32_t module;     /**< ID of its module, 0 if it has none. */
	uint32_t generation; /**< Generation of the list of modules for which this is valid; 0: look it up each time. */
	uint32_t previous;   /**< Location of the same address in another module, 0 if there is none. */
} known_location;

typedef struct native_code {
	mprof_allocator allocator;
	recorder_shared *shared; /**< For its counter, and to announce calls to the loader. */
	recorder_output *output;
	native_modules modules;
	salvage_journal *journal; /**< Of the modules. */
	hash_map locations;       /**< Address and whether it is a return address → location. */
	known_location *known;    /**< Indexed by location, from 1. */
	size_t known_capacity;
	hash_map functions;      /**< Module and index of the symbol → function. */
	uint32_t location_count; /**< IDs are 1 to this; likewise for the other two. */
	uint32_t function_count;
	uint32_t module_count;
	uint32_t journaled;    /**< Generation of the list of modules that the journal has. */
	int is_current;        /**< The modules were compared with the loader's since the last native_code_write(). */
	mprof_record *pending; /**< Records that are not in the log yet. */
	size_t pending_count;
	char unnamed[320]; /**< Name of the function without a symbol that was described last. */
} native_code;

/**
 * Of the options, those about symbols and keys of functions are used. Returns 0 if a lock cannot be created.
 */
int native_code_init(native_code *code, recorder_shared *shared, recorder_output *output, salvage_journal *journal,
		     const mprof_recorder_options *options);
void native_code_destroy(native_code *code);

/** Appends the list of modules and the IDs of functions and locations to the journal. */
void native_code_write_journal(native_code *code);

/**
 * The generation of the list of modules, which changes when addresses may have another meaning. Valid until the next
 * native_code_location().
 */
uint32_t native_code_generation(native_code *code);

/**
 * Returns the ID of an address, below 2^63, that was recorded at a counter. With \p is_return it is a return address:
 * its function is that of the call before it, which may be the last instruction of the function; its offset is still
 * that of the address. \p is_final is set to 0 if the result may differ for a later counter. May write blocks, so it
 * must not be called while one is being written. Returns 0 if out of memory or if there are #MAX_LOCATIONS
 * locations.
 */
uint32_t native_code_location(native_code *code, uint64_t address, int is_return, uint64_t counter, int *is_final);

/**
 * Describes the function with a key as a method, or with \p is_class the module with a key as its class. Returns 0 if
 * there is none. The names are valid until the next call.
 */
int native_code_describe(native_code *code, mprof_key key, int is_class, mprof_description *description);

/** Writes the list of loaded modules to the journal, for addresses that are drained by recovery. */
void native_code_follow_modules(native_code *code);

/**
 * Applies an entry of the journal of a process that has ended. The counts are set to those of the log before; IDs above
 * them are not in the log and are assigned again. Returns 0 if there is no memory.
 */
int native_code_recover(native_code *code, const journal_entry *entry);

/** Writes the pending records. */
void native_code_write(native_code *code);

#endif
