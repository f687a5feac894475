/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/native_code.h
 * \brief Addresses of native code as the log names them: location, function, module. The writer thread's alone.
 */
#ifndef RECORDER_NATIVE_CODE_H
#define RECORDER_NATIVE_CODE_H

#include <mprof/recorder.h>

#include "base/hash_map.h"
#include "recorder/native_modules.h"
#include "recorder/output.h"
#include "recorder/shared.h"

/** Most locations: 160 MiB of memory, or half as much again while the table grows. Addresses beyond have none. */
#define NATIVE_LOCATIONS_MAX (UINT32_C(1) << 22)

/** Records that wait to be written before a block is made of them. */
#define NATIVE_PENDING_MAX 256

/** What is remembered of a location. */
typedef struct known_location {
	uint32_t module;     /**< ID of its module, 0 if it has none. */
	uint32_t generation; /**< State of the list of modules for which that holds; 0: to be looked up each time. */
} known_location;

typedef struct native_code {
	mprof_allocator allocator;
	recorder_shared *shared; /**< For its counter, and to announce that the loader is asked. */
	recorder_output *output;
	native_modules modules;
	hash_map locations;    /**< Address and whether it is one to return to → location. */
	known_location *known; /**< By location, from 1. */
	size_t known_capacity;
	hash_map functions;      /**< Module and number of the symbol → function. */
	uint32_t location_count; /**< IDs are 1 to this. The same for the other two. */
	uint32_t function_count;
	uint32_t module_count;
	int is_current;        /**< The modules were compared with the loader's since the last native_code_write(). */
	mprof_record *pending; /**< What is not in the log yet. */
	size_t pending_count;
} native_code;

/** \p with_symbols 0: functions are not looked up. */
void native_code_init(native_code *code, recorder_shared *shared, recorder_output *output, int with_symbols);
void native_code_destroy(native_code *code);

/**
 * The state of the list of modules: another one where addresses may have got another meaning. Holds until the next
 * native_code_location().
 */
uint32_t native_code_generation(native_code *code);

/**
 * The ID of an address, below 2^63, that was seen at a counter. \p is_return: it is one to return to. Its function is
 * then that of the call, which stands before it and may be the last instruction there; its offset is that of the
 * address all the same. \p is_final is set to 0 if the result may differ for a later counter. May write blocks: not to
 * be called inside of one. Returns 0 if there is no memory, or there are #NATIVE_LOCATIONS_MAX locations.
 */
uint32_t native_code_location(native_code *code, uint64_t address, int is_return, uint64_t counter, int *is_final);

/** Writes what is not in the log yet. */
void native_code_write(native_code *code);

#endif
