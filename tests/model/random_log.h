/* SPDX-License-Identifier: MIT */
/**
 * \file random_log.h
 * \brief Logs of random events of two threads, for comparisons of results.
 */
#ifndef MODEL_RANDOM_LOG_H
#define MODEL_RANDOM_LOG_H

#include "profile_fixture.h"

/* A random number up to \p largest, the same in every run. */
static inline uint64_t random_to(uint64_t *state, uint64_t largest)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*state >> 33) % (largest + 1);
}

static inline void write_random_event(test_log *log, uint64_t *state, uint64_t counter)
{
	const mprof_event_detail object = {.struct_size = sizeof(mprof_event_detail), .object = 0x1000};
	uint32_t id = 1 + (uint32_t)random_to(state, DEFINED_IDS - 1);

	switch (random_to(state, 9)) {
	case 0:
	case 1:
	case 2:
		enter(log, id, counter);
		break;
	case 3:
	case 4:
		leave(log, id, counter);
		break;
	case 5:
		add_full(log, MPROF_EVENT_ALLOCATION, id, counter, 8 * id, 0);
		break;
	case 6:
		add(log, random_to(state, 1) ? MPROF_EVENT_METHOD_JIT_START : MPROF_EVENT_METHOD_JIT_END, id, counter);
		break;
	case 7:
		add_detailed(log, MPROF_EVENT_MONITOR, 6, counter,
			     random_to(state, 1) ? MPROF_MONITOR_CONTENDED : MPROF_MONITOR_ACQUIRED, &object);
		break;
	case 8:
		add_value(log, random_to(state, 1) ? MPROF_EVENT_GC_START : MPROF_EVENT_GC_END, 0, counter);
		break;
	default:
		add(log, MPROF_EVENT_EXCEPTION, id, counter);
	}
}

/*
 * Blocks of two threads at any times up to 1000, so that the clock of a thread also jumps back from one block to the
 * next. At the end the threads leave all methods.
 */
static inline void write_random_log(test_log *log, uint64_t *state)
{
	log_begin(log);
	for (int block = 0; block < 12; block++) {
		uint64_t counter = random_to(state, 900);

		begin_block(log, 7 + random_to(state, 1), counter);
		for (int event = 0; event < 20; event++) {
			write_random_event(log, state, counter);
			counter += random_to(state, 9);
		}
		end_block(log);
	}
	for (uint64_t thread = 7; thread <= 8; thread++) {
		begin_block(log, thread, 1100);
		add_value(log, MPROF_EVENT_THREAD_END, thread, 1100);
		end_block(log);
	}
	log_close(log, 0);
}

#endif
