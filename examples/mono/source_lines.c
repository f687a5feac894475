/* SPDX-License-Identifier: MIT */
/* Looks up the source file and the line of a method. */
#include "source_lines.h"

#include <stddef.h>

/* The line of code that compilers generate without a source. */
#define HIDDEN_LINE 0xfeefee

MonoDebugSourceLocation *source_lines_of_method(MonoMethod *method)
{
	MonoDebugMethodInfo *debugged = mono_debug_enabled() ? mono_debug_lookup_method(method) : NULL;
	MonoDebugSourceLocation *location = debugged == NULL ? NULL : mono_debug_method_lookup_location(debugged, 0);

	if (location != NULL && (location->source_file == NULL || location->row == HIDDEN_LINE)) {
		mono_debug_free_source_location(location);
		return NULL;
	}
	return location;
}
