/* SPDX-License-Identifier: MIT */
/* Reads the blocks of a log for both output forms, and what these have in common. */
#include "dump/dump.h"

#include "common/names.h"
#include "common/output.h"
#include "common/typed.h"

#define BATCH 2048
#define RECORD_BATCH 256

mprof_event_info dump_event_info(const mprof_event *event)
{
	mprof_event_info info = {.struct_size = sizeof(info)};

	(void)mprof_event_get_info(event->kind, &info);
	return info;
}

mprof_event_id dump_subject_of(const mprof_event *event)
{
	const mprof_event_info info = dump_event_info(event);

	return info.category == MPROF_EVENT_CATEGORY_SAMPLE ? MPROF_EVENT_ID_NONE : (mprof_event_id)info.id;
}

int dump_has_value(const mprof_event *event)
{
	const mprof_event_info info = dump_event_info(event);

	switch (info.category) {
	case MPROF_EVENT_CATEGORY_SAMPLE:
	case MPROF_EVENT_CATEGORY_CALL_STACK:
	case MPROF_EVENT_CATEGORY_MEMORY:
		/* Printed by a function of its own. */
		return 0;
	default:
		return info.value != MPROF_EVENT_VALUE_NONE && info.value != MPROF_EVENT_VALUE_CLAUSE &&
		       info.value != MPROF_EVENT_VALUE_CODE;
	}
}

uint32_t dump_collection_of(const mprof_event *event)
{
	return dump_event_info(event).id == MPROF_EVENT_ID_COLLECTION ? event->id : 0;
}

mprof_stack_frame dump_section_frame(const mprof_event_detail *detail, uint32_t index)
{
	uint64_t frame = detail->references[index];
	return (mprof_stack_frame){.id = (uint32_t)(frame >> 1), .is_compiling = (uint32_t)(frame & 1)};
}

/* The heap object that events with further references belong to: its address and its class. */
static uint64_t continued_object;
static uint32_t continued_class;

uint64_t dump_object_of(const mprof_event *event)
{
	if (event->more.detail == NULL)
		return 0;
	if (event->kind == MPROF_EVENT_HEAP_OBJECT) {
		continued_object = event->more.detail->object;
		continued_class = event->id;
	}
	return event->kind == MPROF_EVENT_HEAP_REFERENCES ? continued_object : event->more.detail->object;
}

const char *dump_field_of(const log_input *input, const mprof_event *event, uint32_t index, uint64_t *element)
{
	mprof_record field;

	return mprof_reader_lookup_field(input->reader, continued_class, event->more.detail->offsets[index], &field,
					 sizeof(field), element) == MPROF_OK
		       ? field.as.field.name
		       : NULL;
}

int dump_has_stack(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_SAMPLE;
}

int dump_is_memory(const mprof_event *event)
{
	return dump_event_info(event).category == MPROF_EVENT_CATEGORY_MEMORY;
}

static int find_innermost(const log_input *input, uint32_t stack, mprof_stack_frame *frame)
{
	uint32_t caller;

	return mprof_reader_lookup_caller(input->reader, stack, frame, sizeof(*frame), &caller) == MPROF_OK;
}

const char *dump_innermost(const log_input *input, uint32_t stack)
{
	mprof_stack_frame frame;

	return find_innermost(input, stack, &frame) ? names_frame(input->names, &frame) : NULL;
}

const char *dump_innermost_symbol(const log_input *input, uint32_t stack)
{
	mprof_stack_frame frame;

	return find_innermost(input, stack, &frame) ? names_frame_symbol(input->names, &frame) : NULL;
}

uint32_t dump_metric_flags(const log_input *input, uint32_t id)
{
	mprof_record metric;

	return mprof_reader_lookup_record(input->reader, MPROF_RECORD_METRIC, id, &metric, sizeof(metric)) == MPROF_OK
		       ? metric.as.metric.flags
		       : 0;
}

uint64_t dump_note_object(const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_LABEL:
		return record->as.label.object;
	case MPROF_RECORD_OBJECT_FLAGS:
		return record->as.object_flags.object;
	case MPROF_RECORD_WEAK_REFERENCE:
		return record->as.weak_reference.object;
	default:
		return record->as.reference_name.object;
	}
}

const char *dump_note_text(const log_input *input, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_LABEL && record->id == 0)
		return record->as.label.text;
	return record->id != 0 ? typed_text(input->reader, record->id) : NULL;
}

int dump_is_of_code_ranges(const mprof_record *record)
{
	return record->kind >= MPROF_RECORD_CODE_RANGE && record->kind <= MPROF_RECORD_CODE_END;
}

/* Prints the definitions that the following events refer to. */
static void dump_definitions(const log_input *input, const dump_form *form, definition_progress *progress)
{
	mprof_record record;

	while (definitions_next(progress, input, &record))
		form->records(input, &record, 1);
}

static void dump_events(log_input *input, const mprof_block *block, const dump_form *form,
			definition_progress *progress)
{
	static mprof_event events[BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_events(input->reader, events, BATCH, &count);
		dump_definitions(input, form, progress);
		form->events(input, block, events, count);
	} while (status == MPROF_OK && !output_is_broken());
	if (status != MPROF_END && status != MPROF_OK)
		input_fetch_failed(input);
}

static void dump_records(log_input *input, const dump_form *form, definition_progress *progress)
{
	static mprof_record records[RECORD_BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_records(input->reader, records, sizeof(*records), RECORD_BATCH, &count);
		form->records(input, records, count);
	} while (status == MPROF_OK && !output_is_broken());
	if (status != MPROF_END && status != MPROF_OK)
		input_fetch_failed(input);
	definitions_skip_listed(progress, input);
}

int dump_next_block(log_input *input, const dump_form *form, int with_contents, definition_progress *progress)
{
	mprof_block block;

	if (!input_next_block(input, &block))
		return 0;
	form->block(input, &block);
	if (!block.loaded || !with_contents)
		return 1;
	if (input_block_has_records(&block))
		dump_records(input, form, progress);
	if (input_block_has_events(&block))
		dump_events(input, &block, form, progress);
	return 1;
}
