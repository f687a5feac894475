/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/debug_frames.h
 * \brief The functions that an address belongs to, with their source lines. Only in the process with limits.
 */
#ifndef SYMBOLIZE_DEBUG_FRAMES_H
#define SYMBOLIZE_DEBUG_FRAMES_H

#include "symbolize/debug_units.h"
#include "symbolize/protocol.h"

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
