/* SPDX-License-Identifier: MIT */
/*
 * Writes EVENTS blocks: events in rows or columns, with the stack sections before them, or columns that were collected
 * apart from the writer.
 */
#include "writer/events.h"

#include "base/allocator.h"
#include "format/events/event_check.h"
#include "format/events/event_kinds.h"
#include "format/values/losses.h"
#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/writer.h"
#include "writer/writer_internal.h"

#include <string.h>

/*
 * Events that are collected apart from the writer.
 */

void event_collector_init(event_collector *collector, const mprof_allocator *allocator)
{
	memset(collector, 0, sizeof(*collector));
	event_columns_init(&collector->columns, allocator);
	encode_buffer_init(&collector->content, allocator, UINT32_MAX);
	codec_packer_init(&collector->packer, allocator, MPROF_CODEC_NONE, 0);
	encode_buffer_init(&collector->packed, allocator, UINT32_MAX);
}

void event_collector_destroy(event_collector *collector)
{
	event_columns_destroy(&collector->columns);
	encode_buffer_destroy(&collector->content);
	codec_packer_destroy(&collector->packer);
	encode_buffer_destroy(&collector->packed);
}

void event_collector_begin(event_collector *collector, const mprof_writer *writer, uint64_t thread,
			   uint64_t base_counter)
{
	if (!collector->is_ready || collector->directives != writer->encoding.directives) {
		collector->encoder = writer->events;
		collector->encoder.checker.defined.any = 1;
		collector->packer.codec = writer->packer.codec;
		collector->packer.level = writer->packer.level;
		collector->directives = writer->encoding.directives;
		collector->is_ready = 1;
	}
	event_columns_clear(&collector->columns);
	collector->columns.shapes = writer_shapes(writer);
	collector->thread = thread;
	collector->base_counter = base_counter;
	collector->latest_counter = base_counter;
	collector->goes_back = 0;
	collector->calls.is_known = 0;
	collector->calls.begins_thread = 0;
	collector->calls.ends_all = 0;
	collector->encoder.last_counter = base_counter;
	collector->encoder.last_address = 0;
	collector->encoder.last_object = 0;
	collector->encoder.written = 0;
}

void event_collector_note_times(event_collector *collector, uint64_t last, const uint64_t *times, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		last += times[i];
		event_collector_note_counter(collector, last);
	}
}

/* Columns that do not become shorter, or for which there is no memory, are left to the writer. */
static void compress_columns(event_collector *collector)
{
	const encode_buffer *content = &collector->content;
	const size_t length = collector->columns_length;
	size_t produced = 0;

	encode_buffer_clear(&collector->packed);
	if (collector->packer.codec == MPROF_CODEC_NONE || content->status != MPROF_OK || length == 0 ||
	    !encode_buffer_reserve(&collector->packed, length))
		return;
	if (codec_pack(&collector->packer, content->bytes + content->length - length, length, collector->packed.bytes,
		       length, &produced) == MPROF_OK)
		collector->packed.length = produced;
}

mprof_status event_collector_encode(event_collector *collector)
{
	encode_buffer_clear(&collector->content);
	collector->columns_length = event_columns_encode(&collector->columns, &collector->content);
	compress_columns(collector);
	return collector->content.status;
}

int writer_has_columns(const mprof_writer *writer)
{
	return writer->encoding.has_columns;
}

/* The index gets an entry for the block. */
static mprof_status begin_entry(mprof_writer *writer, const event_collector *collector)
{
	mprof_status status = writer_put_index_if_due(writer);

	if (status == MPROF_OK && writer->index.is_used &&
	    !log_index_begin_block(&writer->index, collector->thread, collector->base_counter,
				   collector->latest_counter, collector->goes_back, &collector->calls))
		status = writer_end_index(writer);
	return status;
}

mprof_status writer_put_collected(mprof_writer *writer, const event_collector *collector)
{
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status == MPROF_OK)
		status = begin_entry(writer, collector);
	if (status != MPROF_OK)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_events_start(&writer->block, &writer->encoding, &clock, collector->thread,
				  collector->base_counter);
	encode_bytes(&writer->block, collector->content.bytes, collector->content.length);
	block_encode_events_end(&writer->block, &writer->encoding, &clock);
	writer->middle = (packed_middle){.bytes = collector->packed.bytes,
					 .length = collector->packed.length,
					 .unpacked_length = collector->columns_length};
	status = writer_put_block(writer);
	writer->middle.length = 0;
	if (status == MPROF_OK)
		writer->stats.events += collector->encoder.written;
	return status;
}

