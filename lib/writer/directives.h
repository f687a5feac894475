/* SPDX-License-Identifier: MIT */
/**
 * \file writer/directives.h
 * \brief The directives that the log declares.
 */
#ifndef WRITER_DIRECTIVES_H
#define WRITER_DIRECTIVES_H

#include <mprof/writer.h>

/** Applies the declared directives to events. \p allows_undefined: events may use any ID. */
void writer_apply_directives(mprof_writer *writer, int allows_undefined);

/** Writes a DIRECTIVES block. */
mprof_status writer_put_directives(mprof_writer *writer);

#endif
