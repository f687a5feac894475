/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/partial_profile.h
 * \brief What the events of one block add to a profile, computed without the profile, so that any thread can do it. The
 * thread that reads then adds it to the profile.
 *
 * The methods that are open at the start of the block are not known to the former. Events are therefore divided into
 * runs, and the calls of a run are a tree that starts with the unknown frame on top of the stack. A return from it
 * leads to the frame below, which is not known either. When the run is added to a profile, the nodes of the tree become
 * nodes of the call tree of the profile. There are far fewer of them than events, since calls repeat.
 *
 * A run ends at each event that is not a call, a return, or an allocation. Such events are kept, and the profile adds
 * them as usual between the runs: they may change the stack, so the next run starts with an unknown frame again.
 *
 * All memory is part of the struct. If it is not enough, there is no partial profile.
 *
 * The result is the same as if the events had been added one by one: the tables grow in the same order, and what a
 * partial profile cannot state is left to the events.
 */
#ifndef MODEL_PROFILE_PARTIAL_PROFILE_H
#define MODEL_PROFILE_PARTIAL_PROFILE_H

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