/* Adds a thread, which becomes the current one. NULL if out of memory. */
static written_thread *add_written_thread(written_threads *table, uint64_t thread)
{
	void *threads = table->threads;
	int is_added = thread_map_add(&table->positions, thread, &threads, &table->capacity, table->count,
				      sizeof(*table->threads));

	table->threads = threads;
	if (!is_added)
		return NULL;
	table->current = table->count++;
	return &table->threads[table->current];
}

/* Makes a thread the current one and returns it. NULL if out of memory. Valid until the next call. */
static written_thread *written_threads_begin(written_threads *table, uint64_t thread)
{
	const size_t position = thread_map_find(&table->positions, thread);

	if (position == THREAD_MAP_NONE)
		return add_written_thread(table, thread);
	table->current = position;
	return &table->threads[table->current];
}

/*
 * Chooses the base counter of a thread's block. If it equalled that of the thread's previous block, readers would
 * continue from the last event of that block, as logs of Mono require. The counter of that event is then written as the
 * base, so that all readers agree. Returns 0 if out of memory.
 */
static int begin_thread(mprof_writer *writer, uint64_t thread, uint64_t *base_counter)
{
	const written_thread *last = written_threads_begin(&writer->threads, thread);

	if (last == NULL)
		return 0;
	if (last->has_block && last->base == *base_counter)
		*base_counter = last->reached;
	stack_sections_begin(&writer->sections, last->has_stack);
	return 1;
}

static void end_thread(mprof_writer *writer)
{
	written_thread *thread = written_threads_current(&writer->threads);

	thread->base = writer->base_counter;
	thread->reached = writer->events.last_counter;
	thread->has_block = 1;
	thread->has_stack = writer->sections.is_in_force;
}

/* Starts a block in the buffer. */
static mprof_status begin_block(mprof_writer *writer, uint64_t thread, uint64_t base_counter)
{
	encode_buffer *block = &writer->block;
	mprof_clock clock;

	if (writer->index.is_used && !log_index_begin_events(&writer->index, thread, base_counter)) {
		const mprof_status status = writer_end_index(writer);

		if (status != MPROF_OK)
			return status;
	}
	writer_read_clock(writer, &clock);
	block_encode_events_start(block, &writer->encoding, &clock, thread, base_counter);
	if (!encode_buffer_reserve(block, EVENTS_TAIL_ROOM)) {
		log_index_lose(&writer->index);
		return writer_refuse(writer, block->status, "out of memory for a block");
	}
	event_columns_clear(&writer->columns);
	writer->columns.shapes = writer_shapes(writer);
	writer->thread = thread;
	writer->base_counter = base_counter;
	writer->events.last_counter = base_counter;
	writer->events.last_address = 0;
	writer->events.last_object = 0;
	writer->events.written = 0;
	writer->state = WRITER_IN_EVENTS;
	return MPROF_OK;
}

mprof_status mprof_writer_begin_events(mprof_writer *writer, uint64_t thread, uint64_t base_counter)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status == MPROF_OK)
		status = writer_put_index_if_due(writer);
	if (status != MPROF_OK)
		return status;
	if (writer->encoding.rules->repeats_base_counter && !begin_thread(writer, thread, &base_counter))
		return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for a thread");
	return begin_block(writer, thread, base_counter);
}

static const char *event_encode_fault(mprof_status status)
{
	switch (status) {
	case MPROF_ERR_UNDEFINED_ID:
		return "an event uses a method, a class or a call stack that is not defined";
	case MPROF_ERR_ARGUMENT:
		return "invalid handle: number or type out of range; or a detail with an invalid struct_size";
	case MPROF_ERR_UNSUPPORTED:
		return "the dialect with its declared directives has no such event";
	case MPROF_ERR_LIMIT:
		return "the EVENTS block is too long";
	default:
		return "out of memory for an EVENTS block";
	}
}

static uint32_t stack_of(const mprof_event *event)
{
	mprof_event_detail copy;
	const mprof_event_detail *detail = event_detail_complete(event, &copy);

	return detail != NULL ? detail->stack : 0;
}

static int is_call_event(const mprof_event *event)
{
	return event->kind >= MPROF_EVENT_METHOD_ENTER && event->kind <= MPROF_EVENT_METHOD_JIT_END;
}

/* Counts the event as shortened if its call stack is written only in part. */
static void count_if_partial(mprof_writer *writer, const mprof_event *event)
{
	if (writer->lossy && writer->sections.is_partial && stack_of(event) != 0)
		losses_shorten_event(&writer->stats, event->kind);
}

/* The number of events before the first one that needs a section. */
static size_t events_without_section(mprof_writer *writer, const mprof_event *events, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (is_call_event(&events[i]))
			stack_sections_invalidate(&writer->sections);
		if (!event_kind_rows[events[i].kind].has_section)
			continue;
		if (stack_sections_needs(&writer->sections, stack_of(&events[i])))
			break;
		count_if_partial(writer, &events[i]);
	}
	return i;
}

