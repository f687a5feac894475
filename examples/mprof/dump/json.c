/* SPDX-License-Identifier: MIT */
/* Prints one JSON object per line. */
#include "dump/dump.h"
#include "common/json.h"
#include "shared/kinds.h"
#include "common/names.h"
#include "common/typed.h"

#include <string.h>

#define MAPPING_BATCH 256

static void print_class(json_writer *json, const mprof_mapping *mapping)
{
	json_begin_object(json, NULL);
	json_unsigned(json, "id", mapping->id);
	json_string(json, "name", mapping->name);
	if (mapping->assembly_id != 0)
		json_unsigned(json, "assembly", mapping->assembly_id);
	if (mapping->size != 0)
		json_unsigned(json, "size", mapping->size);
	json_end_object(json);
}

static void print_method(json_writer *json, const mprof_mapping *mapping)
{
	json_begin_object(json, NULL);
	json_unsigned(json, "id", mapping->id);
	json_unsigned(json, "class", mapping->class_id);
	json_string(json, "name", mapping->name);
	if (mapping->flags & MPROF_METHOD_FLAG_WRAPPER)
		json_boolean(json, "wrapper", 1);
	if (mapping->source_file[0] != '\0')
		json_string(json, "file", mapping->source_file);
	if (mapping->source_line != 0)
		json_unsigned(json, "line", mapping->source_line);
	json_end_object(json);
}

/* Prints classes first. Returns the status of the last fetch. */
static mprof_status print_mappings(log_input *input, json_writer *json)
{
	static mprof_mapping mappings[MAPPING_BATCH];
	int in_methods = 0;
	mprof_status status;
	size_t count = 0;

	json_begin_array(json, "classes");
	do {
		status = mprof_reader_next_mappings(input->reader, mappings, sizeof(*mappings), MAPPING_BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			if (mappings[i].is_method && !in_methods) {
				json_end_array(json);
				json_begin_array(json, "methods");
				in_methods = 1;
			}
			if (mappings[i].is_method)
				print_method(json, &mappings[i]);
			else if (!in_methods)
				print_class(json, &mappings[i]);
		}
	} while (status == MPROF_OK);
	json_end_array(json);
	if (!in_methods) {
		json_begin_array(json, "methods");
		json_end_array(json);
	}
	return status;
}

static mprof_status print_properties(log_input *input, json_writer *json)
{
	const char *key;
	const char *value;
	mprof_status status;

	json_begin_object(json, "properties");
	while ((status = mprof_reader_next_property(input->reader, &key, &value)) == MPROF_OK)
		json_string(json, key, value);
	json_end_object(json);
	return status;
}

static void print_element(json_writer *json, const mprof_block *block)
{
	json_string(json, "type", kind_of_element(block->as.element.kind));
	if (block->kind == MPROF_BLOCK_LOADED)
		json_boolean(json, "failed", (block->as.element.kind & MPROF_ELEMENT_FLAG_FAILURE) != 0);
	json_unsigned(json, "id", block->as.element.id);
	json_hexadecimal(json, "thread", block->thread);
	json_large(json, "start_counter", block->as.element.start_counter);
	json_large(json, "end_counter", block->as.element.end_counter);
	json_string(json, "name", block->as.element.name);
	if (block->as.element.assembly == NULL)
		return;
	json_begin_object(json, "assembly");
	json_string(json, "name", block->as.element.assembly->base_name);
	json_unsigned(json, "major", block->as.element.assembly->major);
	json_unsigned(json, "minor", block->as.element.assembly->minor);
	json_unsigned(json, "build", block->as.element.assembly->build);
	json_unsigned(json, "revision", block->as.element.assembly->revision);
	json_string(json, "culture", block->as.element.assembly->culture);
	json_string(json, "public_key_token", block->as.element.assembly->public_key_token);
	json_boolean(json, "retargetable", block->as.element.assembly->retargetable != 0);
	json_end_object(json);
}

static void print_directives(json_writer *json, const mprof_number_set *directives)
{
	json_begin_array(json, "directives");
	for (uint32_t directive = 0; directive < 256; directive++) {
		if (mprof_number_set_has(directives, directive))
			json_unsigned(json, NULL, directive);
	}
	json_end_array(json);
}

