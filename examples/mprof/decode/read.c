/* SPDX-License-Identifier: MIT */
/* Reads a log and collects the data for the sections of the text. */
#include "common/arguments.h"
#include "decode/decode.h"
#include "common/profile_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *decode_room(log_decode *decode, size_t count, size_t size)
{
	void *room = calloc(count + 1, size);

	decode->has_failed |= room == NULL;
	return room;
}

/* Grows an array by one element, all 0. Returns the array, NULL if out of memory. */
static void *grow_array(log_decode *decode, void *array, size_t count, size_t *capacity, size_t size)
{
	size_t larger = *capacity == 0 ? 16 : *capacity * 2;

	if (count >= *capacity) {
		void *grown = realloc(array, larger * size);

		if (grown == NULL) {
			decode->has_failed = 1;
			return NULL;
		}
		array = grown;
		*capacity = larger;
	}
	memset((char *)array + count * size, 0, size);
	return array;
}

static void add_summary(log_decode *decode, const mprof_block *block)
{
	summary_header *summaries = grow_array(decode, decode->summaries, decode->summary_count,
					       &decode->summary_capacity, sizeof(*summaries));
	summary_header *added;
	mprof_session session;

	if (summaries == NULL)
		return;
	decode->summaries = summaries;
	session.struct_size = sizeof(session);
	mprof_reader_get_session(decode->input.reader, &session);
	added = &summaries[decode->summary_count++];
	added->collection = block->as.heap_summary.collection;
	added->time = block->start.time > session.start.time ? block->start.time - session.start.time : 0;
	added->first_row = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_HEAP_SUMMARIES);
}

static mprof_class_stats get_class_stats(const log_decode *decode, size_t index)
{
	mprof_class_stats stats;

	stats.struct_size = sizeof(stats);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_CLASSES, index, &stats);
	return stats;
}

/*
 * Saves the allocated bytes by class at the start of a heap block. The profile adds classes in the order of their first
 * use, so the index of a class in the profile is its index here.
 */
static heap_balance *begin_balance(log_decode *decode, const mprof_block *block)
{
	heap_balance *balances = grow_array(decode, decode->balances, decode->balance_count, &decode->balance_capacity,
					    sizeof(*balances));
	heap_balance *added;

	if (balances == NULL)
		return NULL;
	decode->balances = balances;
	added = &balances[decode->balance_count];
	added->row_count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_CLASSES);
	added->rows = decode_room(decode, added->row_count, sizeof(*added->rows));
	if (added->rows == NULL)
		return NULL;
	for (size_t i = 0; i < added->row_count; i++) {
		mprof_class_stats stats = get_class_stats(decode, i);

		added->rows[i].class_id = stats.id;
		added->rows[i].bytes = stats.bytes;
		added->rows[i].freed = stats.freed_bytes;
	}
	added->number = block->as.heap_data.number;
	added->class_count = (size_t)mprof_reader_get_class_count(decode->input.reader);
	decode->balance_count++;
	return added;
}

/* Called at the end of a snapshot, which may consist of several blocks. */
static void end_balance(log_decode *decode, heap_balance *balance, const mprof_block *block)
{
	balance->end = block->as.heap_data.has_clocks ? block->as.heap_data.end.counter : block->end.counter;
	for (size_t i = 0; i < balance->row_count; i++) {
		heap_balance_row *row = &balance->rows[i];
		uint64_t freed = get_class_stats(decode, i).freed_bytes;

		/* Objects allocated before the recording started are found dead but were never counted as allocated. */
		row->bytes = row->bytes > freed ? row->bytes - freed : 0;
		row->freed = freed - row->freed;
	}
}

static int begins_snapshot(const mprof_block *block)
{
	return block->as.heap_data.has_clocks ||
	       (block->as.heap_data.number != 0 && (block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST));
}

static int ends_shot(const mprof_block *block)
{
	return block->as.heap_data.has_clocks || (block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST);
}

static void add_heap_block(log_decode *decode, heap_balance **open, const mprof_block *block)
{
	if (begins_snapshot(block)) {
		if (*open != NULL)
			end_balance(decode, *open, block);
		*open = begin_balance(decode, block);
		if (*open != NULL)
			(*open)->start = block->as.heap_data.has_clocks ? block->as.heap_data.start.counter
									: block->as.heap_data.counter;
	}
	profile_input_add(&decode->input, decode->profile, block);
	if (*open != NULL && ends_shot(block)) {
		end_balance(decode, *open, block);
		*open = NULL;
	}
}

static void note_directives(log_decode *decode, const mprof_block *block)
{
	const mprof_number_set *declared = &block->as.directives.declared;

	if (mprof_number_set_has(declared, MPROF_DIRECTIVE_ALLOCATION_STACK) ||
	    mprof_number_set_has(declared, MPROF_DIRECTIVE_ALLOCATION_STACK_ID))
		decode->has_allocation_stacks = 1;
}

/*
 * Computes the counter unit from the clock pair of END, even if a block before it ends later, as the first decoder
 * does.
 */
static void note_session(log_decode *decode, const mprof_block *latest)
{
	mprof_session *session = &decode->session;
	uint64_t counters;

	session->struct_size = sizeof(*session);
	mprof_reader_get_session(decode->input.reader, session);
	if (latest->kind == MPROF_BLOCK_END && latest->loaded)
		session->last = latest->start;
	counters = session->last.counter - session->start.counter;
	if ((int64_t)counters > 0)
		decode->ticks_per_counter =
			(double)(int64_t)((session->last.time - session->start.time) * 10) / (double)counters;
}

static void read_blocks(log_decode *decode)
{
	heap_balance *open = NULL;
	mprof_block block;
	mprof_block latest;

	memset(&latest, 0, sizeof(latest));
	while (!decode->has_failed && input_next_block(&decode->input, &block)) {
		latest = block;
		if (block.kind == MPROF_BLOCK_DIRECTIVES && block.loaded)
			note_directives(decode, &block);
		if (block.kind == MPROF_BLOCK_HEAP_SUMMARY && block.loaded)
			add_summary(decode, &block);
		if (block.kind == MPROF_BLOCK_HEAP_DATA && block.loaded)
			add_heap_block(decode, &open, &block);
		else
			profile_input_add(&decode->input, decode->profile, &block);
	}
	if (open != NULL)
		end_balance(decode, open, &latest);
	profile_input_finish(&decode->input, decode->profile, &latest);
	note_session(decode, &latest);
}

static int create_profile(log_decode *decode)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_compilations = 1;
	options.with_call_sites = 1;
	options.with_monitor_objects = 1;
	options.raw_counters = 1;
	options.ends_at_last_event = 1;
	return mprof_profile_create(&options, &decode->profile) == MPROF_OK;
}

int decode_read(log_decode *decode, const char *path)
{
	memset(decode, 0, sizeof(*decode));
	if (input_open(&decode->input, path, 0) != STATUS_OK)
		return STATUS_NOTHING;
	/* The original decoder prints the names of the log. */
	names_use_symbols(decode->input.names);
	if (!create_profile(decode)) {
		decode->has_failed = 1;
		return STATUS_NOTHING;
	}
	read_blocks(decode);
	decode->totals.struct_size = sizeof(decode->totals);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_TOTALS, 0, &decode->totals);
	return decode->input.status;
}

void decode_release(log_decode *decode)
{
	for (size_t i = 0; i < decode->balance_count; i++)
		free(decode->balances[i].rows);
	free(decode->balances);
	free(decode->summaries);
	mprof_profile_destroy(decode->profile);
	input_close(&decode->input);
}
