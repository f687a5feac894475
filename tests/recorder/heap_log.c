/* SPDX-License-Identifier: MIT */
#include "heap_log.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more element. The capacity doubles, so an array is full when its length is a power of two. */
static void *grown(void *elements, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return elements;
	elements = realloc(elements, (count == 0 ? 1 : count * 2) * size);
	cr_assert_not_null(elements);
	return elements;
}

static void name_class(mprof_reader *reader, uint32_t id, char *name, size_t size)
{
	mprof_mapping mapping;

	snprintf(name, size, "#%u", (unsigned)id);
	if (mprof_reader_lookup_class(reader, id, &mapping, sizeof(mapping)) == MPROF_OK)
		snprintf(name, size, "%.31s", mapping.name);
}

static void add_references(heap_log_event *event, const mprof_event_detail *detail)
{
	size_t size = (event->reference_count + detail->reference_count) * sizeof(*event->references);

	if (detail->reference_count == 0)
		return;
	event->references = realloc(event->references, size);
	cr_assert_not_null(event->references);
	memcpy(event->references + event->reference_count, detail->references,
	       detail->reference_count * sizeof(*event->references));
	event->reference_count += detail->reference_count;
}

/* The last object; it may be followed by other events, such as roots. */
static heap_log_event *last_object(heap_log *log)
{
	size_t i = log->event_count;

	while (i > 0 && log->events[i - 1].kind != MPROF_EVENT_HEAP_OBJECT)
		i--;
	cr_assert_gt(i, 0, "references without an object");
	return &log->events[i - 1];
}

static void add_event(heap_log *log, mprof_reader *reader, const mprof_block *block, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	heap_log_event *added;

	cr_assert_not_null(detail);
	cr_assert_eq(event->counter, block->as.heap_data.counter);
	if (event->kind == MPROF_EVENT_HEAP_REFERENCES) {
		log->later_references++;
		add_references(last_object(log), detail);
		return;
	}
	log->events = grown(log->events, log->event_count, sizeof(*log->events));
	added = &log->events[log->event_count++];
	memset(added, 0, sizeof(*added));
	added->shot = block->as.heap_data.number;
	added->kind = event->kind;
	added->id = event->id;
	added->value = event->value;
	added->object = detail->object;
	if (event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_FREE)
		name_class(reader, event->id, added->class_name, sizeof(added->class_name));
	if (event->kind == MPROF_EVENT_HEAP_OBJECT)
		add_references(added, detail);
}

static mprof_status read_data(heap_log *log, mprof_reader *reader, const mprof_block *block)
{
	heap_log_block *added;
	mprof_event events[64];
	mprof_status status;
	size_t count;

	log->blocks = grown(log->blocks, log->block_count, sizeof(*log->blocks));
	added = &log->blocks[log->block_count++];
	*added = (heap_log_block){block->as.heap_data.number, block->as.heap_data.flags, block->as.heap_data.counter,
				  log->event_count, 0};
	do {
		status = mprof_reader_next_events(reader, events, 64, &count);
		for (size_t i = 0; i < count; i++)
			add_event(log, reader, block, &events[i]);
	} while (status == MPROF_OK);
	added->count = log->event_count - added->first;
	return status == MPROF_END ? MPROF_OK : status;
}

static mprof_status read_summary(heap_log *log, mprof_reader *reader, const mprof_block *block)
{
	mprof_record record;
	mprof_status status;
	uint32_t last = 0;
	size_t count;

	log->summaries++;
	while ((status = mprof_reader_next_records(reader, &record, sizeof(record), 1, &count)) == MPROF_OK) {
		heap_log_sum *added;

		cr_assert_gt(record.id, last, "classes in order");
		last = record.id;
		log->sums = grown(log->sums, log->sum_count, sizeof(*log->sums));
		added = &log->sums[log->sum_count++];
		added->collection = block->as.heap_summary.collection;
		name_class(reader, record.id, added->class_name, sizeof(added->class_name));
		added->counts[0] = record.as.summary.live_objects;
		added->counts[1] = record.as.summary.live_bytes;
		added->counts[2] = record.as.summary.dead_objects;
		added->counts[3] = record.as.summary.dead_bytes;
	}
	return status == MPROF_END ? MPROF_OK : status;
}

heap_log heap_log_read(const recorded_log *recorded)
{
	heap_log log = {0};
	mprof_reader *reader;
	mprof_block block;

	log.status = mprof_reader_open_memory(recorded->bytes, recorded->length, NULL, &reader);
	mprof_block_init(&block, sizeof(block));
	while (log.status == MPROF_OK) {
		log.status = mprof_reader_next_block(reader, &block);
		if (log.status == MPROF_OK && block.kind == MPROF_BLOCK_HEAP_DATA)
			log.status = read_data(&log, reader, &block);
		else if (log.status == MPROF_OK && block.kind == MPROF_BLOCK_HEAP_SUMMARY)
			log.status = read_summary(&log, reader, &block);
		for (int cause = 0; block.kind == MPROF_BLOCK_LOST && cause < LOSS_CAUSE_COUNT; cause++)
			log.lost[cause] += log.status == MPROF_OK ? block.as.lost.counts[cause] : 0;
	}
	mprof_reader_destroy(reader);
	return log;
}

void heap_log_free(heap_log *log)
{
	for (size_t i = 0; i < log->event_count; i++)
		free(log->events[i].references);
	free(log->blocks);
	free(log->events);
	free(log->sums);
	memset(log, 0, sizeof(*log));
}

size_t heap_log_count(const heap_log *log, uint32_t shot, mprof_event_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < log->event_count; i++)
		count += log->events[i].shot == shot && log->events[i].kind == (uint32_t)kind;
	return count;
}

const heap_log_event *heap_log_find(const heap_log *log, uint32_t shot, mprof_event_kind kind, uint64_t object)
{
	const heap_log_event *found = NULL;

	for (size_t i = 0; i < log->event_count; i++) {
		const heap_log_event *event = &log->events[i];

		if (event->shot != shot || event->kind != (uint32_t)kind || event->object != object)
			continue;
		if (found != NULL)
			return NULL;
		found = event;
	}
	return found;
}

const heap_log_sum *heap_log_sum_of(const heap_log *log, uint32_t collection, const char *class_name)
{
	for (size_t i = 0; i < log->sum_count; i++) {
		if (log->sums[i].collection == collection && strcmp(log->sums[i].class_name, class_name) == 0)
			return &log->sums[i];
	}
	return NULL;
}

void heap_log_check_shot(const heap_log *log, uint32_t shot, int is_incomplete)
{
	uint32_t last_flags = 0;
	size_t count = 0;

	for (size_t i = 0; i < log->block_count; i++) {
		const heap_log_block *block = &log->blocks[i];

		if (block->shot != shot)
			continue;
		cr_assert_eq((block->flags & MPROF_HEAP_FLAG_FIRST) != 0, count == 0, "block %zu of shot %u", count,
			     (unsigned)shot);
		cr_assert_eq(last_flags & MPROF_HEAP_FLAG_LAST, 0, "nothing follows the last block");
		last_flags = block->flags;
		count++;
	}
	cr_assert_gt(count, 0, "shot %u is there", (unsigned)shot);
	cr_assert_neq(last_flags & MPROF_HEAP_FLAG_LAST, 0);
	cr_assert_eq((last_flags & MPROF_HEAP_FLAG_INCOMPLETE) != 0, is_incomplete);
}
