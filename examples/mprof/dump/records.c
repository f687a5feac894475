/* SPDX-License-Identifier: MIT */
/* Prints records: the definitions and data of all blocks except mappings and events. */
#include "dump/dump.h"
#include "common/json.h"
#include "shared/kinds.h"
#include "common/names.h"
#include "common/typed.h"
#include "shared/text.h"

#include <inttypes.h>

/* The flags of a metric; without a definition, its values are signed numbers. */
static uint32_t flags_of_metric(const log_input *input, uint32_t id)
{
	mprof_record metric;

	return mprof_reader_lookup_record(input->reader, MPROF_RECORD_METRIC, id, &metric, sizeof(metric)) == MPROF_OK
		       ? metric.as.metric.flags
		       : 0;
}

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
	const uint32_t flags = flags_of_metric(input, record->id);

	json_unsigned(json, "metric", record->id);
	print_number_json(json, "value", flags, value->value);
	if (value->counter != 0)
		json_unsigned(json, "counter", value->counter);
	if ((flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0) {
		print_number_json(json, "lower", flags, value->lower);
		json_unsigned(json, "count", value->count);
	}
}

/* The object that a record of a block of a heap snapshot is about. */
static uint64_t note_object(const mprof_record *record)
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

/* The text of such a record; NULL if it has none, or one that is not defined. */
static const char *note_text(const log_input *input, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_LABEL && record->id == 0)
		return record->as.label.text;
	return record->id != 0 ? typed_text(input->reader, record->id) : NULL;
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
	json_hexadecimal(json, "object", note_object(record));
	if (record->kind == MPROF_RECORD_OBJECT_FLAGS) {
		json_unsigned(json, "flags", record->id);
		return;
	}
	if (record->kind == MPROF_RECORD_REFERENCE_NAME)
		json_unsigned(json, "index", record->as.reference_name.index);
	if (record->kind == MPROF_RECORD_WEAK_REFERENCE)
		json_hexadecimal(json, "target", record->as.weak_reference.target);
	json_string(json, "text", note_text(input, record));
}

static int is_of_code_ranges(const mprof_record *record)
{
	return record->kind >= MPROF_RECORD_CODE_RANGE && record->kind <= MPROF_RECORD_CODE_END;
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

static void print_record_json(const log_input *input, json_writer *json, const mprof_record *record)
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
	default:
		if (is_of_code_ranges(record)) {
			print_range_json(json, record);
			break;
		}
		print_note_json(input, json, record);
		break;
	}
	json_end_object(json);
}

void dump_records_json(const log_input *input, const mprof_record *records, size_t count)
{
	json_writer json;

	json_init(&json, stdout, 1);
	for (size_t i = 0; i < count; i++)
		print_record_json(input, &json, &records[i]);
}

/* Prints a method or a location, and its name. */
static void print_target_text(const log_input *input, const mprof_stack_frame *frame)
{
	const char *name = names_frame(input->names, frame);

	printf(" %s %" PRIu32 " ", frame->is_native ? "location" : "method", frame->id);
	text_name(stdout, name != NULL ? name : "(unknown)");
	if (frame->is_compiling)
		fputs(" (compiling)", stdout);
}

static void print_position_text(const log_input *input, const mprof_position_record *position)
{
	const mprof_stack_frame frame = {.id = position->target, .is_native = position->is_native};

	print_target_text(input, &frame);
	if (position->line != 0)
		printf(", line %" PRIu32, position->line);
	if (position->file != 0) {
		fputs(" of ", stdout);
		text_name(stdout, typed_text(input->reader, position->file));
	}
	if (position->offset != 0)
		printf(", offset 0x%" PRIx32, position->offset);
	if (position->is_inlined)
		fputs(" (inlined)", stdout);
}

