/* SPDX-License-Identifier: MIT */
/* Translates the records of a log that is merged with others, and finds those that another log has, too. */
#include "convert/merge_records.h"

#include "convert/merge_input.h"

#include <string.h>

static int translate_thread(merge_input *input, uint64_t *thread)
{
	const uint64_t merged = merge_thread(input, *thread);

	if (merged == 0 && *thread != 0)
		return 0;
	*thread = merged;
	return 1;
}

/* A thread that the log itself describes needs no other description. */
static int translate_described_thread(merge_input *input, uint64_t *thread)
{
	const size_t count = input->new_thread_count;

	if (!translate_thread(input, thread))
		return 0;
	input->new_thread_count = count;
	return 1;
}

static int translate_process(merge_input *input, uint64_t *process)
{
	const uint64_t merged = merge_number_get(input, MERGE_PROCESS, *process);

	if (merged == 0 && *process != 0)
		return 0;
	*process = merged;
	return 1;
}

static int translate_timeline(merge_input *input, mprof_timeline_record *timeline)
{
	if (!translate_thread(input, &timeline->parent) || !translate_described_thread(input, &timeline->thread) ||
	    !translate_process(input, &timeline->process))
		return 0;
	/* Without a process it is of the one that wrote the log. */
	if (timeline->process == 0)
		timeline->process = input->process;
	return 1;
}

/* A metric that is not that of a thread becomes one of the process. */
static int translate_metric(merge_input *input, mprof_metric_record *metric)
{
	if ((metric->flags & MPROF_METRIC_FLAG_THREAD) != 0 && metric->thread != 0)
		return translate_thread(input, &metric->thread);
	metric->flags |= MPROF_METRIC_FLAG_THREAD;
	metric->thread = merge_process_thread(input);
	return metric->thread != 0;
}

int merge_translate_references(mprof_converter *converter, mprof_record *record)
{
	merge_input *input = converter->merge;

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		return record->as.stack.is_native || merge_translate_id(input, MERGE_METHOD, &record->as.stack.target);
	case MPROF_RECORD_POSITION:
		return record->as.position.is_native ||
		       merge_translate_id(input, MERGE_METHOD, &record->as.position.target);
	case MPROF_RECORD_ROOT:
		return merge_translate_id(input, MERGE_CLASS, &record->as.root.class_id) &&
		       translate_thread(input, &record->as.root.thread);
	case MPROF_RECORD_SUMMARY:
		return merge_translate_id(input, MERGE_CLASS, &record->id);
	case MPROF_RECORD_FIELD:
		return merge_translate_id(input, MERGE_CLASS, &record->id) &&
		       merge_translate_id(input, MERGE_CLASS, &record->as.field.class_id);
	case MPROF_RECORD_METRIC:
		return translate_metric(input, &record->as.metric);
	case MPROF_RECORD_TIMELINE:
		return translate_timeline(input, &record->as.timeline);
	case MPROF_RECORD_PROCESS:
		return translate_process(input, &record->as.process.number) &&
		       translate_process(input, &record->as.process.parent);
	default:
		return 1;
	}
}

int merge_has_fields(mprof_converter *converter, uint32_t class_id)
{
	merge_input *input = converter->merge;
	const uint32_t owner = id_map_get(&input->shared->fields, class_id);

	if (owner != 0)
		return owner != input->index + 1;
	return id_map_put(&input->shared->fields, class_id, (uint32_t)input->index + 1) ? 0 : -1;
}

static void encode_text(encode_buffer *content, const char *text)
{
	if (text == NULL)
		text = "";
	encode_string(content, text, strlen(text));
}

static void encode_argument(mprof_converter *converter, uint32_t id)
{
	encode_buffer *content = &converter->merge->shared->content;
	const mprof_argument_record *argument;
	mprof_record record;

	if (mprof_reader_lookup_record(converter->reader, MPROF_RECORD_ARGUMENT, id, &record, sizeof(record)) !=
	    MPROF_OK)
		return;
	argument = &record.as.argument;
	encode_varint(content, argument->kind);
	encode_varint(content, argument->encoding);
	encode_varint(content, argument->role);
	encode_varint(content, argument->unit);
	encode_text(content, argument->name);
	encode_text(content, argument->unit_name);
}

