/* SPDX-License-Identifier: MIT */
/* Writes a log as profiles of OpenTelemetry, in their binary form. */
#include "export/targets.h"

#include "common/arguments.h"
#include "export/intern.h"
#include "export/otlp_resource.h"
#include "export/protobuf.h"
#include "export/single_tree.h"
#include "export/thread_table.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The version of the protocol whose field numbers these are. It is written to the file, because they still change. */
#define PROTOCOL "opentelemetry-proto 1.11.0, profiles v1development"

/* Field numbers. */
enum { DATA_RESOURCES = 1, DATA_DICTIONARY = 2 };
enum { DICTIONARY_MAPPINGS = 1, DICTIONARY_LOCATIONS, DICTIONARY_FUNCTIONS, DICTIONARY_LINKS, DICTIONARY_TEXTS };
enum { DICTIONARY_ATTRIBUTES = 6, DICTIONARY_STACKS = 7 };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPES = 2 };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILES = 2 };
enum { SCOPE_NAME = 1, SCOPE_VERSION = 2, SCOPE_ATTRIBUTES = 3 };
enum { PROFILE_TYPE = 1, PROFILE_SAMPLES, PROFILE_TIME, PROFILE_DURATION, PROFILE_PERIOD_TYPE, PROFILE_PERIOD };
enum { SAMPLE_STACK = 1, SAMPLE_VALUES = 4 };
enum { STACK_LOCATIONS = 1 };
enum { LOCATION_MAPPING = 1, LOCATION_LINES = 3 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME = 2, FUNCTION_FILE = 3, FUNCTION_LINE = 4 };
enum { MAPPING_FILE = 4 };
enum { LINK_TRACE = 1, LINK_SPAN = 2 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };

#define TRACE_ID_SIZE 16
#define SPAN_ID_SIZE 8
/* Receivers refuse requests of about this size unless they are configured otherwise. */
#define LARGE_REQUEST UINT64_C(20000000)

#define NANOSECONDS_PER_SECOND UINT64_C(1000000000)
#define NANOSECONDS_PER_MICROSECOND 1000

/* Tables that all profiles of a file share; entry 0 of each is the zero value. Initialized with 0. */
typedef struct otlp_writer {
	const log_report *report;
	export_file *file;
	protobuf_message dictionary;
	protobuf_message profiles; /* The fields of ScopeProfiles. */
	protobuf_message profile;
	protobuf_message entry;
	protobuf_message part;
	protobuf_message locations;
	uint32_t *frames; /* Of the current tree: the location of each frame; 0 if it has none yet. */
	protobuf_message type;
	intern_table texts;
	intern_table mappings;
	intern_table functions;
	intern_table frame_locations; /* Of frames: functions with lines, which are the locations. */
	plain_buffer plain;
	otlp_attributes attributes;
	FILE *stacks; /* A temporary file: the call stacks of the dictionary, each with all its frames. */
	uint32_t stack_count;
	uint32_t folded_depth; /* Deeper frames are one; 0 if all are there. */
	int is_estimated;
	int has_failed;
} otlp_writer;

static uint32_t add_text(otlp_writer *writer, const char *text)
{
	const char *plain = text != NULL ? plain_text(&writer->plain, text) : "";
	uint32_t index = 0;
	int is_new = plain != NULL ? intern_add(&writer->texts, plain, strlen(plain), &index) : -1;

	writer->has_failed |= is_new < 0;
	if (is_new > 0)
		protobuf_text(&writer->dictionary, DICTIONARY_TEXTS, plain);
	return index;
}

static uint32_t add_mapping(otlp_writer *writer, const char *file)
{
	uint32_t text = add_text(writer, file);
	uint32_t index = 0;
	int is_new = intern_add(&writer->mappings, &text, sizeof(text), &index);

	writer->has_failed |= is_new < 0;
	if (is_new > 0) {
		protobuf_clear(&writer->entry);
		protobuf_number(&writer->entry, MAPPING_FILE, text);
		protobuf_add(&writer->dictionary, DICTIONARY_MAPPINGS, &writer->entry);
	}
	return index;
}

static uint32_t add_function(otlp_writer *writer, const stack_frame *frame)
{
	const uint32_t key[] = {add_text(writer, frame->name), add_text(writer, frame->symbol),
				add_text(writer, frame->file), frame->line};
	uint32_t index = 0;
	int is_new = intern_add(&writer->functions, key, sizeof(key), &index);

	writer->has_failed |= is_new < 0;
	if (is_new <= 0)
		return index;
	protobuf_clear(&writer->entry);
	protobuf_number(&writer->entry, FUNCTION_NAME, key[0]);
	protobuf_number(&writer->entry, FUNCTION_SYSTEM_NAME, key[1]);
	protobuf_number(&writer->entry, FUNCTION_FILE, key[2]);
	protobuf_number(&writer->entry, FUNCTION_LINE, key[3]);
	protobuf_add(&writer->dictionary, DICTIONARY_FUNCTIONS, &writer->entry);
	return index;
}

