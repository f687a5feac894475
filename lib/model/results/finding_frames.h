/* SPDX-License-Identifier: MIT */
/**
 * \file model/results/finding_frames.h
 * \brief Findings about the frames of call stacks that take time.
 */
#ifndef MODEL_RESULTS_FINDING_FRAMES_H
#define MODEL_RESULTS_FINDING_FRAMES_H

#include "model/results/finding_list.h"

/**
 * Adds the frame with the most time of its own and the path that most time has in common. Returns #MPROF_OK, or the
 * status of a tree of frames.
 */
mprof_status finding_frames_find(finding_source *source);

#endif
