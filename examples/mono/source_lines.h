/* SPDX-License-Identifier: MIT */
/**
 * \file source_lines.h
 * \brief Source files and lines of methods, from the runtime's debugging information: .mdb files and portable .pdb
 * files, which it reads if it is started with --debug.
 */
#ifndef SOURCE_LINES_H
#define SOURCE_LINES_H

#include <mono/metadata/mono-debug.h>

/**
 * Returns the position of a method's first code; NULL if it is unknown. The caller frees it with
 * mono_debug_free_source_location(). Takes the runtime's lock of debugging information.
 */
MonoDebugSourceLocation *source_lines_of_method(MonoMethod *method);

#endif