static void print_lost(json_writer *json, const mprof_block *block)
{
	json_hexadecimal(json, "thread", block->thread);
	json_begin_object(json, "lost");
	for (uint32_t cause = 0; cause < block->as.lost.count; cause++) {
		if (block->as.lost.counts[cause] > 0)
			json_unsigned(json, mprof_loss_get_name(cause), block->as.lost.counts[cause]);
	}
	json_end_object(json);
}

static void print_clock(json_writer *json, const char *name, const mprof_clock *clock)
{
	json_begin_object(json, name);
	json_large(json, "counter", clock->counter);
	json_unsigned(json, "time_us", clock->time);
	json_end_object(json);
}

static void print_heap_shot(json_writer *json, const mprof_block *block)
{
	if (block->as.heap_data.has_clocks) {
		json_unsigned(json, "collection", block->as.heap_data.number);
		print_clock(json, "shot_start", &block->as.heap_data.start);
		print_clock(json, "shot_end", &block->as.heap_data.end);
	} else {
		json_unsigned(json, "shot", block->as.heap_data.number);
		json_large(json, "counter", block->as.heap_data.counter);
		if (block->as.heap_data.process != 0)
			json_large(json, "process", block->as.heap_data.process);
	}
	json_boolean(json, "first", (block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) != 0);
	json_boolean(json, "last", (block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST) != 0);
	json_boolean(json, "incomplete", (block->as.heap_data.flags & MPROF_HEAP_FLAG_INCOMPLETE) != 0);
}

static void print_clocks(json_writer *json, const mprof_block *block)
{
	if (!block->has_clocks)
		return;
	print_clock(json, "start_clock", &block->start);
	print_clock(json, "end_clock", &block->end);
}

static void print_application(json_writer *json, const mprof_application_block *application)
{
	json_string(json, "name", application->name);
	json_unsigned(json, "kind", application->kind);
	json_unsigned(json, "flags", application->flags);
	json_bytes(json, "data", application->bytes, application->size);
}

/* Prints the field of a block that has one. */
static void print_number(const mprof_block *block, json_writer *json)
{
	switch (block->kind) {
	case MPROF_BLOCK_OBJECT_LABELS:
	case MPROF_BLOCK_REFERENCE_NAMES:
		json_unsigned(json, "snapshot", block->as.heap_notes.number);
		break;
	case MPROF_BLOCK_INDEX:
		json_large(json, "blocks", block->as.index.count);
		break;
	case MPROF_BLOCK_WATERMARK:
		json_large(json, "counter", block->as.watermark.counter);
		break;
	default:
		break;
	}
}

/* Prints what a block of a thread begins with. */
static void print_list_head(json_writer *json, const mprof_block *block)
{
	json_hexadecimal(json, "thread", block->thread);
	json_large(json, "base_counter", block->as.samples.base_counter);
}

/* Prints the fields specific to the kind of a block. Returns the status of a fetch, if there was one. */
static mprof_status print_fields(log_input *input, const mprof_block *block, json_writer *json)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		json_unsigned(json, "version", block->as.intro.version);
		json_string(json, "runtime", block->as.intro.runtime);
		json_unsigned(json, "flags", block->as.intro.flags);
		break;
	case MPROF_BLOCK_END:
		json_unsigned(json, "version", block->as.end.version);
		break;
	case MPROF_BLOCK_MAPPING:
		return print_mappings(input, json);
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		print_element(json, block);
		break;
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		print_list_head(json, block);
		break;
	case MPROF_BLOCK_STATISTICAL:
		json_large(json, "start_counter", block->as.statistical.start_counter);
		json_large(json, "end_counter", block->as.statistical.end_counter);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		print_directives(json, &block->as.directives.declared);
		break;
	case MPROF_BLOCK_SESSION:
		return print_properties(input, json);
	case MPROF_BLOCK_THREAD:
		json_hexadecimal(json, "thread", block->thread);
		json_string(json, "name", block->as.thread_name.name);
		break;
	case MPROF_BLOCK_LOST:
		print_lost(json, block);
		break;
	case MPROF_BLOCK_HEAP_DATA:
		print_heap_shot(json, block);
		break;
	case MPROF_BLOCK_HEAP_SUMMARY:
		json_unsigned(json, "collection", block->as.heap_summary.collection);
		break;
	case MPROF_BLOCK_MARK:
		json_hexadecimal(json, "thread", block->thread);
		json_large(json, "counter", block->as.mark.counter);
		json_string(json, "text", block->as.mark.text);
		break;
	case MPROF_BLOCK_APPLICATION:
		print_application(json, &block->as.application);
		break;
	default:
		print_number(block, json);
		break;
	}
	return MPROF_END;
}

