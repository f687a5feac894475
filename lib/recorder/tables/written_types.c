/* SPDX-License-Identifier: MIT */
/* Writes definitions: of texts, arguments and types of events, of clocks, timelines, processes and ranges of code. */
#include "recorder/tables/written_types.h"

#include "base/allocator.h"
#include "format/blocks/records.h"
#include "writer/events.h"
#include "writer/writer.h"

#include <string.h>

/* Far less than the longest block that readers accept. */
#define MAX_BLOCK_BYTES ((size_t)1 << 20)

void written_types_init(written_types *types, const mprof_allocator *allocator, const mprof_allocator *messages,
			recorder_keys *keys, position_store *positions, recorder_output *output,
			const counter_source *counter)
{
	memset(types, 0, sizeof(*types));
	types->counter = counter;
	types->allocator = *allocator;
	types->messages = messages;
	types->keys = keys;
	types->positions = positions;
	types->output = output;
	types->end = &types->waiting;
}

static void release_list(written_types *types, message **list)
{
	while (*list != NULL) {
		message *next = (*list)->next;

		message_release(types->messages, *list);
		*list = next;
	}
}

void written_types_release(written_types *types)
{
	release_list(types, &types->written);
}

void written_types_destroy(written_types *types)
{
	/* NULL: it was never initialized. */
	if (types->output == NULL)
		return;
	release_list(types, &types->waiting);
	release_list(types, &types->written);
	allocator_release(&types->allocator, types->records, types->record_capacity * sizeof(*types->records));
}

void written_types_add(written_types *types, message *defined)
{
	defined->next = NULL;
	*types->end = defined;
	types->end = &defined->next;
}

static int has_record(const message *defined)
{
	return defined->kind >= MESSAGE_DEFINE_CLOCK && defined->kind <= MESSAGE_END_CODE;
}

/* Whether a record may be written. The first clock that a client defines is the second one. */
static int record_is_valid(const written_types *types, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_CLOCK:
		return record->as.clock.reserved == 0 &&
		       record->id == (types->clocks == 0 ? MPROF_CLOCK_LOG : types->clocks) + UINT32_C(1);
	case MPROF_RECORD_TIMELINE:
		return record->as.timeline.clock <= types->clocks &&
		       (record->as.timeline.flags & ~RECORD_TIMELINE_FLAGS) == 0;
	case MPROF_RECORD_CLOCK_PAIR:
		return record->id > MPROF_CLOCK_LOG && record->id <= types->clocks;
	case MPROF_RECORD_CODE_RANGE:
		return record->id == types->codes + UINT32_C(1) && record->as.code_range.method == 0 &&
		       record->as.code_range.module == 0 && record->as.code_range.reserved == 0;
	case MPROF_RECORD_CODE_END:
		return record->id != 0 && record->id <= types->codes;
	default:
		return 1;
	}
}

/* Whether a definition may be written: only one of a damaged salvage file may not. */
static int is_valid(const written_types *types, const message *defined)
{
	const mprof_type_record *type = &defined->more.type;

	if (has_record(defined))
		return record_is_valid(types, &defined->more.record);
	if (defined->kind == MESSAGE_DEFINE_TEXT)
		return defined->id == types->texts + 1;
	if (defined->kind == MESSAGE_DEFINE_ARGUMENTS)
		return defined->id == types->arguments + 1;
	if (type->argument_count > 0 && (type->first_argument == 0 || type->first_argument > types->arguments ||
					 type->argument_count - 1 > types->arguments - type->first_argument))
		return 0;
	return defined->id == types->types + 1 && type->category <= types->texts && type->pair <= types->types;
}

/* Completes the record of a range of code. Without memory for its method it has none. */
static void complete_code(written_types *types, const message *defined, mprof_code_range_record *range)
{
	types->codes++;
	range->start = output_counter(types->output, range->start);
	if (defined->key == 0)
		return;
	range->method = keys_method_id(types->keys, defined->key, defined->counter);
	if (range->method == 0)
		output_count_lost(types->output, MPROF_LOSS_NO_MEMORY, 1);
}

