/* SPDX-License-Identifier: MIT */
/*
 * Events of threads. The parser corrects the times of events; where a fault needs the log's own times, they are decoded
 * again.
 */
#include "format/values/varint.h"
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 512

/* The bytes of a block, advanced in step with the events that the parser returns. */
typedef struct raw_events {
	const uint8_t *bytes;
	size_t length;
	size_t position;
	uint64_t directives;
} raw_events;

static uint64_t next_int(raw_events *raw)
{
	uint64_t value = 0;
	int length = varint_decode(raw->bytes + raw->position, raw->length - raw->position, &value);

	raw->position += length > 0 ? (size_t)length : raw->length - raw->position;
	return value;
}

static void skip_ints(raw_events *raw, uint64_t count)
{
	for (; count > 0 && raw->position < raw->length; count--)
		next_int(raw);
}

static uint64_t has_directive(const raw_events *raw, mprof_directive directive)
{
	return raw->directives >> directive & 1;
}

/* The second number of an event: its time, if it has one. */
static uint64_t next_second(raw_events *raw, const mprof_event *event)
{
	uint64_t second;

	if (raw->position >= raw->length || raw->bytes[raw->position] != event->code) {
		fprintf(stderr, "oracle: byte %zu of a block is not event %u\n", raw->position, (unsigned)event->code);
		exit(2);
	}
	raw->position++;
	next_int(raw);
	second = next_int(raw);
	switch (event->kind) {
	case MPROF_EVENT_STACK_SECTION:
		skip_ints(raw, second);
		break;
	case MPROF_EVENT_MONITOR:
		skip_ints(raw, 2);
		break;
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		skip_ints(raw, has_directive(raw, MPROF_DIRECTIVE_ALLOCATION_CALLER));
		skip_ints(raw, has_directive(raw, MPROF_DIRECTIVE_ALLOCATION_OBJECT));
		break;
	default:
		break;
	}
	return second;
}

/* Returns 0 if the stack is not as deep as a stack section states. */
static int add_event(oracle *all, thread_state *thread, const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		stacks_enter(all, thread, event->id);
		break;
	case MPROF_EVENT_METHOD_LEAVE:
		stacks_leave(all, thread, event->id);
		break;
	case MPROF_EVENT_METHOD_JIT_START:
		compilations_start(all, thread, event->id);
		break;
	case MPROF_EVENT_METHOD_JIT_END:
		compilations_end(all, thread, event->id);
		break;
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
		allocations_add(all, thread, event);
		break;
	case MPROF_EVENT_MONITOR:
		waits_add(all, thread, event);
		break;
	case MPROF_EVENT_STACK_SECTION:
		return stacks_adjust(all, thread, event);
	case MPROF_EVENT_THREAD_START:
	case MPROF_EVENT_THREAD_END:
		if (event->value == thread->id)
			stacks_clear(all, thread);
		break;
	default:
		if (event->kind >= MPROF_EVENT_GC_START && event->kind <= MPROF_EVENT_GC_START_WORLD_END)
			collections_add(all, event, thread->now);
	}
	return 1;
}

/* The amount by which the faults move an event and all after it past the parser's time. */
static uint64_t shift_of(const oracle *all, const mprof_event *event, uint64_t passed, uint64_t second)
{
	if (event->kind == MPROF_EVENT_MONITOR && has_fault(all, FAULT_GARBAGE_TIMES))
		return second - passed;
	/* A change of size without a number: its time is used as the number, and the clock does not advance. */
	if (event->kind == MPROF_EVENT_GC_RESIZE && event->id == 0 && has_fault(all, FAULT_RESIZES))
		return 0 - passed;
	return 0;
}

/* Returns the amount by which the block starts after the parser's time. */
static uint64_t begin_block(const oracle *all, thread_state *thread, const mprof_block *block)
{
	int is_continued = thread->has_block && thread->base == block->as.events.base_counter;

	thread->has_block = 1;
	thread->base = block->as.events.base_counter;
	if (!is_continued)
		thread->last = block->as.events.base_counter;
	return has_fault(all, FAULT_BLOCK_STARTS) ? thread->base - thread->last : 0;
}

/* The message of the decoder. */
static int give_up(const thread_state *thread, const mprof_block *block, const raw_events *raw, uint64_t kept)
{
	printf("ERROR: Exception in block of code EVENTS, length %" PRIu64 ", file offset %" PRIu64
	       ", block offset %zu: Depth is %zu but lastValidFrame is %" PRIu64 "\n",
	       block->length, block->offset + block->header_length, raw->position, thread->stacks[TREE_CALLS].count,
	       kept);
	return 0;
}

int events_add(oracle *all, mprof_parser *parser, const mprof_block *block, const uint8_t *payload, size_t length)
{
	thread_state *thread = stacks_thread(all, block->thread);
	uint64_t shift = begin_block(all, thread, block);
	raw_events raw = {payload, length, 0, all->directives};
	mprof_event events[BATCH];
	size_t count;

	/* A clock, the thread, and the start. */
	skip_ints(&raw, 4);
	/* There may be valid events before the damage. */
	while (mprof_parser_next_events(parser, events, BATCH, &count) == MPROF_OK || count > 0) {
		for (size_t i = 0; i < count; i++) {
			uint64_t second = next_second(&raw, &events[i]);

			shift += shift_of(all, &events[i], events[i].counter - thread->last, second);
			thread->last = events[i].counter;
			thread->now = events[i].counter + shift;
			if (events[i].kind == MPROF_EVENT_GC_RESIZE && has_fault(all, FAULT_RESIZES))
				events[i].id = (uint32_t)second;
			if (!add_event(all, thread, &events[i]))
				return give_up(thread, block, &raw, events[i].value);
		}
	}
	return 1;
}