void merge_begin_definition(mprof_converter *converter, const mprof_record *record)
{
	encode_buffer *content = &converter->merge->shared->content;

	encode_buffer_clear(content);
	encode_varint(content, record->kind);
	/* The arguments are those of the log, which have other IDs in the merged one. */
	if (record->kind == MPROF_RECORD_TYPE) {
		encode_varint(content, record->as.type.argument_count);
		for (uint32_t i = 0; i < record->as.type.argument_count; i++)
			encode_argument(converter, record->as.type.first_argument + i);
	}
	/* All logs have the same clock 1. */
	if (record->kind == MPROF_RECORD_CLOCK)
		encode_varint(content, record->id == MPROF_CLOCK_LOG);
}

/* A program or library is the same file, wherever processes loaded it. What has no file is that of its process. */
static int encode_module(encode_buffer *content, const mprof_module_record *module)
{
	encode_text(content, module->build_id);
	encode_text(content, module->file);
	encode_varint(content, module->size);
	return module->file != NULL && module->file[0] == '/';
}

static int encode_type(encode_buffer *content, const mprof_type_record *type)
{
	encode_varint(content, type->form);
	encode_varint(content, type->pair);
	encode_varint(content, type->category);
	encode_varint(content, type->period);
	encode_text(content, type->name);
	encode_text(content, type->source);
	return 1;
}

/*
 * Adds what distinguishes a definition to the content, after its references were translated. Returns 0 if it is shared
 * with no other log: addresses, heaps, metrics, threads and processes are those of one process.
 */
static int encode_definition(encode_buffer *content, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		encode_varint(content, record->as.stack.caller);
		encode_varint(content, record->as.stack.target);
		encode_varint(content, record->as.stack.is_native | record->as.stack.is_compiling << 1);
		encode_varint(content, record->as.stack.position);
		return 1;
	case MPROF_RECORD_POSITION:
		encode_varint(content, record->as.position.target);
		encode_varint(content, record->as.position.is_native | record->as.position.is_inlined << 1);
		encode_varint(content, record->as.position.line);
		encode_varint(content, record->as.position.offset);
		encode_varint(content, record->as.position.file);
		return 1;
	case MPROF_RECORD_MODULE:
		return encode_module(content, &record->as.module);
	case MPROF_RECORD_FUNCTION:
		encode_varint(content, record->as.function.module);
		encode_varint(content, record->as.function.offset);
		encode_varint(content, record->as.function.size);
		encode_text(content, record->as.function.name);
		return record->as.function.module != 0;
	case MPROF_RECORD_LOCATION:
		encode_varint(content, record->as.location.module);
		encode_varint(content, record->as.location.function);
		encode_varint(content, record->as.location.offset);
		return record->as.location.module != 0;
	case MPROF_RECORD_TYPE:
		return encode_type(content, &record->as.type);
	case MPROF_RECORD_TEXT:
		encode_text(content, record->as.text.text);
		return 1;
	default:
		return record->kind == MPROF_RECORD_CLOCK && record->id == MPROF_CLOCK_LOG;
	}
}

/* Whether two equal definitions of one log are two rows of a report. */
static int stays_apart(uint32_t kind)
{
	return kind == MPROF_RECORD_MODULE || kind == MPROF_RECORD_FUNCTION || kind == MPROF_RECORD_TYPE;
}

/* Stores the ID in the merged log. Returns 0 if there is no memory. */
static int set_translation(id_translation *translation, uint32_t id, uint32_t merged)
{
	if (id == merged && translation->same + 1 == id && translation->same == translation->defined)
		translation->same = id;
	else if (!id_map_put(&translation->moved, id, merged))
		return 0;
	translation->defined++;
	return 1;
}

int merge_define_record(mprof_converter *converter, mprof_record *record)
{
	merge_input *input = converter->merge;
	encode_buffer *content = &input->shared->content;
	id_translation *translation = &converter->ids[record->kind];
	const int is_shared = encode_definition(content, record);
	uint32_t id = is_shared ? merge_input_find(input, stays_apart(record->kind)) : 0;
	const int is_new = id == 0;

	if (is_shared && content->status != MPROF_OK)
		return -1;
	if (is_new) {
		id = input->shared->defined[record->kind] + 1;
		if (is_shared && !merge_input_share(input, id))
			return -1;
		input->shared->defined[record->kind] = id;
	}
	if (!set_translation(translation, record->id, id))
		return -1;
	record->id = id;
	return is_new;
}
