/* SPDX-License-Identifier: MIT */
/* Writes the markers of threads, column by column. */
#include "export/firefox_markers.h"

#include "export/text_stream.h"

#include <string.h>

/* Values of the column phase. */
enum { PHASE_INSTANT = 0, PHASE_INTERVAL = 1 };

typedef enum field_format { FIELD_NONE, FIELD_STRING, FIELD_COUNT, FIELD_DURATION, FIELD_NUMBER } field_format;

/* The names of the formats; a string is the index of one. */
static const char *const format_names[] = {
	[FIELD_NONE] = "",         [FIELD_STRING] = "unique-string",
	[FIELD_COUNT] = "integer", [FIELD_DURATION] = "duration",
	[FIELD_NUMBER] = "number",
};

typedef struct marker_field {
	const char *key;
	const char *label;
	field_format format;
} marker_field;

/* Without a field, the label of a marker is its name. */
static const struct marker_schema {
	const char *type;
	const char *name;
	const char *label;
	firefox_category category;
	marker_field fields[FIREFOX_MARKER_FIELDS];
} schemas[FIREFOX_MARKER_KINDS] = {
	[FIREFOX_EXCEPTION] = {"mprof-exception",
			       "Exception",
			       "{marker.data.class}",
			       FIREFOX_RUNTIME,
			       {{"class", "Class", FIELD_STRING}}},
	[FIREFOX_COMPILATION] = {"mprof-compilation",
				 "JIT compilation",
				 "{marker.data.method}",
				 FIREFOX_COMPILER,
				 {{"method", "Method", FIELD_STRING}}},
	[FIREFOX_CLASS_LOAD] = {"mprof-class-load",
				"Class load",
				"{marker.data.class}",
				FIREFOX_COMPILER,
				{{"class", "Class", FIELD_STRING}}},
	[FIREFOX_FINALIZER] = {"mprof-finalizer",
			       "Finalizer",
			       "{marker.data.class}",
			       FIREFOX_COLLECTOR,
			       {{"class", "Class", FIELD_STRING}}},
	[FIREFOX_WAIT] = {"mprof-wait",
			  "Wait for monitor",
			  "{marker.data.class}",
			  FIREFOX_LOCKS,
			  {{"class", "Class", FIELD_STRING}}},
	[FIREFOX_COLLECTION] = {"mprof-collection",
				"Garbage collection",
				"Generation {marker.data.generation}",
				FIREFOX_COLLECTOR,
				{{"number", "Number", FIELD_COUNT},
				 {"generation", "Generation", FIELD_COUNT},
				 {"pause", "World stopped", FIELD_DURATION},
				 {"mark", "Mark", FIELD_DURATION},
				 {"sweep", "Sweep", FIELD_DURATION}}},
	[FIREFOX_WORLD_STOP] = {"mprof-world-stop", "World stopped", NULL, FIREFOX_COLLECTOR, {{0}}},
	[FIREFOX_USER_MARK] = {"mprof-mark", "Marker", NULL, FIREFOX_OTHER, {{0}}},
	[FIREFOX_LOSS] = {"mprof-loss",
			  "Events lost",
			  "{marker.data.count} events lost",
			  FIREFOX_OTHER,
			  {{"count", "Events", FIELD_COUNT}}},
	[FIREFOX_METRIC] =
		{"mprof-metric", "Metric", "{marker.data.value}", FIREFOX_OTHER, {{"value", "Value", FIELD_NUMBER}}},
};

