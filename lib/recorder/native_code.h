/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/native_code.h
 * \brief The locations, functions and modules of native addresses, with their IDs. Writer thread only.
 */
#ifndef RECORDER_NATIVE_CODE_H
#define RECORDER_NATIVE_CODE_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/native_modules.h"
#include "recorder/output.h"
#include "recorder/salvage_journal.h"
#include "recorder/shared.h"

/** Maximum number of locations: 176 MiB of memory, 264 MiB while the table grows. Further addresses have none. */
#define NATIVE_LOCATIONS_MAX (UINT32_C(1) << 22)

/** Number of pending records at which a block is written. */
#define NATIVE_PENDING_MAX 256

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
} native_code;

/** \p with_symbols 0: functions are not looked up. Returns 0 if a lock cannot be created. */
int native_code_init(native_code *code, recorder_shared *shared, recorder_output *output, salvage_journal *journal,
		     int with_symbols);
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
 * must not be called while one is being written. Returns 0 if out of memory or if there are #NATIVE_LOCATIONS_MAX
 * locations.
 */
uint32_t native_code_location(native_code *code, uint64_t address, int is_return, uint64_t counter, int *is_final);

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
