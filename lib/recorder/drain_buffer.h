/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain_buffer.h
 * \brief Converts the slots of a buffer to an EVENTS block. Writer thread.
 */
#ifndef RECORDER_DRAIN_BUFFER_H
#define RECORDER_DRAIN_BUFFER_H

#include "recorder/drain_state.h"
#include "recorder/thread.h"

/** Writes the slots of a buffer that were published and not drained yet, up to \p published. */
void drain_buffer(recorder_drain *drain, mprof_thread *thread, event_buffer *buffer, uint32_t published);

#endif
