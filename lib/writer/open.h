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
 * Opens a writer that continues the log in \p fd after its last byte, like mprof_writer_open_fd(). IDs are not checked.
 * Returns #MPROF_ERR_UNSUPPORTED for dialects whose blocks depend on earlier blocks beyond \p state.
 */
mprof_status writer_open_resumed_fd(int fd, const mprof_writer_options *options, const writer_resume_state *state,
				    mprof_writer **writer);

/** Like writer_open_resumed_fd(), for a sink to which the log is continued. */
mprof_status writer_open_resumed_sink(const mprof_sink *sink, const mprof_writer_options *options,
				      const writer_resume_state *state, mprof_writer **writer);

#endif