static int frames_add(stack_frames *list, const mprof_allocator *allocator, uint32_t frame)
{
	void *frames = list->frames;

	if (!array_reserve(allocator, &frames, &list->capacity, list->count + 1, sizeof(*list->frames)))
		return 0;
	list->frames = frames;
	list->frames[list->count++] = frame;
	return 1;
}

/* Sections have no native frames, and Mono's own reader fails on frames without a method, so both are left out. */
static int frames_collect(stack_sections *sections, uint32_t stack)
{
	stack_frames *list = &sections->wanted;
	mprof_record record;

	list->count = 0;
	sections->wanted_is_partial = 0;
	/* The ID of a caller's stack is always smaller, so the loop terminates. */
	for (; stack != 0; stack = record.as.stack.caller) {
		if (!definition_table_get(sections->definitions, MPROF_RECORD_STACK, stack, &record)) {
			sections->wanted_is_partial = 1;
			break;
		}
		if (record.as.stack.is_native || record.as.stack.target == 0) {
			sections->wanted_is_partial = 1;
			continue;
		}
		if (!frames_add(list, &sections->allocator, record.as.stack.target << 1 | record.as.stack.is_compiling))
			return 0;
	}
	return 1;
}

/* Number of outermost frames that both have in common. */
static size_t count_common_frames(const stack_frames *one, const stack_frames *other)
{
	size_t most = one->count < other->count ? one->count : other->count;
	size_t common = 0;

	while (common < most && one->frames[one->count - 1 - common] == other->frames[other->count - 1 - common])
		common++;
	return common;
}

static void swap_frames(stack_frames *one, stack_frames *other)
{
	stack_frames kept = *one;

	*one = *other;
	*other = kept;
}

/*
 * Appends the section for a call stack, and keeps room for tail_room bytes after it. Returns MPROF_OK;
 * MPROF_ERR_MEMORY; MPROF_ERR_LIMIT. On an error the buffer is as it was.
 */
static mprof_status stack_sections_encode(stack_sections *sections, encode_buffer *buffer, uint32_t stack,
					  size_t tail_room)
{
	size_t common;
	size_t added;

	if (!frames_collect(sections, stack))
		return MPROF_ERR_MEMORY;
	common = count_common_frames(&sections->written, &sections->wanted);
	added = sections->wanted.count - common;
	if (!encode_buffer_reserve(buffer, EVENT_SECTION_ROOM(added) + tail_room)) {
		mprof_status status = buffer->status;

		buffer->status = MPROF_OK;
		return status;
	}
	event_encode_section(buffer, common, sections->wanted.frames, added);
	swap_frames(&sections->written, &sections->wanted);
	sections->stack = stack;
	sections->is_partial = sections->wanted_is_partial;
	sections->is_in_force = sections->written.count > 0;
	return MPROF_OK;
}

/* Encodes a section and its event, or neither. */
static mprof_status encode_section(mprof_writer *writer, const mprof_event *event, size_t *encoded)
{
	size_t old_length = writer->block.length;
	int was_in_force = writer->sections.is_in_force;
	uint32_t stack = stack_of(event);
	mprof_status status;

	*encoded = 0;
	if (stack > writer->defined[MPROF_RECORD_STACK] && !writer->events.checker.defined.any)
		return MPROF_ERR_UNDEFINED_ID;
	status = stack_sections_encode(&writer->sections, &writer->block, stack, EVENTS_TAIL_ROOM);
	if (status == MPROF_OK)
		status = events_encode(&writer->events, &writer->block, event, 1, encoded);
	if (status == MPROF_OK) {
		count_if_partial(writer, event);
		return MPROF_OK;
	}
	encode_buffer_truncate(&writer->block, old_length);
	stack_sections_invalidate(&writer->sections);
	writer->sections.is_in_force = was_in_force;
	return status;
}

static mprof_status encode_with_sections(mprof_writer *writer, const mprof_event *events, size_t count, size_t *encoded)
{
	mprof_status status = MPROF_OK;

	for (*encoded = 0; *encoded < count && status == MPROF_OK;) {
		const mprof_event *next = events + *encoded;
		size_t run = events_without_section(writer, next, count - *encoded);
		size_t done;

		if (run > 0)
			status = events_encode(&writer->events, &writer->block, next, run, &done);
		else
			status = encode_section(writer, next, &done);
		*encoded += done;
	}
	return status;
}