static void print_stack_text(const log_input *input, const mprof_record *record)
{
	const mprof_stack_frame frame = {.id = record->as.stack.target,
					 .is_native = record->as.stack.is_native,
					 .is_compiling = record->as.stack.is_compiling};
	mprof_record position;

	if (record->as.stack.position == 0) {
		print_target_text(input, &frame);
	} else {
		printf(" position %" PRIu32 ",", record->as.stack.position);
		if (mprof_reader_lookup_record(input->reader, MPROF_RECORD_POSITION, record->as.stack.position,
					       &position, sizeof(position)) == MPROF_OK)
			print_position_text(input, &position.as.position);
		else
			fputs(" (unknown)", stdout);
	}
	if (record->as.stack.caller != 0)
		printf(", called by stack %" PRIu32, record->as.stack.caller);
}

static void print_root_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	printf(" %s ", kind_of_root(record->as.root.kind));
	text_name(stdout, record->as.root.name);
	if (record->as.root.class_id != 0) {
		printf(", class %" PRIu32 " ", record->as.root.class_id);
		text_name(stdout, names_class_or_none(input->reader, record->as.root.class_id, &class));
	}
	if (record->as.root.thread != 0)
		printf(", thread 0x%" PRIx64, record->as.root.thread);
	printf(", at 0x%" PRIx64 ", %" PRIu64 " bytes", record->as.root.address, record->as.root.size);
}

static void print_module_text(const mprof_record *record)
{
	if (record->as.module.is_removed) {
		fputs(" is no more", stdout);
		return;
	}
	putchar(' ');
	text_name(stdout, record->as.module.file);
	printf(", at 0x%" PRIx64, record->as.module.address);
	if (record->as.module.size != 0)
		printf(", %" PRIu64 " bytes", record->as.module.size);
	if (record->as.module.file_offset != 0)
		printf(", from byte %" PRIu64 " of it", record->as.module.file_offset);
	if (record->as.module.build_id[0] != '\0') {
		fputs(", build ID ", stdout);
		text_name(stdout, record->as.module.build_id);
	}
}

/* Prints the location of a function or a frame. For a named function, offset 0 means that it is unknown. */
static void print_code_offset(uint32_t module, uint64_t offset, int has_offset)
{
	if (module != 0)
		printf(", module %" PRIu32, module);
	if (has_offset || offset != 0)
		printf("%s0x%" PRIx64, module != 0 ? " + " : ", at ", offset);
}

static void print_function_text(const mprof_function_record *function)
{
	putchar(' ');
	text_name(stdout, function->name);
	print_code_offset(function->module, function->offset, function->size != 0);
	if (function->size != 0)
		printf(", %" PRIu64 " bytes", function->size);
}

static void print_location_text(const mprof_location_record *location)
{
	if (location->function != 0)
		printf(" function %" PRIu32, location->function);
	print_code_offset(location->module, location->offset, location->function == 0);
}

static void print_code_text(const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_MODULE)
		print_module_text(record);
	else if (record->kind == MPROF_RECORD_FUNCTION)
		print_function_text(&record->as.function);
	else
		print_location_text(&record->as.location);
}

static void print_number_text(uint32_t flags, uint64_t value)
{
	if (flags & MPROF_METRIC_FLAG_DOUBLE)
		printf(" %g", kind_double_value(value));
	else
		printf(" %" PRId64, (int64_t)value);
}

static void print_value_text(const log_input *input, const mprof_record *record)
{
	const mprof_metric_value_record *value = &record->as.metric_value;
	const uint32_t flags = flags_of_metric(input, record->id);

	if ((flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0) {
		printf(" %" PRIu64 " above", value->count);
		print_number_text(flags, value->lower);
		printf(", up to");
	}
	print_number_text(flags, value->value);
	if (value->counter != 0)
		printf(", at %" PRIu64, value->counter);
}

static void print_summary_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	putchar(' ');
	text_name(stdout, names_class_or_none(input->reader, record->id, &class));
	printf(", %" PRIu64 " alive (%" PRIu64 " bytes), %" PRIu64 " dead (%" PRIu64 " bytes)",
	       record->as.summary.live_objects, record->as.summary.live_bytes, record->as.summary.dead_objects,
	       record->as.summary.dead_bytes);
}

