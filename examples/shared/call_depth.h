/* SPDX-License-Identifier: MIT */
/**
 * \file call_depth.h
 * \brief The option depth=N: calls deeper than N are not recorded.
 *
 * Each thread has a call depth that starts at 0. Every enter and leave that the runtime reports, recorded or not, goes
 * through one of these functions, so that enters and leaves agree on which calls are left out.
 */
#ifndef SHARED_CALL_DEPTH_H
#define SHARED_CALL_DEPTH_H

#include <stdint.h>

/** Counts the start of a call. Returns 1 if the call is to be recorded. \p limit: 0 for no limit. */
static inline int call_depth_enter(uint32_t *depth, uint32_t limit)
{
	return limit == 0 || (*depth)++ < limit;
}

/** Counts the end of a call, by return or by exception. Returns 1 if the end is to be recorded. */
static inline int call_depth_leave(uint32_t *depth, uint32_t limit)
{
	if (limit == 0)
		return 1;
	/* The call may have been entered before the runtime began to report calls. */
	if (*depth > 0)
		(*depth)--;
	return *depth < limit;
}

#endif