/* Adds the lines of a range of code. There is room. A line that gets no position is left out. */
static void add_code_lines(written_types *types, size_t *count, const message *defined, uint32_t own_method)
{
	const mprof_code_line *lines = defined->more.code.lines;

	for (size_t i = 0; i < defined->more.code.line_count; i++) {
		const int is_inlined = i + 1 < defined->more.code.line_count && lines[i + 1].offset == lines[i].offset;
		const uint32_t method = lines[i].method != 0
						? keys_method_id(types->keys, lines[i].method, defined->counter)
						: own_method;
		const uint32_t position =
			positions_of_line(types->positions, method, lines[i].line, lines[i].file, is_inlined);

		if (position != 0)
			types->records[(*count)++] = (mprof_record){.kind = MPROF_RECORD_CODE_LINE,
								    .id = types->codes,
								    .as.code_line = {lines[i].offset, position, 0}};
	}
}

/* Adds a record in the counters of the log. There is room for two. */
static void add_record(written_types *types, size_t *count, const message *defined)
{
	const recorder_output *output = types->output;
	const mprof_record *record = &defined->more.record;
	mprof_record added = *record;

	switch (record->kind) {
	case MPROF_RECORD_CLOCK:
		if (types->clocks == 0) {
			counter_describe(types->counter, types->counter_name, sizeof(types->counter_name));
			types->records[(*count)++] = (mprof_record){
				.kind = MPROF_RECORD_CLOCK,
				.id = ++types->clocks,
				.as.clock.kind = counter_is_monotonic_clock(types->counter) ? MPROF_CLOCK_MONOTONIC
						 : types->counter->read == NULL             ? MPROF_CLOCK_MACHINE
											    : MPROF_CLOCK_OTHER,
				.as.clock.name = types->counter_name};
		}
		types->clocks++;
		break;
	case MPROF_RECORD_TIMELINE:
		added.id = ++types->timelines;
		break;
	case MPROF_RECORD_PROCESS:
		added.id = ++types->processes;
		added.as.process.start = output_counter(output, record->as.process.start);
		added.as.process.end = output_counter(output, record->as.process.end);
		break;
	case MPROF_RECORD_CODE_RANGE:
		complete_code(types, defined, &added.as.code_range);
		break;
	case MPROF_RECORD_CODE_END:
		added.as.code_end.counter = output_counter(output, record->as.code_end.counter);
		break;
	default:
		/* What the counter loses adds to the uncertainty. */
		added.as.clock_pair.counter = output_counter(output, record->as.clock_pair.counter);
		added.as.clock_pair.uncertainty =
			output_counter(output, record->as.clock_pair.uncertainty) + (output->counter_shift > 0 ? 1 : 0);
		break;
	}
	types->records[(*count)++] = added;
	if (added.kind == MPROF_RECORD_CODE_RANGE)
		add_code_lines(types, count, defined, added.as.code_range.method);
}

/* The largest number of records that a definition becomes. */
static size_t max_records(const message *defined)
{
	switch (defined->kind) {
	case MESSAGE_DEFINE_ARGUMENTS:
		return defined->more.arguments.count;
	case MESSAGE_DEFINE_CODE:
		return 1 + defined->more.code.line_count;
	default:
		return 2;
	}
}