static void print_block(log_input *input, const mprof_block *block)
{
	mprof_status status = MPROF_END;
	json_writer json;

	json_init(&json, stdout, 1);
	json_begin_object(&json, NULL);
	json_string(&json, "block", mprof_block_get_name(block->kind));
	json_unsigned(&json, "schema_version", JSON_SCHEMA_VERSION);
	json_unsigned(&json, "offset", block->offset);
	json_unsigned(&json, "length", block->length);
	json_unsigned(&json, "code", block->code);
	if (block->codec != MPROF_CODEC_NONE) {
		json_unsigned(&json, "codec", block->codec);
		json_unsigned(&json, "unpacked_length", block->unpacked_length);
	}
	if (block->loaded) {
		status = print_fields(input, block, &json);
		print_clocks(&json, block);
	}
	json_end_object(&json);
	if (status != MPROF_END)
		input_fetch_failed(input);
}

static void print_subject(json_writer *json, const mprof_event *event)
{
	switch (dump_subject_of(event)) {
	case MPROF_EVENT_ID_METHOD:
		json_unsigned(json, "method", event->id);
		break;
	case MPROF_EVENT_ID_CLASS:
		json_unsigned(json, "class", event->id);
		break;
	case MPROF_EVENT_ID_ROOT:
		json_unsigned(json, "root", event->id);
		break;
	default:
		break;
	}
}

/*
 * Prints the ID and the innermost frame. All frames are in the definition of the stack, which is printed once: repeated
 * for each sample, they would be most of a dump.
 */
static void print_stack(const log_input *input, json_writer *json, uint32_t stack)
{
	const char *symbol = dump_innermost_symbol(input, stack);

	json_unsigned(json, "stack", stack);
	if (symbol != NULL)
		json_string(json, "symbol", symbol);
	json_string(json, "name", dump_innermost(input, stack));
}

static void print_section(const log_input *input, json_writer *json, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	json_large(json, "keep", event->value);
	json_begin_array(json, "frames");
	for (uint32_t i = 0; detail != NULL && i < detail->reference_count; i++) {
		mprof_stack_frame frame = dump_section_frame(detail, i);

		json_begin_object(json, NULL);
		json_unsigned(json, "method", frame.id);
		json_string(json, "name", names_frame(input->names, &frame));
		json_boolean(json, "compiling", frame.is_compiling != 0);
		json_end_object(json);
	}
	json_end_array(json);
}

/* Prints the meaning of the value. */
static void print_meaning(json_writer *json, const mprof_event *event)
{
	if (event->flags & MPROF_EVENT_FLAG_FAILED)
		json_boolean(json, "failed", 1);
	if (event->kind == MPROF_EVENT_UNKNOWN)
		json_unsigned(json, "code", event->code);
	if (dump_collection_of(event) != 0)
		json_unsigned(json, "collection", event->id);
	if (event->kind == MPROF_EVENT_MONITOR)
		json_string(json, "state", kind_of_monitor_state(event->value));
	if (event->kind == MPROF_EVENT_MONITOR_HOLDER)
		json_hexadecimal(json, "holder", event->value);
	if (event->kind == MPROF_EVENT_EXCEPTION_CLAUSE) {
		json_string(json, "kind", kind_of_clause(event->value & 3));
		json_large(json, "clause", event->value >> 2);
	}
	if (event->kind == MPROF_EVENT_METHOD_CODE) {
		json_string(json, "origin", kind_of_code(event->value & 15));
		json_large(json, "bytes", event->value >> 4);
	}
	if (event->kind == MPROF_EVENT_HEAP_ROOT)
		json_string(json, "kind", kind_of_root(event->value));
	if (event->kind == MPROF_EVENT_HEAP_MOVE || event->kind == MPROF_EVENT_OBJECT_RESIZED)
		json_hexadecimal(json, "to", event->value);
	if (event->kind == MPROF_EVENT_OBJECT_RESIZED && event->more.detail != NULL)
		json_large(json, "size", event->more.detail->size);
}

