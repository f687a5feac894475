/* SPDX-License-Identifier: MIT */
/**
 * \file writer/failed_end.h
 * \brief Ends a log that could not be written whole, for example because the disk is full.
 */
#ifndef WRITER_FAILED_END_H
#define WRITER_FAILED_END_H

#include <mprof/writer.h>

/**
 * After #MPROF_ERR_IO: writes a SESSION block with \p cause, the losses of thread 0, and END, so that the log itself
 * states what it lacks. Where the system refuses the room for these blocks, the last blocks of the log are removed, as
 * many as it takes; their events are added to \p counts [\p failed] and to \p removed. Definitions that were not
 * written yet are dropped: no event in the log refers to them. The error of the writer stays.
 *
 * Returns #MPROF_OK if the log has its end, #MPROF_ERR_UNSUPPORTED if it cannot have one: it is not a regular file, it
 * is compressed as a whole, or its dialect has no losses; and another status if the system refused.
 */
mprof_status writer_end_after_error(mprof_writer *writer, const mprof_property *cause, uint64_t *counts, size_t count,
				    mprof_loss_cause failed, uint64_t *removed);

#endif
