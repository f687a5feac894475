/* SPDX-License-Identifier: MIT */
/**
 * \file writer/open.h
 * \brief Opens writers that continue a log.
 */
#ifndef WRITER_OPEN_H
#define WRITER_OPEN_H

#include <mprof/writer.h>

#include "writer/resume.h"

/**
 * Opens a writer that continues the log in \p fd after its last byte. IDs are not checked. For dialects whose blocks do
 * not depend on those before; other ones are refused with #MPROF_ERR_UNSUPPORTED. As mprof_writer_open_fd().
 */
mprof_status writer_open_resumed_fd(int fd, const mprof_writer_options *options, const writer_resume_state *state,
				    mprof_writer **writer);

/** The same for a sink. */
mprof_status writer_open_resumed_sink(const mprof_sink *sink, const mprof_writer_options *options,
				      const writer_resume_state *state, mprof_writer **writer);

#endif