/* Prints the offsets of references and the fields at these offsets. */
static void print_reference_fields(const log_input *input, json_writer *json, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint64_t element;

	if (detail->offsets == NULL)
		return;
	json_begin_array(json, "offsets");
	for (uint32_t i = 0; i < detail->reference_count; i++)
		json_large(json, NULL, detail->offsets[i]);
	json_end_array(json);
	json_begin_array(json, "fields");
	for (uint32_t i = 0; i < detail->reference_count; i++)
		json_string(json, NULL, dump_field_of(input, event, i, &element));
	json_end_array(json);
}

static void print_detail(const log_input *input, json_writer *json, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint64_t object = dump_object_of(event);
	int is_heap_object = event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_REFERENCES;

	/* For a stack section, the value and the frames are already printed. */
	if (detail == NULL || event->kind == MPROF_EVENT_STACK_SECTION)
		return;
	if (event->kind == MPROF_EVENT_HANDLE_CREATED || event->kind == MPROF_EVENT_HANDLE_DELETED)
		json_string(json, "type", kind_of_handle(detail->handle_type));
	if (detail->caller != 0)
		json_unsigned(json, event->kind == MPROF_EVENT_EXCEPTION_CLAUSE ? "method" : "caller", detail->caller);
	if (detail->stack != 0)
		json_unsigned(json, "stack", detail->stack);
	if (object != 0)
		json_hexadecimal(json, "object", object);
	if (event->kind == MPROF_EVENT_SAMPLE)
		json_unsigned(json, "samples", detail->samples);
	if (!is_heap_object)
		return;
	json_begin_array(json, "references");
	for (uint32_t i = 0; i < detail->reference_count; i++)
		json_hexadecimal(json, NULL, detail->references[i]);
	json_end_array(json);
	print_reference_fields(input, json, event);
}

static void print_memory(json_writer *json, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	if (event->kind == MPROF_EVENT_MEMORY_RESIZED && detail != NULL)
		json_hexadecimal(json, "from", detail->object);
	json_hexadecimal(json, "address", event->value);
	if (detail == NULL)
		return;
	if (event->kind != MPROF_EVENT_MEMORY_FREED)
		json_large(json, "size", detail->size);
	if (event->kind == MPROF_EVENT_MEMORY_RESIZED)
		json_large(json, "started", detail->started);
	if (detail->stack != 0)
		json_unsigned(json, "stack", detail->stack);
}

/* Prints the type of an event and the arguments that the log describes. Their names may be any, also equal ones. */
static void print_typed(const log_input *input, json_writer *json, const mprof_event *event)
{
	typed_arguments arguments;
	typed_argument argument;

	json_unsigned(json, "type", event->id);
	if (!typed_begin(&arguments, input->reader, event)) {
		json_null(json, "name");
		return;
	}
	json_string(json, "name", arguments.type.name);
	json_begin_array(json, "arguments");
	while (typed_next(&arguments, &argument)) {
		json_begin_object(json, NULL);
		json_string(json, "name", argument.definition.name);
		typed_value_json(input->reader, json, "value", &argument);
		json_end_object(json);
	}
	json_end_array(json);
	if (arguments.is_damaged)
		json_boolean(json, "damaged", 1);
	else if (typed_rest(&arguments) > 0)
		json_unsigned(json, "more_bytes", typed_rest(&arguments));
}

static void print_event(const log_input *input, json_writer *json, const mprof_block *block, const mprof_event *event)
{
	json_begin_object(json, NULL);
	json_string(json, "event", mprof_event_get_name(event->kind));
	if (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES || block->kind == MPROF_BLOCK_TYPED)
		json_hexadecimal(json, "thread", block->thread);
	if (block->kind != MPROF_BLOCK_STATISTICAL)
		json_large(json, "counter", event->counter);
	print_subject(json, event);
	if (dump_has_value(event))
		json_large(json, "value", event->value);
	if (dump_has_stack(event) && event->id != 0)
		json_unsigned(json, "method", event->id);
	if (dump_has_stack(event))
		print_stack(input, json, (uint32_t)event->value);
	if (event->kind == MPROF_EVENT_STACK_SECTION)
		print_section(input, json, event);
	print_meaning(json, event);
	if (event->kind == MPROF_EVENT_TYPED)
		print_typed(input, json, event);
	else if (dump_is_memory(event))
		print_memory(json, event);
	else
		print_detail(input, json, event);
	json_end_object(json);
}

