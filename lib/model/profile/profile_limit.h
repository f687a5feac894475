/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/profile_limit.h
 * \brief What happens after memory was refused: data that exceeds max_memory is left out and reported, whereas a
 * refusal of the allocator is an error.
 *
 * The functions are called after a refusal. Each returns 1 if max_memory was the cause, and 0 if it was the allocator.
 */
#ifndef MODEL_PROFILE_PROFILE_LIMIT_H
#define MODEL_PROFILE_PROFILE_LIMIT_H

#include <mprof/profile.h>

/** Counts an event, a record or a block that is left out. */
int profile_limit_skip_data(mprof_profile *profile);

/** Marks the results as incomplete. */
int profile_limit_skip_result(mprof_profile *profile);

/** Counts a part of the timeline that is left out. */
int profile_limit_skip_slice(mprof_profile *profile);

#endif