/* Ends the block and writes it. */
static mprof_status end_block(mprof_writer *writer)
{
	mprof_clock clock;
	mprof_status status;

	writer->state = WRITER_BETWEEN_BLOCKS;
	call_tracker_note_counter(&writer->index.calls, writer->events.last_counter);
	writer_read_clock(writer, &clock);
	/* Room for columns and end was reserved by begin_block(), and kept when events were added. */
	if (writer->encoding.has_columns)
		event_columns_encode(&writer->columns, &writer->block);
	block_encode_events_end(&writer->block, &writer->encoding, &clock);
	status = writer_put_block(writer);
	if (status == MPROF_OK)
		writer->stats.events += writer->events.written;
	return status;
}

/* Follows the calls of events that were added to the block. */
static void follow_calls(mprof_writer *writer, const mprof_event *events, size_t count)
{
	if (writer->index.is_used)
		call_tracker_follow(&writer->index.calls, events, count);
}

/* Adds events to columns. A full block is followed by another one of the thread. */
static mprof_status encode_columns(mprof_writer *writer, const mprof_event *events, size_t count, size_t *encoded)
{
	mprof_status status = MPROF_OK;

	while (*encoded < count && status == MPROF_OK) {
		size_t taken;

		if (event_columns_is_full(&writer->columns)) {
			status = end_block(writer);
			if (status == MPROF_OK)
				status = writer_put_index_if_due(writer);
			if (status == MPROF_OK)
				status = begin_block(writer, writer->thread, writer->events.last_counter);
			if (status != MPROF_OK)
				return status;
		}
		status = event_columns_add(&writer->columns, &writer->events, &writer->block, events + *encoded,
					   count - *encoded, &taken);
		follow_calls(writer, events + *encoded, taken);
		*encoded += taken;
		if (status != MPROF_OK)
			writer_refuse(writer, status, event_encode_fault(status));
	}
	return status;
}

static mprof_status encode_rows(mprof_writer *writer, const mprof_event *events, size_t count, size_t *encoded)
{
	mprof_status status = writer->has_sections
				      ? encode_with_sections(writer, events, count, encoded)
				      : events_encode(&writer->events, &writer->block, events, count, encoded);

	follow_calls(writer, events, *encoded);
	return status == MPROF_OK ? MPROF_OK : writer_refuse(writer, status, event_encode_fault(status));
}

mprof_status mprof_writer_write_events(mprof_writer *writer, const mprof_event *events, size_t count, size_t *written)
{
	size_t encoded = 0;
	mprof_status status;

	if (written != NULL)
		*written = 0;
	status = writer_enter(writer, WRITER_IN_EVENTS);
	if (status != MPROF_OK)
		return status;
	if (events == NULL && count > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of events is NULL");
	if (writer->index.is_used && !call_tracker_reserve(&writer->index.calls, count))
		status = writer_end_index(writer);
	if (status != MPROF_OK)
		return status;
	status = writer->encoding.has_columns ? encode_columns(writer, events, count, &encoded)
					      : encode_rows(writer, events, count, &encoded);
	if (written != NULL)
		*written = encoded;
	return status;
}

mprof_status mprof_writer_end_events(mprof_writer *writer)
{
	mprof_status status = writer_enter(writer, WRITER_IN_EVENTS);

	if (status == MPROF_OK)
		status = end_block(writer);
	if (status == MPROF_OK && writer->encoding.rules->repeats_base_counter)
		end_thread(writer);
	return status;
}

static void written_threads_init(written_threads *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	table->allocator = *allocator;
	thread_map_init(&table->positions, allocator);
}

static void stack_sections_init(stack_sections *sections, const mprof_allocator *allocator,
				const definition_table *definitions)
{
	memset(sections, 0, sizeof(*sections));
	sections->definitions = definitions;
	sections->allocator = *allocator;
}

void writer_events_init(mprof_writer *writer)
{
	written_threads_init(&writer->threads, &writer->allocator);
	stack_sections_init(&writer->sections, &writer->allocator, &writer->code);
}

static void written_threads_destroy(written_threads *table)
{
	thread_map_destroy(&table->positions);
	allocator_release(&table->allocator, table->threads, table->capacity * sizeof(*table->threads));
}

static void frames_destroy(stack_frames *list, const mprof_allocator *allocator)
{
	allocator_release(allocator, list->frames, list->capacity * sizeof(*list->frames));
}

static void stack_sections_destroy(stack_sections *sections)
{
	frames_destroy(&sections->written, &sections->allocator);
	frames_destroy(&sections->wanted, &sections->allocator);
}

void writer_events_destroy(mprof_writer *writer)
{
	written_threads_destroy(&writer->threads);
	stack_sections_destroy(&writer->sections);
}