static void print_events(const log_input *input, const mprof_block *block, const mprof_event *events, size_t count)
{
	json_writer json;

	json_init(&json, stdout, 1);
	for (size_t i = 0; i < count; i++)
		print_event(input, &json, block, &events[i]);
}

/*
 * Records: the definitions and data of all blocks except mappings and events.
 */

static void print_summary_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "class", record->id);
	json_unsigned(json, "live_objects", record->as.summary.live_objects);
	json_unsigned(json, "live_bytes", record->as.summary.live_bytes);
	json_unsigned(json, "dead_objects", record->as.summary.dead_objects);
	json_unsigned(json, "dead_bytes", record->as.summary.dead_bytes);
}

static void print_root_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	json_string(json, "kind", kind_of_root(record->as.root.kind));
	json_unsigned(json, "class", record->as.root.class_id);
	json_hexadecimal(json, "thread", record->as.root.thread);
	json_hexadecimal(json, "start", record->as.root.address);
	json_unsigned(json, "size", record->as.root.size);
	json_string(json, "name", record->as.root.name);
}

static void print_field_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "class", record->id);
	json_unsigned(json, "offset", record->as.field.offset);
	json_unsigned(json, "stride", record->as.field.stride);
	json_unsigned(json, "declared_by", record->as.field.class_id);
	json_string(json, "name", record->as.field.name);
}

static void print_argument_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	json_string(json, "kind", kind_of_argument(record->as.argument.kind));
	json_string(json, "encoding", kind_of_encoding(record->as.argument.encoding));
	json_string(json, "role", kind_of_role(record->as.argument.role));
	json_string(json, "unit", kind_of_argument_unit(&record->as.argument));
	json_string(json, "name", record->as.argument.name);
}

static void print_type_json(const log_input *input, json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	json_string(json, "form", kind_of_form(record->as.type.form));
	if (record->as.type.pair != 0)
		json_unsigned(json, "pair", record->as.type.pair);
	if (record->as.type.category != 0)
		json_string(json, "category", typed_text(input->reader, record->as.type.category));
	json_unsigned(json, "first_argument", record->as.type.first_argument);
	json_unsigned(json, "arguments", record->as.type.argument_count);
	json_string(json, "name", record->as.type.name);
}

static void print_metric_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	json_unsigned(json, "flags", record->as.metric.flags);
	json_string(json, "unit", kind_of_metric_unit(&record->as.metric));
	if ((record->as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0)
		json_hexadecimal(json, "thread", record->as.metric.thread);
	json_string(json, "section", record->as.metric.section);
	json_string(json, "name", record->as.metric.name);
}

static void print_number_json(json_writer *json, const char *key, uint32_t flags, uint64_t value)
{
	if (flags & MPROF_METRIC_FLAG_DOUBLE)
		json_double(json, key, kind_double_value(value));
	else
		json_signed(json, key, (int64_t)value);
}

static void print_value_json(const log_input *input, json_writer *json, const mprof_record *record)
{
	const mprof_metric_value_record *value = &record->as.metric_value;
	const uint32_t flags = dump_metric_flags(input, record->id);

	json_unsigned(json, "metric", record->id);
	print_number_json(json, "value", flags, value->value);
	if (value->counter != 0)
		json_unsigned(json, "counter", value->counter);
	if ((flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0) {
		print_number_json(json, "lower", flags, value->lower);
		json_unsigned(json, "count", value->count);
	}
}

static void print_code_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	if (record->kind == MPROF_RECORD_MODULE) {
		if (record->as.module.is_removed)
			json_boolean(json, "removed", 1);
		json_hexadecimal(json, "start", record->as.module.address);
		json_unsigned(json, "size", record->as.module.size);
		if (record->as.module.file_offset != 0)
			json_hexadecimal(json, "file_offset", record->as.module.file_offset);
		json_string(json, "build_id", record->as.module.build_id);
		json_string(json, "file", record->as.module.file);
		return;
	}
	if (record->kind == MPROF_RECORD_LOCATION) {
		json_unsigned(json, "module", record->as.location.module);
		json_hexadecimal(json, "offset", record->as.location.offset);
		json_unsigned(json, "function", record->as.location.function);
		return;
	}
	json_unsigned(json, "module", record->as.function.module);
	json_hexadecimal(json, "offset", record->as.function.offset);
	json_unsigned(json, "size", record->as.function.size);
	json_string(json, "name", record->as.function.name);
}

