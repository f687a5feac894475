/* SPDX-License-Identifier: MIT */
/**
 * \file call_depth.h
 * \brief The option depth=N: calls deeper than N are not recorded.
 *
 * Each thread keeps its depth, 0 at first. Every call that the runtime reports as entered or left, recorded or not,
 * goes through one of these, so that both always agree on which calls are left out.
 */
#ifndef CALL_DEPTH_H
#define CALL_DEPTH_H

#include <stdint.h>

/** A call begins. Returns 1 if it is to be recorded. \p limit is 0 for no limit. */
static inline int call_depth_enter(uint32_t *depth, uint32_t limit)
{
	return limit == 0 || (*depth)++ < limit;
}

/** A call ends, in any way. Returns 1 if it is to be recorded. */
static inline int call_depth_leave(uint32_t *depth, uint32_t limit)
{
	if (limit == 0)
		return 1;
	/* Its begin may have been before the runtime told us of calls. */
	if (*depth > 0)
		(*depth)--;
	return *depth < limit;
}

#endif