/* Adds the records of a definition to a block. Returns 0 without memory. */
static int add_records(written_types *types, size_t *count, const message *defined)
{
	const int has_arguments = defined->kind == MESSAGE_DEFINE_ARGUMENTS;
	const size_t more = max_records(defined);
	void *records = types->records;
	int is_reserved = array_reserve(&types->allocator, &records, &types->record_capacity, *count + more,
					sizeof(*types->records));

	types->records = records;
	if (!is_reserved)
		return 0;
	if (has_record(defined))
		add_record(types, count, defined);
	for (size_t i = 0; has_arguments && i < more; i++)
		types->records[(*count)++] = (mprof_record){.kind = MPROF_RECORD_ARGUMENT,
							    .id = ++types->arguments,
							    .as.argument = defined->more.arguments.list[i]};
	if (defined->kind == MESSAGE_DEFINE_TEXT)
		types->records[(*count)++] =
			(mprof_record){.kind = MPROF_RECORD_TEXT, .id = ++types->texts, .as.text.text = defined->name};
	if (defined->kind == MESSAGE_DEFINE_TYPE)
		types->records[(*count)++] =
			(mprof_record){.kind = MPROF_RECORD_TYPE, .id = ++types->types, .as.type = defined->more.type};
	return 1;
}

/* The kind of block for a definition. */
static mprof_block_kind block_of(const message *defined)
{
	switch (defined->kind) {
	case MESSAGE_DEFINE_TEXT:
		return MPROF_BLOCK_TEXTS;
	case MESSAGE_DEFINE_CLOCK:
		return MPROF_BLOCK_CLOCKS;
	case MESSAGE_DEFINE_TIMELINE:
		return MPROF_BLOCK_TIMELINES;
	case MESSAGE_DEFINE_PROCESS:
		return MPROF_BLOCK_PROCESSES;
	case MESSAGE_CLOCK_PAIR:
		return MPROF_BLOCK_CLOCK_PAIRS;
	case MESSAGE_DEFINE_CODE:
	case MESSAGE_END_CODE:
		return MPROF_BLOCK_CODE_RANGES;
	default:
		return MPROF_BLOCK_TYPES;
	}
}

/* The directives that events of types need. */
static uint64_t directives_of(const mprof_writer *writer)
{
	uint64_t directives = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS);

	if (writer_has_columns(writer))
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_COLUMNS);
	return directives;
}

/* Writes a block. Events of types need the directive, which only a log with types has. */
static void write_block(written_types *types, mprof_block_kind block, size_t count)
{
	if (count == 0 || !output_is_writing(types->output))
		return;
	if (block == MPROF_BLOCK_CODE_RANGES)
		positions_write(types->positions);
	if (block == MPROF_BLOCK_TYPES)
		output_note_status(types->output,
				   writer_declare_more(types->output->writer, directives_of(types->output->writer)));
	output_write_records(types->output, block, types->records, count);
}

/* Writes the definitions for a kind of block, in the order of their IDs. */
static void write_kind(written_types *types, mprof_block_kind block, uint64_t batch)
{
	message **link = &types->waiting;
	size_t count = 0;
	size_t bytes = 0;

	while (*link != NULL) {
		message *defined = *link;
		const int is_written = block_of(defined) == block && is_valid(types, defined);

		if (block_of(defined) != block) {
			link = &defined->next;
			continue;
		}
		if (is_written && !add_records(types, &count, defined))
			break;
		defined->batch = batch;
		*link = defined->next;
		defined->next = types->written;
		types->written = defined;
		bytes += defined->size;
		if (bytes >= MAX_BLOCK_BYTES) {
			write_block(types, block, count);
			count = 0;
			bytes = 0;
		}
	}
	write_block(types, block, count);
}

void written_types_write(written_types *types, uint64_t batch)
{
	if (types->waiting == NULL || !output_is_writing(types->output))
		return;
	/* Types refer to texts, but no text to a type. */
	write_kind(types, MPROF_BLOCK_TEXTS, batch);
	write_kind(types, MPROF_BLOCK_TYPES, batch);
	write_kind(types, MPROF_BLOCK_CLOCKS, batch);
	write_kind(types, MPROF_BLOCK_PROCESSES, batch);
	write_kind(types, MPROF_BLOCK_TIMELINES, batch);
	write_kind(types, MPROF_BLOCK_CLOCK_PAIRS, batch);
	write_kind(types, MPROF_BLOCK_CODE_RANGES, batch);
	types->end = &types->waiting;
	for (; *types->end != NULL; types->end = &(*types->end)->next)
		(*types->end)->batch = 0;
}