static void print_field_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	putchar(' ');
	text_name(stdout, names_class_or_none(input->reader, record->id, &class));
	printf(", offset %" PRIu32, record->as.field.offset);
	if (record->as.field.stride != 0)
		printf(", every %" PRIu32 " bytes", record->as.field.stride);
	fputs(", ", stdout);
	text_name(stdout, record->as.field.name);
	if (record->as.field.class_id != 0) {
		printf(", declared by class %" PRIu32 " ", record->as.field.class_id);
		text_name(stdout, names_class_or_none(input->reader, record->as.field.class_id, &class));
	}
}

static void print_argument_text(const mprof_argument_record *argument)
{
	const char *unit = kind_of_argument_unit(argument);

	putchar(' ');
	text_name(stdout, argument->name);
	printf(", %s, %s", kind_of_argument(argument->kind), kind_of_encoding(argument->encoding));
	if (argument->role != MPROF_ROLE_NONE)
		printf(", role %s", kind_of_role(argument->role));
	if (unit[0] != '\0') {
		fputs(", in ", stdout);
		text_name(stdout, unit);
	}
}

static void print_type_text(const log_input *input, const mprof_type_record *type)
{
	putchar(' ');
	text_name(stdout, type->name);
	printf(", %s", kind_of_form(type->form));
	if (type->pair != 0)
		printf(" of type %" PRIu32, type->pair);
	if (type->category != 0) {
		fputs(", category ", stdout);
		text_name(stdout, typed_text(input->reader, type->category));
	}
	if (type->argument_count > 0)
		printf(", arguments %" PRIu32 " to %" PRIu32, type->first_argument,
		       type->first_argument + type->argument_count - 1);
}

static void print_clock_text(const mprof_clock_record *clock)
{
	putchar(' ');
	text_name(stdout, clock->name);
	printf(", %s", kind_of_clock(clock->kind));
	if (clock->numerator != 0 && clock->denominator != 0)
		printf(", %" PRIu64 "/%" PRIu64 " ticks per second", clock->numerator, clock->denominator);
}

static void print_timeline_text(const mprof_timeline_record *timeline)
{
	printf(" thread 0x%" PRIx64 " ", timeline->thread);
	text_name(stdout, timeline->name);
	printf(", %s", kind_of_timeline(timeline->kind));
	if (timeline->process != 0)
		printf(", process %" PRIu64, timeline->process);
	if (timeline->system_thread != 0)
		printf(", system thread %" PRIu64, timeline->system_thread);
	if (timeline->parent != 0)
		printf(", part of thread 0x%" PRIx64, timeline->parent);
	if (timeline->clock != 0)
		printf(", clock %" PRIu32, timeline->clock);
	if (timeline->rank != 0)
		printf(", rank %" PRIu32, timeline->rank);
	if ((timeline->flags & MPROF_TIMELINE_FLAG_ENDED) != 0)
		fputs(", ended", stdout);
}

static void print_process_text(const mprof_process_record *process)
{
	printf(" process %" PRIu64 " ", process->number);
	text_name(stdout, process->name);
	if (process->system_id != 0)
		printf(", system ID %" PRIu64, process->system_id);
	if (process->parent != 0)
		printf(", started by process %" PRIu64, process->parent);
	if (process->start != 0)
		printf(", from %" PRIu64, process->start);
	if (process->end != 0)
		printf(", to %" PRIu64, process->end);
	if (process->command[0] != '\0') {
		fputs(", ", stdout);
		text_name(stdout, process->command);
	}
}

static void print_note_text(const log_input *input, const mprof_record *record)
{
	const char *text = note_text(input, record);
	char address[NAMES_OBJECT_SIZE];

	printf(", object %s", names_object(input->reader, note_object(record), address));
	if (record->kind == MPROF_RECORD_REFERENCE_NAME)
		printf(", reference %" PRIu32, record->as.reference_name.index);
	if (record->kind == MPROF_RECORD_WEAK_REFERENCE)
		printf(" to %s", names_object(input->reader, record->as.weak_reference.target, address));
	if (record->kind == MPROF_RECORD_OBJECT_FLAGS || text == NULL)
		return;
	fputs(", ", stdout);
	text_name(stdout, text);
}

