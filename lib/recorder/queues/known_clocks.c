/* SPDX-License-Identifier: MIT */
/* Assigns IDs to clocks, and keeps the pairs by which their times are converted. */
#include "recorder/queues/known_clocks.h"

#include "base/checked.h"

#include <string.h>

int known_clocks_init(known_clocks *clocks, const mprof_allocator *allocator)
{
	clocks->allocator = *allocator;
	clocks->count = MPROF_CLOCK_LOG;
	return pthread_mutex_init(&clocks->lock, NULL) == 0;
}

void known_clocks_destroy(known_clocks *clocks)
{
	for (uint32_t i = MPROF_CLOCK_LOG; i < clocks->count; i++) {
		known_clock *clock = clocks->clocks[i];

		allocator_release(&clocks->allocator, clock->pairs, clock->capacity * sizeof(*clock->pairs));
		allocator_release(&clocks->allocator, clock, sizeof(*clock));
	}
	pthread_mutex_destroy(&clocks->lock);
}

mprof_status known_clocks_define(known_clocks *clocks, message_queue *messages, message *definition, uint32_t *id)
{
	const mprof_clock_record *record = &definition->more.record.as.clock;
	known_clock *added = allocator_allocate_zeroed(&clocks->allocator, sizeof(*added));

	if (added == NULL)
		return MPROF_ERR_MEMORY;
	added->rate = (clock_ratio){record->numerator, record->denominator};
	pthread_mutex_lock(&clocks->lock);
	if (clocks->count == MPROF_RECORDED_CLOCKS_MAX) {
		pthread_mutex_unlock(&clocks->lock);
		allocator_release(&clocks->allocator, added, sizeof(*added));
		return MPROF_ERR_LIMIT;
	}
	clocks->clocks[clocks->count++] = added;
	*id = clocks->count;
	definition->more.record.id = clocks->count;
	message_queue_push(messages, definition);
	pthread_mutex_unlock(&clocks->lock);
	return MPROF_OK;
}

/* A clock of the client, or NULL. Holds the lock. */
static known_clock *find_clock(known_clocks *clocks, uint32_t id)
{
	return id > MPROF_CLOCK_LOG && id <= clocks->count ? clocks->clocks[id - 1] : NULL;
}

/* Holds the lock. */
static mprof_status add_pair(known_clocks *clocks, known_clock *clock, const mprof_clock_pair_record *pair)
{
	void *pairs = clock->pairs;
	int has_room;

	if (clock->count > 0 && (pair->value < clock->pairs[clock->count - 1].value ||
				 pair->counter < clock->pairs[clock->count - 1].counter))
		return MPROF_ERR_ARGUMENT;
	if (clock->count == KNOWN_CLOCK_PAIRS) {
		/* The first pair stays, for the slope over all the time. */
		memmove(&clock->pairs[1], &clock->pairs[clock->count / 2],
			(clock->count - clock->count / 2) * sizeof(*clock->pairs));
		clock->count -= clock->count / 2 - 1;
	}
	has_room = array_reserve(&clocks->allocator, &pairs, &clock->capacity, clock->count + 1, sizeof(*clock->pairs));
	clock->pairs = pairs;
	if (!has_room)
		return MPROF_ERR_MEMORY;
	clock->pairs[clock->count++] = *pair;
	return MPROF_OK;
}

mprof_status known_clocks_add_pair(known_clocks *clocks, message_queue *messages, message *pair)
{
	known_clock *clock;
	mprof_status status = MPROF_ERR_UNDEFINED_ID;

	pthread_mutex_lock(&clocks->lock);
	clock = find_clock(clocks, pair->more.record.id);
	if (clock != NULL)
		status = add_pair(clocks, clock, &pair->more.record.as.clock_pair);
	/* Under the lock, so that the log has them in this order. */
	if (status == MPROF_OK)
		message_queue_push(messages, pair);
	pthread_mutex_unlock(&clocks->lock);
	return status;
}

int known_clocks_has(known_clocks *clocks, uint32_t id)
{
	int is_defined;

	pthread_mutex_lock(&clocks->lock);
	is_defined = find_clock(clocks, id) != NULL;
	pthread_mutex_unlock(&clocks->lock);
	return is_defined;
}

int known_clocks_need_rate(known_clocks *clocks, uint32_t id, uint64_t value)
{
	const known_clock *clock;
	int needs_rate = 0;

	pthread_mutex_lock(&clocks->lock);
	clock = find_clock(clocks, id);
	if (clock != NULL && clock->count > 0 && clock->rate.numerator != 0 && clock->rate.denominator != 0)
		needs_rate = (value < clock->pairs[0].value || value > clock->pairs[clock->count - 1].value) &&
			     !clock_slope_is_close(&clock->pairs[0], &clock->pairs[clock->count - 1]);
	pthread_mutex_unlock(&clocks->lock);
	return needs_rate;
}

mprof_status known_clocks_convert(known_clocks *clocks, uint32_t id, const clock_ratio *counters, uint64_t value,
				  uint64_t *counter)
{
	static const mprof_status statuses[] = {[CLOCK_CONVERTED] = MPROF_OK,
						[CLOCK_UNKNOWN] = MPROF_ERR_STATE,
						[CLOCK_OUT_OF_RANGE] = MPROF_ERR_ARGUMENT};
	mprof_status status = MPROF_ERR_UNDEFINED_ID;
	const known_clock *clock;

	pthread_mutex_lock(&clocks->lock);
	clock = find_clock(clocks, id);
	if (clock != NULL) {
		const clock_ratio stated = clock_ratio_of(counters, &clock->rate);

		status = statuses[clock_convert(clock->pairs, clock->count, &stated, value, counter)];
	}
	pthread_mutex_unlock(&clocks->lock);
	return status;
}
