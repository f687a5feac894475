/* SPDX-License-Identifier: MIT */
/**
 * \file random_rows.h
 * \brief Events at random that are stored as rows among columns.
 */
#ifndef MODEL_RANDOM_ROWS_H
#define MODEL_RANDOM_ROWS_H

#include "model/profile_fixture.h"

#define RANDOM_ROW_KINDS 11
#define RANDOM_ROWS_WITHOUT_CALLS 5

/** A random number below \p limit, the same in every run. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % limit;
}

/**
 * Adds an event that has no symbol in columns, of the first \p kinds of #RANDOM_ROW_KINDS. The first
 * #RANDOM_ROWS_WITHOUT_CALLS change nothing that calls depend on.
 */
static inline void add_random_row(test_log *log, uint64_t *state, uint32_t kinds, uint64_t thread, uint64_t counter)
{
	const uint32_t id = 1 + random_below(state, DEFINED_IDS);

	switch (random_below(state, kinds)) {
	case 0:
		add(log, MPROF_EVENT_METHOD_JIT_START, id, counter);
		break;
	case 1:
		add(log, MPROF_EVENT_METHOD_JIT_END, id, counter);
		break;
	case 2:
		add(log, MPROF_EVENT_EXCEPTION, id, counter);
		break;
	case 3:
		add_full(log, MPROF_EVENT_ALLOCATION_AT_JIT, id, counter, 16, 0);
		break;
	case 4:
		add_value(log, MPROF_EVENT_GC_RESIZE, 4096, counter);
		break;
	case 5:
		add(log, MPROF_EVENT_METHOD_LEAVE_EXCEPTION, id, counter);
		break;
	case 6:
		add_value(log, MPROF_EVENT_RECORDING_RESUMED, random_below(state, 5), counter);
		break;
	case 7:
		add_value(log, MPROF_EVENT_STACK_SWITCH, random_below(state, 4), counter);
		break;
	case 8:
		add_value(log, MPROF_EVENT_STACK_END, 1 + random_below(state, 3), counter);
		break;
	case 9:
		add(log, MPROF_EVENT_METHOD_LEAVE_TAIL, id, counter);
		break;
	default:
		add_value(log, MPROF_EVENT_THREAD_START, thread, counter);
	}
}

#endif