static void write_schema(json_writer *json, const struct marker_schema *schema)
{
	json_begin_object(json, NULL);
	json_string(json, "name", schema->type);
	json_begin_array(json, "display");
	json_string(json, NULL, "marker-chart");
	json_string(json, NULL, "marker-table");
	json_string(json, NULL, "timeline-overview");
	json_end_array(json);
	if (schema->label != NULL) {
		json_string(json, "chartLabel", schema->label);
		json_string(json, "tableLabel", schema->label);
	}
	json_begin_array(json, "fields");
	for (size_t i = 0; i < FIREFOX_MARKER_FIELDS && schema->fields[i].format != FIELD_NONE; i++) {
		json_begin_object(json, NULL);
		json_string(json, "key", schema->fields[i].key);
		json_string(json, "label", schema->fields[i].label);
		json_string(json, "format", format_names[schema->fields[i].format]);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
}

void firefox_write_marker_schemas(json_writer *json)
{
	json_begin_array(json, "markerSchema");
	for (size_t i = 0; i < FIREFOX_MARKER_KINDS; i++)
		write_schema(json, &schemas[i]);
	json_end_array(json);
}

/* What the functions that write a column share. */
typedef struct marker_writer {
	firefox_tables *tables;
	json_writer *json;
	uint64_t count;
} marker_writer;

static void write_milliseconds(json_writer *json, const char *key, uint64_t nanoseconds)
{
	json_fixed(json, key, nanoseconds, 6);
}

static void write_field(json_writer *json, const marker_field *field, uint64_t value)
{
	double number;

	switch (field->format) {
	case FIELD_DURATION:
		write_milliseconds(json, field->key, value);
		break;
	case FIELD_NUMBER:
		memcpy(&number, &value, sizeof(number));
		json_double(json, field->key, number);
		break;
	default:
		json_unsigned(json, field->key, value);
		break;
	}
}

static void write_data(void *user, const void *record)
{
	marker_writer *writer = user;
	const firefox_marker *marker = record;
	const struct marker_schema *schema = &schemas[marker->kind];

	json_begin_object(writer->json, NULL);
	json_string(writer->json, "type", schema->type);
	for (size_t i = 0; i < FIREFOX_MARKER_FIELDS && schema->fields[i].format != FIELD_NONE; i++)
		write_field(writer->json, &schema->fields[i], marker->values[i]);
	json_end_object(writer->json);
	writer->count++;
}

static void write_name(void *user, const void *record)
{
	marker_writer *writer = user;
	const firefox_marker *marker = record;

	json_unsigned(writer->json, NULL,
		      marker->name != FIREFOX_NONE ? marker->name
						   : firefox_string(writer->tables, schemas[marker->kind].name));
}

static void write_start(void *user, const void *record)
{
	marker_writer *writer = user;
	const firefox_marker *marker = record;

	write_milliseconds(writer->json, NULL, marker->start);
}

static void write_end(void *user, const void *record)
{
	marker_writer *writer = user;
	const firefox_marker *marker = record;

	if (marker->end > marker->start)
		write_milliseconds(writer->json, NULL, marker->end);
	else
		json_null(writer->json, NULL);
}

static void write_phase(void *user, const void *record)
{
	marker_writer *writer = user;
	const firefox_marker *marker = record;

	json_unsigned(writer->json, NULL, marker->end > marker->start ? PHASE_INTERVAL : PHASE_INSTANT);
}

static void write_category(void *user, const void *record)
{
	marker_writer *writer = user;
	const firefox_marker *marker = record;

	json_unsigned(writer->json, NULL, schemas[marker->kind].category);
}

void firefox_write_markers(firefox_tables *tables, json_writer *json, spool *spool, const spool_stream *markers)
{
	static const struct column {
		const char *key;
		void (*write)(void *user, const void *record);
	} columns[] = {
		{"data", write_data},   {"name", write_name},   {"startTime", write_start},
		{"endTime", write_end}, {"phase", write_phase}, {"category", write_category},
	};
	marker_writer writer = {.tables = tables, .json = json};

	json_begin_object(json, "markers");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		json_begin_array(json, columns[i].key);
		spool_read(spool, markers, sizeof(firefox_marker), columns[i].write, &writer);
		json_end_array(json);
	}
	json_unsigned(json, "length", writer.count);
	json_end_object(json);
}
