/* SPDX-License-Identifier: MIT */
/* What blocks define or tell besides names and events. */
#include "dump.h"
#include "json.h"
#include "kinds.h"
#include "names.h"
#include "text.h"

#include <inttypes.h>

/* The definition of a metric that a value is of; without one its value is a signed number. */
static uint32_t flags_of_metric(const log_input *input, uint32_t id)
{
	mprof_record metric;

	return mprof_reader_record(input->reader, MPROF_RECORD_METRIC, id, &metric) == MPROF_OK ? metric.flags : 0;
}

static void print_summary_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "class", record->id);
	json_unsigned(json, "live_objects", record->counts[0]);
	json_unsigned(json, "live_bytes", record->counts[1]);
	json_unsigned(json, "dead_objects", record->counts[2]);
	json_unsigned(json, "dead_bytes", record->counts[3]);
}

static void print_root_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	json_string(json, "kind", kind_of_root(record->flags));
	json_unsigned(json, "class", record->target);
	json_hexadecimal(json, "thread", record->value);
	json_hexadecimal(json, "start", record->start);
	json_unsigned(json, "size", record->size);
	json_string(json, "name", record->name);
}

static void print_metric_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	json_unsigned(json, "flags", record->flags);
	json_string(json, "unit", kind_of_unit(record->flags));
	json_string(json, "section", record->section);
	json_string(json, "name", record->name);
}

static void print_value_json(const log_input *input, json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "metric", record->id);
	if (flags_of_metric(input, record->id) & MPROF_METRIC_DOUBLE)
		json_double(json, "value", kind_double_value(record->value));
	else
		json_signed(json, "value", (int64_t)record->value);
}

static void print_code_json(json_writer *json, const mprof_record *record)
{
	json_unsigned(json, "id", record->id);
	if (record->kind == MPROF_RECORD_MODULE) {
		if (record->flags & MPROF_RECORD_REMOVED)
			json_boolean(json, "removed", 1);
		json_hexadecimal(json, "start", record->start);
		json_unsigned(json, "size", record->size);
		if (record->value != 0)
			json_hexadecimal(json, "file_offset", record->value);
		json_string(json, "build_id", record->section);
		json_string(json, "file", record->name);
		return;
	}
	json_unsigned(json, "module", record->parent);
	json_hexadecimal(json, "offset", record->start);
	if (record->kind == MPROF_RECORD_LOCATION) {
		json_unsigned(json, "function", record->target);
		return;
	}
	json_unsigned(json, "size", record->size);
	json_string(json, "name", record->name);
}

static void print_record_json(const log_input *input, json_writer *json, const mprof_record *record)
{
	json_begin_object(json, NULL);
	json_string(json, "record", kind_of_record(record->kind));
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		json_unsigned(json, "id", record->id);
		json_unsigned(json, record->flags & MPROF_EVENT_NATIVE ? "location" : "method", record->target);
		if (record->flags & MPROF_EVENT_COMPILING)
			json_boolean(json, "compiling", 1);
		json_unsigned(json, "caller", record->parent);
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
	default:
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

static void print_stack_text(const log_input *input, const mprof_record *record)
{
	const mprof_stack_frame frame = {record->target, (record->flags & MPROF_EVENT_NATIVE) != 0,
					 (record->flags & MPROF_EVENT_COMPILING) != 0};
	const char *name = names_frame(input->reader, &frame);

	printf(" %s %" PRIu32 " ", frame.is_native ? "location" : "method", record->target);
	text_name(stdout, name != NULL ? name : "(unknown)");
	if (frame.is_compiling)
		fputs(" (compiling)", stdout);
	if (record->parent != 0)
		printf(", called by stack %" PRIu32, record->parent);
}

static void print_root_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	printf(" %s ", kind_of_root(record->flags));
	text_name(stdout, record->name);
	if (record->target != 0) {
		printf(", class %" PRIu32 " ", record->target);
		text_name(stdout, names_class_or_none(input->reader, record->target, &class));
	}
	if (record->value != 0)
		printf(", thread 0x%" PRIx64, record->value);
	printf(", at 0x%" PRIx64 ", %" PRIu64 " bytes", record->start, record->size);
}

static void print_module_text(const mprof_record *record)
{
	if (record->flags & MPROF_RECORD_REMOVED) {
		fputs(" is no more", stdout);
		return;
	}
	putchar(' ');
	text_name(stdout, record->name);
	printf(", at 0x%" PRIx64, record->start);
	if (record->size != 0)
		printf(", %" PRIu64 " bytes", record->size);
	if (record->value != 0)
		printf(", from byte %" PRIu64 " of it", record->value);
	if (record->section[0] != '\0') {
		fputs(", build ID ", stdout);
		text_name(stdout, record->section);
	}
}

/* Where a function is, or a location. Of what has a name an offset of 0 means that it is not known. */
static void print_place_text(const mprof_record *record)
{
	int has_name = record->kind == MPROF_RECORD_FUNCTION || record->target != 0;
	int has_offset = record->start != 0 || record->size != 0 || !has_name;

	if (record->parent != 0)
		printf(", module %" PRIu32, record->parent);
	if (has_offset)
		printf("%s0x%" PRIx64, record->parent != 0 ? " + " : ", at ", record->start);
}

static void print_code_text(const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_MODULE) {
		print_module_text(record);
		return;
	}
	if (record->kind == MPROF_RECORD_FUNCTION) {
		putchar(' ');
		text_name(stdout, record->name);
	} else if (record->target != 0) {
		printf(" function %" PRIu32, record->target);
	}
	print_place_text(record);
	if (record->size != 0)
		printf(", %" PRIu64 " bytes", record->size);
}

static void print_value_text(const log_input *input, const mprof_record *record)
{
	if (flags_of_metric(input, record->id) & MPROF_METRIC_DOUBLE)
		printf(" %g", kind_double_value(record->value));
	else
		printf(" %" PRId64, (int64_t)record->value);
}

static void print_summary_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	putchar(' ');
	text_name(stdout, names_class_or_none(input->reader, record->id, &class));
	printf(", %" PRIu64 " alive (%" PRIu64 " bytes), %" PRIu64 " dead (%" PRIu64 " bytes)", record->counts[0],
	       record->counts[1], record->counts[2], record->counts[3]);
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
		putchar(' ');
		text_name(stdout, record->section);
		fputs(", ", stdout);
		text_name(stdout, record->name);
		printf(" (%s)", kind_of_unit(record->flags));
		break;
	case MPROF_RECORD_METRIC_VALUE:
		print_value_text(input, record);
		break;
	case MPROF_RECORD_SUMMARY:
		print_summary_text(input, record);
		break;
	default:
		break;
	}
	putchar('\n');
}

void dump_records_text(const log_input *input, const mprof_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		print_record_text(input, &records[i]);
}