/* Adds a frame as a location in its function. */
static uint32_t add_location(otlp_writer *writer, const stack_frame *frame)
{
	const uint32_t key[] = {add_function(writer, frame), stack_frame_line(frame),
				add_mapping(writer, frame->module)};
	uint32_t index = 0;
	int is_new = intern_add(&writer->frame_locations, key, sizeof(key), &index);

	writer->has_failed |= is_new < 0;
	if (is_new <= 0)
		return index;
	protobuf_clear(&writer->part);
	protobuf_number(&writer->part, LINE_FUNCTION, key[0]);
	protobuf_number(&writer->part, LINE_LINE, key[1]);
	protobuf_clear(&writer->entry);
	protobuf_number(&writer->entry, LOCATION_MAPPING, key[2]);
	protobuf_add(&writer->entry, LOCATION_LINES, &writer->part);
	protobuf_add(&writer->dictionary, DICTIONARY_LOCATIONS, &writer->entry);
	return index;
}

/* Each table has to begin with the zero value. Readers check the lengths of the IDs of a link. */
static void begin_dictionary(otlp_writer *writer)
{
	static const unsigned char zeros[TRACE_ID_SIZE] = {0};
	const stack_frame none = {.name = ""};

	add_location(writer, &none);
	protobuf_clear(&writer->entry);
	protobuf_add(&writer->dictionary, DICTIONARY_ATTRIBUTES, &writer->entry);
	protobuf_write(writer->stacks, DICTIONARY_STACKS, &writer->entry);
	protobuf_bytes(&writer->entry, LINK_TRACE, zeros, TRACE_ID_SIZE);
	protobuf_bytes(&writer->entry, LINK_SPAN, zeros, SPAN_ID_SIZE);
	protobuf_add(&writer->dictionary, DICTIONARY_LINKS, &writer->entry);
	writer->stack_count = 1;
}

/*
 * Adds the call stack of a node, innermost frame first. Each node has one of its own; the format has no table of
 * callers.
 */
static uint32_t add_stack(otlp_writer *writer, const stack_tree *tree, uint32_t node)
{
	protobuf_message *locations = &writer->locations;
	const stack_frame none = {.name = SINGLE_TREE_NO_FRAME};

	protobuf_clear(locations);
	if (node == 0)
		protobuf_value(locations, add_location(writer, &none));
	for (; node != 0; node = tree->nodes[node].parent) {
		uint32_t *location = &writer->frames[tree->nodes[node].frame];

		if (*location == 0)
			*location = add_location(writer, &tree->frames[tree->nodes[node].frame]);
		protobuf_value(locations, *location);
	}
	protobuf_clear(&writer->entry);
	protobuf_add(&writer->entry, STACK_LOCATIONS, locations);
	protobuf_write(writer->stacks, DICTIONARY_STACKS, &writer->entry);
	writer->has_failed |= writer->entry.has_failed;
	return writer->stack_count++;
}

static void set_type(otlp_writer *writer, const char *type, const char *unit)
{
	protobuf_clear(&writer->type);
	protobuf_number(&writer->type, TYPE_TYPE, add_text(writer, type));
	protobuf_number(&writer->type, TYPE_UNIT, add_text(writer, unit));
}

/* Receivers expect one value for each sample, and none by time. */
static void add_sample(otlp_writer *writer, const stack_tree *tree, uint32_t node)
{
	uint32_t stack = add_stack(writer, tree, node);

	protobuf_clear(&writer->part);
	protobuf_value(&writer->part, tree->nodes[node].self);
	protobuf_clear(&writer->entry);
	protobuf_number(&writer->entry, SAMPLE_STACK, stack);
	protobuf_add(&writer->entry, SAMPLE_VALUES, &writer->part);
	protobuf_add(&writer->profile, PROFILE_SAMPLES, &writer->entry);
}

/* Receivers derive the name of a profile from the type of its period, and refuse a period of 0. */
static void add_period(otlp_writer *writer, const stack_tree *tree)
{
	uint64_t frequency = writer->report->summary.sampling.requested_hz;
	int is_sampled = tree->value == EXPORT_SAMPLES && frequency > 0 && frequency <= NANOSECONDS_PER_SECOND;

	if (is_sampled)
		set_type(writer, "cpu", "nanoseconds");
	protobuf_add(&writer->profile, PROFILE_PERIOD_TYPE, &writer->type);
	protobuf_number(&writer->profile, PROFILE_PERIOD, is_sampled ? NANOSECONDS_PER_SECOND / frequency : 1);
}