static void print_clock_json(json_writer *json, const mprof_clock_record *clock)
{
	json_string(json, "name", clock->name);
	json_string(json, "kind", kind_of_clock(clock->kind));
	json_unsigned(json, "numerator", clock->numerator);
	json_unsigned(json, "denominator", clock->denominator);
}

static void print_timeline_json(json_writer *json, const mprof_timeline_record *timeline)
{
	json_hexadecimal(json, "thread", timeline->thread);
	json_string(json, "name", timeline->name);
	json_string(json, "kind", kind_of_timeline(timeline->kind));
	json_unsigned(json, "process", timeline->process);
	json_unsigned(json, "system_thread", timeline->system_thread);
	json_hexadecimal(json, "parent", timeline->parent);
	json_unsigned(json, "clock", timeline->clock);
	json_unsigned(json, "rank", timeline->rank);
	json_boolean(json, "ended", (timeline->flags & MPROF_TIMELINE_FLAG_ENDED) != 0);
}

static void print_process_json(json_writer *json, const mprof_process_record *process)
{
	json_unsigned(json, "process", process->number);
	json_string(json, "name", process->name);
	json_string(json, "command", process->command);
	json_unsigned(json, "system_id", process->system_id);
	json_unsigned(json, "parent", process->parent);
	json_unsigned(json, "start", process->start);
	json_unsigned(json, "end", process->end);
}

static void print_clock_pair_json(json_writer *json, const mprof_clock_pair_record *pair)
{
	json_unsigned(json, "value", pair->value);
	json_unsigned(json, "counter", pair->counter);
	json_unsigned(json, "uncertainty", pair->uncertainty);
}

/* Prints a record of the blocks of clocks, timelines and processes. */
static void print_timeline_record_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, record->kind == MPROF_RECORD_CLOCK_PAIR ? "clock" : "id", record->id);
	if (record->kind == MPROF_RECORD_CLOCK)
		print_clock_json(json, &record->as.clock);
	else if (record->kind == MPROF_RECORD_TIMELINE)
		print_timeline_json(json, &record->as.timeline);
	else if (record->kind == MPROF_RECORD_PROCESS)
		print_process_json(json, &record->as.process);
	else
		print_clock_pair_json(json, &record->as.clock_pair);
}

static void print_position_json(const log_input *input, json_writer *json, const mprof_record *record)
{
	const mprof_position_record *position = &record->as.position;

	json_unsigned(json, "id", record->id);
	json_unsigned(json, position->is_native ? "location" : "method", position->target);
	json_unsigned(json, "line", position->line);
	if (position->offset != 0)
		json_hexadecimal(json, "offset", position->offset);
	if (position->is_inlined)
		json_boolean(json, "inlined", 1);
	if (position->file != 0)
		json_string(json, "file", typed_text(input->reader, position->file));
}

static void print_note_json(const log_input *input, json_writer *json, const mprof_record *record)
{
	json_hexadecimal(json, "object", dump_note_object(record));
	if (record->kind == MPROF_RECORD_OBJECT_FLAGS) {
		json_unsigned(json, "flags", record->id);
		return;
	}
	if (record->kind == MPROF_RECORD_REFERENCE_NAME)
		json_unsigned(json, "index", record->as.reference_name.index);
	if (record->kind == MPROF_RECORD_WEAK_REFERENCE)
		json_hexadecimal(json, "target", record->as.weak_reference.target);
	json_string(json, "text", dump_note_text(input, record));
}

