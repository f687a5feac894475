/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/debug_file.h
 * \brief Opens the debug information of a module, if it is that of the recorded build. Only in the process with limits.
 */
#ifndef SYMBOLIZE_DEBUG_FILE_H
#define SYMBOLIZE_DEBUG_FILE_H

#include "symbolize/protocol.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

typedef struct debug_file {
	Dwfl *session;
	Dwfl_Module *module;
	Dwarf *dwarf;       /**< NULL: there is no debug information. */
	Dwarf_Addr start;   /**< Address in the debug information of the module's first byte. */
	Dwarf_Addr address; /**< The same for symbols. */
} debug_file;

/**
 * Opens the file of a module, or its file below /usr/lib/debug, whichever has the build ID. The debug information may
 * be in a separate file, which is found by the build ID or the debug link. Call debug_file_close() in all cases.
 */
debug_state debug_file_open(debug_file *file, const char *build_id, const char *path);

/**
 * The name of the function at an offset in the module, by the symbols of its file, of the separate one, or of those
 * that are compressed in its section .gnu_debugdata. NULL if unknown, or if the state is not #DEBUG_FOUND or
 * #DEBUG_NONE. Valid until debug_file_close().
 */
const char *debug_file_symbol(const debug_file *file, uint64_t offset);
/*
 * libdw searches units in .debug_aranges, which not all compilers write, and functions by visiting the whole unit.
 */

/** A range of addresses, and the index of what it belongs to. */
typedef struct address_range {
	Dwarf_Addr start;
	Dwarf_Addr end; /**< After the last address. */
	size_t index;
} address_range;

/** Ranges sorted by start. */
typedef struct address_ranges {
	address_range *ranges;
	size_t count;
	size_t capacity;
} address_ranges;

/** A function of a unit that has addresses. */
typedef struct debug_function {
	Dwarf_Die die;
} debug_function;

typedef struct debug_unit {
	Dwarf_Die lines;           /**< The unit that has the line table. */
	Dwarf_Die code;            /**< The unit that has the functions: another one with split DWARF. */
	int is_read;               /**< The fields below are filled in. */
	debug_function *functions; /**< In the order of the unit. */
	size_t function_count;
	size_t function_capacity;
	address_ranges ranges; /**< Of functions. */
} debug_unit;

typedef struct debug_units {
	debug_unit *units; /**< In the order of the file. */
	size_t count;
	size_t capacity;
	address_ranges ranges; /**< Of units. */
} debug_units;

/** Finds the units of a file, which stay until the helper ends. Returns 0 if out of memory. */
int debug_units_read(debug_units *units, Dwarf *dwarf);
/** A frame. The texts are "" if unknown, and truncated if they are longer. */
typedef struct debug_frame {
	uint32_t line;
	uint32_t defined_line;
	int is_inlined;
	char name[LINES_MAX_TEXT + 1]; /**< As the linker names the function, or else as the source does. */
	char file[LINES_MAX_TEXT + 1];
	char defined_file[LINES_MAX_TEXT + 1];
} debug_frame;

/**
 * Finds the frames of an address: the functions inlined there, innermost first, then the function itself. Without a
 * known function there is one frame with a line alone. Returns their number, at most #LINES_MAX_FRAMES; 0 if the
 * address is in no unit.
 */
size_t debug_frames_find(debug_units *units, Dwarf_Addr address, debug_frame frames[LINES_MAX_FRAMES]);

/** Makes a frame of a name alone. Returns the number of frames, 0 if \p name is NULL. */
size_t debug_frames_name(debug_frame *frame, const char *name);

#endif