static void add_profile(otlp_writer *writer, const stack_tree *tree)
{
	const mprof_session *session = &writer->report->summary.session;

	free(writer->frames);
	writer->frames = calloc(tree->frame_count, sizeof(*writer->frames));
	if (writer->frames == NULL) {
		writer->has_failed = 1;
		return;
	}
	protobuf_clear(&writer->profile);
	set_type(writer, tree->kind != NULL ? tree->kind : export_value_name(tree->value), tree->unit);
	protobuf_add(&writer->profile, PROFILE_TYPE, &writer->type);
	protobuf_fixed64(&writer->profile, PROFILE_TIME, session->start.time * NANOSECONDS_PER_MICROSECOND);
	protobuf_number(&writer->profile, PROFILE_DURATION, writer->report->totals.wall_ns);
	add_period(writer, tree);
	for (size_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].self > 0)
			add_sample(writer, tree, (uint32_t)i);
	}
	protobuf_add(&writer->profiles, SCOPE_PROFILES, &writer->profile);
}

/* The scope states the version of the protocol, and what is missing. */
static void make_scope(otlp_writer *writer, protobuf_message *scope)
{
	const log_report *report = writer->report;
	char text[TEXT_NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64, report->totals.lost_events);
	protobuf_text(scope, SCOPE_NAME, "mprof");
	protobuf_text(scope, SCOPE_VERSION, MPROF_VERSION_STRING " (" PROTOCOL ")");
	otlp_add_text(&writer->attributes, scope, SCOPE_ATTRIBUTES, "mprof.log.complete",
		      report->summary.session.complete ? "true" : "false");
	otlp_add_text(&writer->attributes, scope, SCOPE_ATTRIBUTES, "mprof.log.lost_events", text);
	if (writer->is_estimated)
		otlp_add_text(&writer->attributes, scope, SCOPE_ATTRIBUTES, "mprof.estimated", "true");
	if (writer->folded_depth > 0) {
		snprintf(text, sizeof(text), "%" PRIu32, writer->folded_depth);
		otlp_add_text(&writer->attributes, scope, SCOPE_ATTRIBUTES, "mprof.max_depth", text);
	}
}

/*
 * The process, if the log has one or the options choose one. A profile adds up all of its log, so several processes
 * have no resource of their own: --process exports one.
 */
static void add_process(otlp_writer *writer, protobuf_message *resource)
{
	const thread_choice *choice = &writer->report->options.threads;
	mprof_process_stats process = {.struct_size = sizeof(process)};
	mprof_process_stats found = {.struct_size = sizeof(found)};
	size_t count = 0;

	for (size_t i = 0;
	     mprof_profile_get_row(writer->report->profile, MPROF_TABLE_PROCESSES, i, &process) == MPROF_OK; i++) {
		if (choice->process_count > 0 && process.number != choice->processes[0])
			continue;
		found = process;
		count++;
	}
	if (count != 1 || choice->process_count > 1)
		return;
	otlp_add_process(&writer->attributes, resource, &found);
}

static int copy_file(FILE *from, FILE *stream)
{
	char bytes[BUFSIZ];
	size_t length;

	if (fseeko(from, 0, SEEK_SET) != 0)
		return 0;
	while ((length = fread(bytes, 1, sizeof(bytes), from)) > 0)
		fwrite(bytes, 1, length, stream);
	return !ferror(from);
}

/* Writes the tables: those in memory, then the call stacks. Returns 0 if the temporary file failed. */
static int write_dictionary(otlp_writer *writer, FILE *stream)
{
	const off_t size = ftello(writer->stacks);
	protobuf_message head = {0};

	if (size < 0 || ferror(writer->stacks))
		return 0;
	protobuf_begin(&head, DATA_DICTIONARY, writer->dictionary.length + (uint64_t)size);
	writer->has_failed |= head.has_failed;
	fwrite(head.bytes, 1, head.length, stream);
	protobuf_release(&head);
	fwrite(writer->dictionary.bytes, 1, writer->dictionary.length, stream);
	return copy_file(writer->stacks, stream);
}

static int report_file_problem(void)
{
	fprintf(stderr, "mprof: export: temporary file: %s\n", strerror(errno != 0 ? errno : EIO));
	return STATUS_NOTHING;
}