static void print_metric_text(const mprof_metric_record *metric)
{
	putchar(' ');
	text_name(stdout, metric->section);
	fputs(", ", stdout);
	text_name(stdout, metric->name);
	fputs(" (", stdout);
	text_name(stdout, kind_of_metric_unit(metric));
	fputs((metric->flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0 ? ", histogram)" : ")", stdout);
	if ((metric->flags & MPROF_METRIC_FLAG_THREAD) != 0)
		printf(" of thread 0x%" PRIx64, metric->thread);
}

/* Prints a record of a CODE_RANGES block. */
static void print_range_text(const log_input *input, const mprof_record *record)
{
	const mprof_code_range_record *range = &record->as.code_range;
	const mprof_stack_frame method = {.id = range->method};

	if (record->kind == MPROF_RECORD_CODE_LINE) {
		printf(", offset 0x%" PRIx64 ", position %" PRIu32, record->as.code_line.offset,
		       record->as.code_line.position);
	} else if (record->kind == MPROF_RECORD_CODE_END) {
		printf(", at counter %" PRIu64, record->as.code_end.counter);
		if (record->as.code_end.address != 0)
			printf(", moved to 0x%" PRIx64, record->as.code_end.address);
	} else {
		printf(" %s, at 0x%" PRIx64 ", %" PRIu64 " bytes, from counter %" PRIu64,
		       kind_of_code_range(range->kind), range->address, range->size, range->start);
		if (range->module != 0)
			printf(", module %" PRIu32, range->module);
		if (range->method != 0)
			print_target_text(input, &method);
		if (range->name[0] != '\0') {
			fputs(", ", stdout);
			text_name(stdout, range->name);
		}
	}
}

static void print_record_text(const log_input *input, const mprof_record *record)
{
	printf("    %s %" PRIu32, kind_of_record(record->kind), record->id);
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		print_stack_text(input, record);
		break;
	case MPROF_RECORD_MODULE:
	case MPROF_RECORD_FUNCTION:
	case MPROF_RECORD_LOCATION:
		print_code_text(record);
		break;
	case MPROF_RECORD_ROOT:
		print_root_text(input, record);
		break;
	case MPROF_RECORD_METRIC:
		print_metric_text(&record->as.metric);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		print_value_text(input, record);
		break;
	case MPROF_RECORD_SUMMARY:
		print_summary_text(input, record);
		break;
	case MPROF_RECORD_FIELD:
		print_field_text(input, record);
		break;
	case MPROF_RECORD_ARGUMENT:
		print_argument_text(&record->as.argument);
		break;
	case MPROF_RECORD_TYPE:
		print_type_text(input, &record->as.type);
		break;
	case MPROF_RECORD_TEXT:
		putchar(' ');
		text_name(stdout, record->as.text.text);
		break;
	case MPROF_RECORD_CLOCK:
		print_clock_text(&record->as.clock);
		break;
	case MPROF_RECORD_TIMELINE:
		print_timeline_text(&record->as.timeline);
		break;
	case MPROF_RECORD_PROCESS:
		print_process_text(&record->as.process);
		break;
	case MPROF_RECORD_CLOCK_PAIR:
		printf(" %" PRIu64 " at %" PRIu64 " +- %" PRIu64, record->as.clock_pair.value,
		       record->as.clock_pair.counter, record->as.clock_pair.uncertainty);
		break;
	case MPROF_RECORD_POSITION:
		print_position_text(input, &record->as.position);
		break;
	default:
		if (is_of_code_ranges(record)) {
			print_range_text(input, record);
			break;
		}
		print_note_text(input, record);
		break;
	}
	putchar('\n');
}

void dump_records_text(const log_input *input, const mprof_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		print_record_text(input, &records[i]);
}
