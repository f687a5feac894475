/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/debug_file.h
 * \brief Opens the debug information of a module, if it is that of the recorded build. Only in the process with limits.
 */
#ifndef SYMBOLIZE_DEBUG_FILE_H
#define SYMBOLIZE_DEBUG_FILE_H

#include "symbolize/protocol.h"

#include <elfutils/libdwfl.h>

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
void debug_file_close(debug_file *file);

#endif