/* Writes the profiles and the tables. Returns STATUS_OK, or STATUS_NOTHING after a message. */
static int write_file(otlp_writer *writer, FILE *stream)
{
	const log_report *report = writer->report;
	protobuf_message scope = {0};
	protobuf_message scopes = {0};
	protobuf_message resource = {0};
	protobuf_message resources = {0};
	int is_written;

	otlp_add_text(&writer->attributes, &resource, RESOURCE_ATTRIBUTES, "service.name",
		      thread_names_table_process(report));
	add_process(writer, &resource);
	make_scope(writer, &scope);
	protobuf_add(&scopes, SCOPE_SCOPE, &scope);
	protobuf_append(&scopes, &writer->profiles);
	protobuf_add(&resources, RESOURCE_RESOURCE, &resource);
	protobuf_add(&resources, RESOURCE_SCOPES, &scopes);
	protobuf_write(stream, DATA_RESOURCES, &resources);
	is_written = write_dictionary(writer, stream);
	writer->has_failed |= resources.has_failed || writer->dictionary.has_failed || writer->attributes.has_failed;
	protobuf_release(&scope);
	protobuf_release(&scopes);
	protobuf_release(&resource);
	protobuf_release(&resources);
	if (writer->has_failed)
		return single_tree_lack_memory(report);
	return is_written ? STATUS_OK : report_file_problem();
}

static void release_writer(otlp_writer *writer)
{
	fclose(writer->stacks);
	free(writer->frames);
	protobuf_release(&writer->dictionary);
	protobuf_release(&writer->profiles);
	protobuf_release(&writer->profile);
	protobuf_release(&writer->entry);
	protobuf_release(&writer->part);
	protobuf_release(&writer->locations);
	protobuf_release(&writer->type);
	intern_release(&writer->texts);
	intern_release(&writer->mappings);
	intern_release(&writer->functions);
	intern_release(&writer->frame_locations);
	plain_text_release(&writer->plain);
	otlp_attributes_release(&writer->attributes);
}

/* Adds a profile of a value. Returns a status like stack_tree_create(). */
static int add_value(otlp_writer *writer, const export_job *job, export_value value)
{
	stack_tree *tree;
	int status = single_tree_create(job, writer->report, value, stack_size_varint, &tree);

	if (tree == NULL)
		return status;
	writer->is_estimated |= tree->is_estimated;
	if (tree->is_folded && (writer->folded_depth == 0 || tree->max_depth < writer->folded_depth))
		writer->folded_depth = tree->max_depth;
	writer->has_failed |= !single_tree_check(job, writer->report, tree, stack_size_varint, writer->file);
	add_profile(writer, tree);
	stack_tree_destroy(tree);
	return status;
}

/* Adds a profile of each kind of samples. Returns the worse one of two statuses. */
static int add_kinds(otlp_writer *writer, const export_job *job, int status)
{
	mprof_sample_kind_stats kind = {.struct_size = sizeof(kind)};
	export_job of_kind = *job;

	for (size_t i = 0;
	     mprof_profile_get_row(writer->report->profile, MPROF_TABLE_SAMPLE_KINDS, i, &kind) == MPROF_OK; i++) {
		int added;

		of_kind.sample_kind = kind.type;
		added = add_value(writer, &of_kind, EXPORT_KIND);
		status = added > status ? added : status;
	}
	return status;
}

/* Adds the profile of the chosen value, or one of each value that the log has. */
static int add_values(otlp_writer *writer, const export_job *job)
{
	int status = STATUS_OK;

	if (job->value != EXPORT_VALUE_DEFAULT || export_value_choose(writer->report) == EXPORT_VALUES)
		return add_value(writer, job, job->value);
	for (int value = 0; value < EXPORT_KIND; value++) {
		int added;

		if (!export_value_exists(writer->report, (export_value)value))
			continue;
		added = add_value(writer, job, (export_value)value);
		status = added > status ? added : status;
	}
	return add_kinds(writer, job, status);
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	otlp_writer writer = {.report = report, .file = file, .stacks = tmpfile()};
	int status;
	int written;

	if (writer.stacks == NULL)
		return report_file_problem();
	begin_dictionary(&writer);
	status = add_values(&writer, job);
	if (status != STATUS_NOTHING) {
		written = write_file(&writer, file->stream);
		status = written != STATUS_OK ? written : status;
	}
	release_writer(&writer);
	return status;
}

const export_target export_otlp = {
	.name = "otlp",
	.extension = ".otlp",
	.description = "experimental: profiles of OpenTelemetry (" PROTOCOL ")",
	.lacks = "otlp is experimental, since the protocol still changes; each profile holds one value as sums by call "
		 "stack",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT | EXPORT_HAS_MAX_DEPTH |
		   EXPORT_HAS_CLASS | EXPORT_HAS_LINES | EXPORT_HAS_ALL_VALUES,
	.values = EXPORT_ALL_VALUES,
	.stack_limit = LARGE_REQUEST,
	.write_report = write_report,
};
