/* SPDX-License-Identifier: MIT */
/**
 * \file reader/open_follow.h
 * \brief Follows the calls in the events of the loaded block.
 */
#ifndef READER_OPEN_FOLLOW_H
#define READER_OPEN_FOLLOW_H

#include "reader/open_frames.h"

/**
 * Follows \p count events of the block that open_frames_begin() began. If \p resolves is set, implicit leaves become
 * leaves with their method (0 if not known) and #MPROF_EVENT_FLAG_IMPLICIT. Returns #MPROF_OK; #MPROF_ERR_MEMORY or
 * #MPROF_ERR_LIMIT, and the stack is then unknown from some event on.
 */
mprof_status open_frames_follow(open_frames *frames, mprof_event *events, size_t count, int resolves);

#endif