/* Prints a record of a CODE_RANGES block. */
static void print_range_json(json_writer *json, const mprof_record *record)
{
	const mprof_code_range_record *range = &record->as.code_range;

	json_unsigned(json, record->kind == MPROF_RECORD_CODE_RANGE ? "id" : "range", record->id);
	if (record->kind == MPROF_RECORD_CODE_LINE) {
		json_hexadecimal(json, "offset", record->as.code_line.offset);
		json_unsigned(json, "position", record->as.code_line.position);
	} else if (record->kind == MPROF_RECORD_CODE_END) {
		json_unsigned(json, "counter", record->as.code_end.counter);
		json_hexadecimal(json, "address", record->as.code_end.address);
	} else {
		json_string(json, "kind", kind_of_code_range(range->kind));
		json_hexadecimal(json, "start", range->address);
		json_unsigned(json, "size", range->size);
		json_unsigned(json, "counter", range->start);
		json_unsigned(json, "method", range->method);
		json_unsigned(json, "module", range->module);
		json_unsigned(json, "process", range->process);
		json_string(json, "name", range->name);
	}
}

static void print_stack_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	if (record->as.stack.position != 0)
		json_unsigned(json, "position", record->as.stack.position);
	else
		json_unsigned(json, record->as.stack.is_native ? "location" : "method", record->as.stack.target);
	if (record->as.stack.is_compiling)
		json_boolean(json, "compiling", 1);
	json_unsigned(json, "caller", record->as.stack.caller);
}

/* Prints a record of a REACHABILITY block. */
static void print_reachability_json(json_writer *json, const mprof_record *record)
{
	const mprof_memory_search_record *search = &record->as.memory_search;

	if (record->kind == MPROF_RECORD_MEMORY_BLOCK) {
		json_unsigned(json, "reachability", record->id);
		json_unsigned(json, "process", record->as.memory_block.process);
		json_hexadecimal(json, "address", record->as.memory_block.address);
		return;
	}
	json_unsigned(json, "id", record->id);
	json_unsigned(json, "process", search->process);
	json_unsigned(json, "blocks", search->blocks);
	json_unsigned(json, "bytes", search->bytes);
	json_unsigned(json, "root_bytes", search->root_bytes);
	json_unsigned(json, "duration_ns", search->duration_ns);
}

static void print_record(const log_input *input, json_writer *json, const mprof_record *record)
{
	json_begin_object(json, NULL);
	json_string(json, "record", kind_of_record(record->kind));
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		print_stack_json(json, record);
		break;
	case MPROF_RECORD_MODULE:
	case MPROF_RECORD_FUNCTION:
	case MPROF_RECORD_LOCATION:
		print_code_json(json, record);
		break;
	case MPROF_RECORD_ROOT:
		print_root_json(json, record);
		break;
	case MPROF_RECORD_METRIC:
		print_metric_json(json, record);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		print_value_json(input, json, record);
		break;
	case MPROF_RECORD_SUMMARY:
		print_summary_json(json, record);
		break;
	case MPROF_RECORD_FIELD:
		print_field_json(json, record);
		break;
	case MPROF_RECORD_ARGUMENT:
		print_argument_json(json, record);
		break;
	case MPROF_RECORD_TYPE:
		print_type_json(input, json, record);
		break;
	case MPROF_RECORD_TEXT:
		json_unsigned(json, "id", record->id);
		json_string(json, "text", record->as.text.text);
		break;
	case MPROF_RECORD_CLOCK:
	case MPROF_RECORD_TIMELINE:
	case MPROF_RECORD_PROCESS:
	case MPROF_RECORD_CLOCK_PAIR:
		print_timeline_record_json(json, record);
		break;
	case MPROF_RECORD_POSITION:
		print_position_json(input, json, record);
		break;
	case MPROF_RECORD_MEMORY_SEARCH:
	case MPROF_RECORD_MEMORY_BLOCK:
		print_reachability_json(json, record);
		break;
	default:
		if (dump_is_of_code_ranges(record)) {
			print_range_json(json, record);
			break;
		}
		print_note_json(input, json, record);
		break;
	}
	json_end_object(json);
}

static void print_records(const log_input *input, const mprof_record *records, size_t count)
{
	json_writer json;

	json_init(&json, stdout, 1);
	for (size_t i = 0; i < count; i++)
		print_record(input, &json, &records[i]);
}

const dump_form dump_form_json = {print_block, print_events, print_records};
