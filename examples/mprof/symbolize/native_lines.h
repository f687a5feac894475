/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/native_lines.h
 * \brief Source lines and inlined functions of the native code in a log, from the debug information of its modules.
 */
#ifndef SYMBOLIZE_NATIVE_LINES_H
#define SYMBOLIZE_NATIVE_LINES_H

#include <mprof/reader.h>

#include "symbolize/protocol.h"

#include <sys/types.h>

/** A function at a location. Equal texts have the same address, apart from rare exceptions. */
typedef struct native_frame {
	const char *name;         /**< NULL if unknown. */
	const char *symbol;       /**< As in the object file, if \ref name is another one; NULL if not. */
	const char *file;         /**< Of the instruction or the call; NULL if unknown. */
	const char *defined_file; /**< Of the definition of the function; NULL if unknown. */
	uint32_t line;            /**< In \ref file; 0 if unknown. */
	uint32_t defined_line;
	int is_inlined;
} native_frame;

typedef struct native_lines native_lines;

/** Whether this program can read debug information. */
int native_lines_is_supported(void);

/**
 * Creates a lookup. The reader is borrowed. \p uses_symbols: names are those of the object file, not those of the
 * source. NULL if debug information is not supported or out of memory; the other functions then find nothing.
 */
native_lines *native_lines_create(const mprof_reader *reader, int uses_symbols);
void native_lines_destroy(native_lines *lines);

/**
 * Finds the functions at a location: those inlined there, innermost first, and then the function itself, which has its
 * recorded name if there is one. \p is_return: the location is a return address. Returns their number, 0 if there is
 * no debug information. \p frames is valid until native_lines_destroy().
 */
size_t native_lines_find(native_lines *lines, uint32_t location, int is_return, const native_frame **frames);

/** Whether the debug information of a module can be used. Returns 0 if no location in the module was looked up. */
int native_lines_get_state(const native_lines *lines, uint32_t module, debug_state *state);

#endif
