/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/profile_partial.h
 * \brief Adds partial profiles, which other threads have built of blocks, to a profile.
 *
 * The result is the same as if the events had been added one by one: the tables grow in the same order, and what a
 * partial profile cannot state is left to the events.
 */
#ifndef MODEL_PROFILE_PROFILE_PARTIAL_H
#define MODEL_PROFILE_PROFILE_PARTIAL_H

#include <mprof/profile.h>

struct thread_record;

/**
 * Adds the partial profile of the loaded EVENTS block, if there is one, as far as possible, and has other threads of
 * the reader build those of later blocks. \p added receives the number of events that were added, which are the first
 * ones of the block; the others have to be fetched unless \p is_whole is set. Returns 0 if there is no memory.
 */
int profile_partial_add(mprof_profile *profile, mprof_reader *reader, struct thread_record *thread, size_t *added,
			int *is_whole);

/** Called when no blocks follow: other threads build no partial profiles any more. */
void profile_partial_end(mprof_reader *reader);

#endif
