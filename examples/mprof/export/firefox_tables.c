/* SPDX-License-Identifier: MIT */
/*
 * Writes the tables of a thread of the Firefox Profiler: strings, functions, frames, call stacks and markers; and
 * the counters of a profile.
 */
#include "export/firefox_tables.h"

#include "common/elements.h"
#include "common/json.h"
#include "export/text_stream.h"

#include <stdlib.h>
#include <string.h>

struct firefox_counter {
	uint64_t id;
	char *name;
	spool_stream values;
	uint64_t count;
	uint64_t time; /* Of the latest value. */
	uint64_t value;
	struct firefox_counter *next;
};

typedef struct counter_value {
	uint64_t time;
	int64_t change;
} counter_value;

/* There are few counters, so they are searched one after the other. */
static firefox_counter *get_counter(firefox_counters *counters, uint64_t id, const char *name)
{
	firefox_counter **last = &counters->first;
	firefox_counter *counter;

	while (*last != NULL && (*last)->id != id)
		last = &(*last)->next;
	if (*last != NULL)
		return *last;
	counter = calloc(1, sizeof(*counter));
	if (counter != NULL)
		counter->name = strdup(name);
	if (counter == NULL || counter->name == NULL) {
		free(counter);
		return NULL;
	}
	counter->id = id;
	*last = counter;
	return counter;
}

void firefox_counters_add(firefox_counters *counters, uint64_t id, const char *name, uint64_t time, uint64_t value)
{
	firefox_counter *counter = get_counter(counters, id, name);
	counter_value added;

	if (counter == NULL) {
		counters->has_failed = 1;
		return;
	}
	/* The times of a counter must not decrease; damage and the clocks of several threads can cause that. */
	if (time > counter->time)
		counter->time = time;
	added.time = counter->time;
	added.change = (int64_t)(value - counter->value);
	spool_add(&counters->spool, &counter->values, &added, sizeof(added));
	counters->has_failed |= counters->spool.has_failed;
	counter->value = value;
	counter->count++;
}

static void write_value_time(void *user, const void *record)
{
	const counter_value *value = record;

	json_fixed(user, NULL, value->time, 6);
}

static void write_change(void *user, const void *record)
{
	const counter_value *value = record;

	json_signed(user, NULL, value->change);
}

static void write_counter(firefox_counters *counters, const firefox_counter *counter, json_writer *json,
			  plain_buffer *plain, const char *pid)
{
	const char *name = plain_text(plain, counter->name);

	counters->has_failed |= name == NULL;
	json_begin_object(json, NULL);
	json_string(json, "name", name != NULL ? name : "");
	json_string(json, "category", "Memory");
	json_string(json, "description", name != NULL ? name : "");
	json_string(json, "pid", pid);
	json_unsigned(json, "mainThreadIndex", 0);
	json_begin_object(json, "samples");
	json_begin_array(json, "time");
	spool_read(&counters->spool, &counter->values, sizeof(counter_value), write_value_time, json);
	json_end_array(json);
	json_begin_array(json, "count");
	spool_read(&counters->spool, &counter->values, sizeof(counter_value), write_change, json);
	json_end_array(json);
	json_unsigned(json, "length", counter->count);
	json_end_object(json);
	json_end_object(json);
}

void firefox_counters_write(firefox_counters *counters, json_writer *json, plain_buffer *plain, const char *pid)
{
	json_begin_array(json, "counters");
	for (const firefox_counter *counter = counters->first; counter != NULL; counter = counter->next)
		write_counter(counters, counter, json, plain, pid);
	json_end_array(json);
	counters->has_failed |= counters->spool.has_failed;
}

void firefox_counters_release(firefox_counters *counters)
{
	while (counters->first != NULL) {
		firefox_counter *counter = counters->first;

		counters->first = counter->next;
		free(counter->name);
		spool_stream_release(&counter->values);
		free(counter);
	}
	spool_release(&counters->spool);
}

/* A resource that is a library. */
#define RESOURCE_LIBRARY 1

/* Kinds of keys of firefox_tables::frames. */
enum { KEY_METHOD, KEY_LOCATION, KEY_CLASS, KEY_KINDS };

/* An entry of the maps: an index plus 1, because new entries are 0. */
typedef struct index_entry {
	uint64_t key;
	uint64_t number;
} index_entry;

static const struct category {
	const char *name;
	const char *color;
} categories[FIREFOX_CATEGORIES] = {
	[FIREFOX_OTHER] = {"Other", "grey"},          [FIREFOX_MANAGED] = {"Managed", "yellow"},
	[FIREFOX_NATIVE] = {"Native", "blue"},        [FIREFOX_RUNTIME] = {"Runtime", "lightblue"},
	[FIREFOX_COLLECTOR] = {"GC", "orange"},       [FIREFOX_COMPILER] = {"JIT and class loading", "purple"},
	[FIREFOX_LOCKS] = {"Waits and locks", "red"}, [FIREFOX_CLASSES] = {"Allocated class", "green"},
};

void firefox_tables_init(firefox_tables *tables, const log_report *report, const log_input *input)
{
	memset(tables, 0, sizeof(*tables));
	tables->report = report;
	tables->input = input;
	tables->frames.value_size = sizeof(uint64_t);
	tables->native_frames.value_size = sizeof(uint64_t);
	tables->line_frames.value_size = sizeof(uint64_t);
	tables->stack_indexes.value_size = sizeof(uint64_t);
	tables->sampled_stacks.value_size = sizeof(uint64_t);
}

void firefox_tables_release(firefox_tables *tables)
{
	intern_release(&tables->strings);
	intern_release(&tables->libraries);
	intern_release(&tables->files);
	key_map_clear(&tables->frames);
	key_map_clear(&tables->native_frames);
	key_map_clear(&tables->line_frames);
	key_map_clear(&tables->stack_indexes);
	key_map_clear(&tables->sampled_stacks);
	free(tables->functions);
	free(tables->stacks);
	plain_text_release(&tables->plain);
}

/* The index of a text in one of the tables, without what cannot be printed. */
static uint32_t intern_text(firefox_tables *tables, intern_table *table, const char *text)
{
	const char *plain = plain_text(&tables->plain, text);
	uint32_t index;

	if (plain != NULL && intern_add(table, plain, strlen(plain) + 1, &index) >= 0)
		return index;
	tables->has_failed = 1;
	return FIREFOX_NONE;
}

uint32_t firefox_string(firefox_tables *tables, const char *text)
{
	return intern_text(tables, &tables->strings, text);
}

uint32_t firefox_class_name(firefox_tables *tables, uint32_t class_id)
{
	class_name class;
	const char *name = names_class_or_none(tables->input->reader, class_id, &class);

	return firefox_string(tables, name != NULL ? name : "(unknown class)");
}

static index_entry *put_entry(firefox_tables *tables, key_map *map, uint64_t key)
{
	index_entry *entry = key_map_put(map, key);

	tables->has_failed |= entry == NULL;
	return entry;
}

static uint32_t add_function(firefox_tables *tables, const firefox_function *function)
{
	if (!elements_reserve((void **)&tables->functions, &tables->function_capacity, tables->function_count,
			      sizeof(*tables->functions))) {
		tables->has_failed = 1;
		return FIREFOX_NONE;
	}
	tables->functions[tables->function_count] = *function;
	return (uint32_t)tables->function_count++;
}

static uint32_t add_method(firefox_tables *tables, uint32_t id)
{
	const mprof_reader *reader = tables->input->reader;
	firefox_function function = {.file = FIREFOX_NONE, .resource = FIREFOX_NONE, .category = FIREFOX_MANAGED};
	const char *assembly;
	method_name method;

	names_method(reader, id, &method);
	assembly = assembly_names_get(&tables->report->assemblies, method.assembly_id);
	function.name = firefox_string(tables, names_full_method(tables->input->names, id));
	if (method.file != NULL)
		function.file = intern_text(tables, &tables->files, method.file);
	if (method.file != NULL)
		function.line = method.line;
	if (assembly != NULL)
		function.resource = intern_text(tables, &tables->libraries, assembly);
	if (names_is_runtime_work(reader, id))
		function.category = FIREFOX_RUNTIME;
	return add_function(tables, &function);
}

/* A function of native code, or what stands for one; the addresses of a function have one name. */
static uint32_t add_native(firefox_tables *tables, const char *name, const char *module)
{
	const firefox_function function = {.name = firefox_string(tables, name),
					   .file = FIREFOX_NONE,
					   .resource = module != NULL ? intern_text(tables, &tables->libraries, module)
								      : FIREFOX_NONE,
					   .category = FIREFOX_NATIVE};
	index_entry *entry = put_entry(tables, &tables->native_frames, function.name);

	if (entry == NULL)
		return FIREFOX_NONE;
	if (entry->number == 0)
		entry->number = (uint64_t)add_function(tables, &function) + 1;
	return (uint32_t)(entry->number - 1);
}

/* A location is its function, else its module, else itself, as in the report. */
static uint32_t add_location(firefox_tables *tables, uint32_t id)
{
	const mprof_reader *reader = tables->input->reader;
	const mprof_stack_frame frame = {.id = id, .is_native = 1};
	const char *name = NULL;
	const char *module = NULL;
	mprof_record location;
	mprof_record record;

	if (id == 0 ||
	    mprof_reader_lookup_record(reader, MPROF_RECORD_LOCATION, id, &location, sizeof(location)) != MPROF_OK)
		return add_native(tables, names_frame(tables->input->names, &frame), NULL);
	if (location.as.location.module != 0 &&
	    mprof_reader_lookup_record(reader, MPROF_RECORD_MODULE, location.as.location.module, &record,
				       sizeof(record)) == MPROF_OK)
		module = record.as.module.file;
	if (location.as.location.function != 0)
		name = names_sample(tables->input->names, MPROF_SAMPLE_FUNCTION, location.as.location.function);
	else
		name = module;
	return add_native(tables, name != NULL ? name : names_frame(tables->input->names, &frame), module);
}

static uint32_t add_class(firefox_tables *tables, uint32_t id)
{
	const firefox_function function = {.name = firefox_class_name(tables, id),
					   .file = FIREFOX_NONE,
					   .resource = FIREFOX_NONE,
					   .category = FIREFOX_CLASSES};

	return add_function(tables, &function);
}

static uint32_t add_frame(firefox_tables *tables, unsigned int kind, uint32_t id)
{
	if (kind == KEY_CLASS)
		return add_class(tables, id);
	if (kind == KEY_LOCATION)
		return add_location(tables, id);
	return id != 0 ? add_method(tables, id) : add_native(tables, "(unknown)", NULL);
}

static uint32_t frame_of(firefox_tables *tables, unsigned int kind, uint32_t id)
{
	const index_entry *found = key_map_find(&tables->frames, (uint64_t)id * KEY_KINDS + kind);
	index_entry *entry;
	uint32_t index;

	if (found != NULL)
		return (uint32_t)(found->number - 1);
	index = add_frame(tables, kind, id);
	if (index == FIREFOX_NONE)
		return FIREFOX_NONE;
	entry = put_entry(tables, &tables->frames, (uint64_t)id * KEY_KINDS + kind);
	if (entry == NULL)
		return FIREFOX_NONE;
	entry->number = (uint64_t)index + 1;
	return index;
}

/* The frame of a function that is in a line; \p depth is that of inlined frames. */
static uint32_t frame_at(firefox_tables *tables, uint32_t function, uint32_t line, uint32_t depth)
{
	const uint64_t key = ((uint64_t)function << 32 | line) * 64 + (depth < 63 ? depth : 63);
	index_entry *entry;
	firefox_function frame;
	uint32_t index;

	if (function == FIREFOX_NONE || (line == 0 && depth == 0))
		return function;
	entry = put_entry(tables, &tables->line_frames, key);
	if (entry == NULL)
		return FIREFOX_NONE;
	if (entry->number > 0)
		return (uint32_t)(entry->number - 1);
	frame = tables->functions[function];
	frame.function = function + 1;
	frame.at_line = line;
	frame.depth = depth;
	index = add_function(tables, &frame);
	entry->number = index != FIREFOX_NONE ? (uint64_t)index + 1 : 0;
	return index;
}

static uint32_t add_stack(firefox_tables *tables, uint32_t caller, uint32_t frame)
{
	index_entry *entry;

	if (frame == FIREFOX_NONE)
		return FIREFOX_NONE;
	entry = put_entry(tables, &tables->stack_indexes, (uint64_t)caller << 32 | frame);
	if (entry == NULL)
		return FIREFOX_NONE;
	if (entry->number > 0)
		return (uint32_t)(entry->number - 1);
	if (!elements_reserve((void **)&tables->stacks, &tables->stack_capacity, tables->stack_count,
			      sizeof(*tables->stacks))) {
		tables->has_failed = 1;
		return FIREFOX_NONE;
	}
	tables->stacks[tables->stack_count].frame = frame;
	tables->stacks[tables->stack_count].caller = caller;
	entry->number = ++tables->stack_count;
	return (uint32_t)(entry->number - 1);
}

uint32_t firefox_method_stack(firefox_tables *tables, uint32_t caller, uint32_t method)
{
	return add_stack(tables, caller, frame_of(tables, KEY_METHOD, method));
}

uint32_t firefox_class_stack(firefox_tables *tables, uint32_t caller, uint32_t class_id)
{
	return add_stack(tables, caller, frame_of(tables, KEY_CLASS, class_id));
}

uint32_t firefox_logged_stack(firefox_tables *tables, uint64_t thread, uint32_t logged, uint64_t counter)
{
	const uint32_t stack = names_stack_at(tables->input->names, thread, logged, counter);
	index_entry *entry = put_entry(tables, &tables->sampled_stacks, stack);
	const mprof_stack_frame *frames;
	uint32_t index = FIREFOX_NONE;
	uint32_t depth = 0;
	size_t count;

	if (entry == NULL)
		return FIREFOX_NONE;
	if (entry->number > 0)
		return (uint32_t)(entry->number - 1);
	count = names_stack(tables->input->names, stack, &frames);
	for (size_t i = count; i > 0; i--) {
		const mprof_stack_frame *frame = &frames[i - 1];
		const uint32_t function = frame_of(tables, frame->is_native ? KEY_LOCATION : KEY_METHOD, frame->id);

		depth = frame->is_inlined ? depth + 1 : 0;
		index = add_stack(tables, index, frame_at(tables, function, frame->line, depth));
	}
	entry->number = (uint64_t)index + 1;
	return index;
}

uint32_t firefox_sampled_stack(firefox_tables *tables, uint64_t thread, const mprof_event *event)
{
	/* Without a call stack, nothing is known of native code. */
	const uint32_t method = event->flags & MPROF_EVENT_FLAG_NATIVE ? 0 : event->id;

	if (event->value != 0)
		return firefox_logged_stack(tables, thread, (uint32_t)event->value, event->counter);
	return add_stack(tables, FIREFOX_NONE, frame_of(tables, KEY_METHOD, method));
}

static const char *text_of(const intern_table *table, size_t index)
{
	return index < table->count ? table->bytes + table->entries[index].offset : "";
}

void firefox_write_string(const firefox_tables *tables, json_writer *json, const char *key, uint32_t string)
{
	json_string(json, key, text_of(&tables->strings, string));
}

void firefox_write_categories(json_writer *json)
{
	json_begin_array(json, "categories");
	for (size_t i = 0; i < FIREFOX_CATEGORIES; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name", categories[i].name);
		json_string(json, "color", categories[i].color);
		json_begin_array(json, "subcategories");
		json_string(json, NULL, "Other");
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
}

void firefox_write_libraries(const firefox_tables *tables, json_writer *json)
{
	static const char *const name_fields[] = {"name", "path", "debugName", "debugPath"};

	json_begin_array(json, "libs");
	for (size_t i = 0; i < tables->libraries.count; i++) {
		json_begin_object(json, NULL);
		json_string(json, "arch", "");
		for (size_t j = 0; j < sizeof(name_fields) / sizeof(name_fields[0]); j++)
			json_string(json, name_fields[j], text_of(&tables->libraries, i));
		json_string(json, "breakpadId", "");
		json_null(json, "codeId");
		json_end_object(json);
	}
	json_end_array(json);
}

/* A column whose values are all the same. */
static void write_constant(json_writer *json, const char *key, size_t count, const char *text)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_plain(json, NULL, text);
	json_end_array(json);
}

/* An index, or a text that means none. */
static void write_index(json_writer *json, uint32_t index, const char *none)
{
	if (index != FIREFOX_NONE)
		json_unsigned(json, NULL, index);
	else
		json_plain(json, NULL, none);
}

static void write_numbers(json_writer *json, const char *key, size_t count)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < count; i++)
		json_unsigned(json, NULL, i);
	json_end_array(json);
}

static void write_stacks(const firefox_tables *tables, json_writer *json)
{
	json_begin_object(json, "stackTable");
	json_begin_array(json, "frame");
	for (size_t i = 0; i < tables->stack_count; i++)
		json_unsigned(json, NULL, tables->stacks[i].frame);
	json_end_array(json);
	json_begin_array(json, "prefix");
	for (size_t i = 0; i < tables->stack_count; i++)
		write_index(json, tables->stacks[i].caller, "null");
	json_end_array(json);
	json_unsigned(json, "length", tables->stack_count);
	json_end_object(json);
}

static void write_frames(const firefox_tables *tables, json_writer *json)
{
	const size_t count = tables->function_count;

	json_begin_object(json, "frameTable");
	write_constant(json, "address", count, "-1");
	json_begin_array(json, "inlineDepth");
	for (size_t i = 0; i < count; i++)
		json_unsigned(json, NULL, tables->functions[i].depth);
	json_end_array(json);
	json_begin_array(json, "category");
	for (size_t i = 0; i < count; i++)
		json_unsigned(json, NULL, tables->functions[i].category);
	json_end_array(json);
	write_constant(json, "subcategory", count, "0");
	json_begin_array(json, "func");
	for (size_t i = 0; i < count; i++)
		json_unsigned(json, NULL, tables->functions[i].function != 0 ? tables->functions[i].function - 1 : i);
	json_end_array(json);
	write_constant(json, "nativeSymbol", count, "null");
	write_constant(json, "innerWindowID", count, "0");
	json_begin_array(json, "line");
	for (size_t i = 0; i < count; i++)
		write_index(json, tables->functions[i].at_line != 0 ? tables->functions[i].at_line : FIREFOX_NONE,
			    "null");
	json_end_array(json);
	write_constant(json, "column", count, "null");
	json_unsigned(json, "length", count);
	json_end_object(json);
}

static void write_functions(const firefox_tables *tables, json_writer *json)
{
	const firefox_function *functions = tables->functions;
	const size_t count = tables->function_count;

	json_begin_object(json, "funcTable");
	json_begin_array(json, "name");
	for (size_t i = 0; i < count; i++)
		json_unsigned(json, NULL, functions[i].name);
	json_end_array(json);
	write_constant(json, "isJS", count, "false");
	write_constant(json, "relevantForJS", count, "false");
	json_begin_array(json, "resource");
	for (size_t i = 0; i < count; i++)
		write_index(json, functions[i].resource, "-1");
	json_end_array(json);
	json_begin_array(json, "source");
	for (size_t i = 0; i < count; i++)
		write_index(json, functions[i].file, "null");
	json_end_array(json);
	json_begin_array(json, "lineNumber");
	for (size_t i = 0; i < count; i++)
		write_index(json, functions[i].line != 0 ? functions[i].line : FIREFOX_NONE, "null");
	json_end_array(json);
	write_constant(json, "columnNumber", count, "null");
	json_unsigned(json, "length", count);
	json_end_object(json);
}

/* A column with the indexes of the texts of another table among the strings. */
static void write_strings_of(firefox_tables *tables, json_writer *json, const char *key, const intern_table *table)
{
	json_begin_array(json, key);
	for (size_t i = 0; i < table->count; i++)
		json_unsigned(json, NULL, firefox_string(tables, text_of(table, i)));
	json_end_array(json);
}

static void write_resources(firefox_tables *tables, json_writer *json)
{
	const size_t count = tables->libraries.count;

	json_begin_object(json, "resourceTable");
	write_numbers(json, "lib", count);
	write_strings_of(tables, json, "name", &tables->libraries);
	write_constant(json, "host", count, "null");
	json_begin_array(json, "type");
	for (size_t i = 0; i < count; i++)
		json_unsigned(json, NULL, RESOURCE_LIBRARY);
	json_end_array(json);
	json_unsigned(json, "length", count);
	json_end_object(json);
	json_begin_object(json, "sources");
	write_constant(json, "uuid", tables->files.count, "null");
	write_strings_of(tables, json, "filename", &tables->files);
	json_unsigned(json, "length", tables->files.count);
	json_end_object(json);
}

static void write_native_symbols(json_writer *json)
{
	static const char *const columns[] = {"libIndex", "address", "name", "functionSize"};

	json_begin_object(json, "nativeSymbols");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		json_begin_array(json, columns[i]);
		json_end_array(json);
	}
	json_unsigned(json, "length", 0);
	json_end_object(json);
}

void firefox_write_shared(firefox_tables *tables, json_writer *json)
{
	json_begin_object(json, "shared");
	write_stacks(tables, json);
	write_frames(tables, json);
	write_functions(tables, json);
	write_resources(tables, json);
	write_native_symbols(json);
	json_begin_array(json, "stringArray");
	for (size_t i = 0; i < tables->strings.count; i++)
		json_string(json, NULL, text_of(&tables->strings, i));
	json_end_array(json);
	json_end_object(json);
}

/* Writes the markers of threads, column by column. */

/* Values of the column phase. */
enum { PHASE_INSTANT = 0, PHASE_INTERVAL = 1, PHASE_START = 2 };

typedef enum field_format {
	FIELD_NONE,
	FIELD_STRING,
	FIELD_TEXT, /* The same without an index. */
	FIELD_COUNT,
	FIELD_DURATION,
	FIELD_BYTES,
	FIELD_NUMBER
} field_format;

/* The names of the formats; a string is the index of one. */
static const char *const format_names[] = {
	[FIELD_NONE] = "",         [FIELD_STRING] = "unique-string", [FIELD_TEXT] = "string",
	[FIELD_COUNT] = "integer", [FIELD_DURATION] = "duration",    [FIELD_BYTES] = "bytes",
	[FIELD_NUMBER] = "number",
};

typedef struct marker_field {
	const char *key;
	const char *label;
	field_format format;
} marker_field;

/* The fields of samples of kinds. */
#define SAMPLED(type, format)                                                                                          \
	{                                                                                                              \
		type, "Sample", "{marker.name}", FIREFOX_OTHER,                                                        \
		{                                                                                                      \
			{"weight", "Weight", format}, {"cpu", "Processor", FIELD_COUNT},                               \
				{"mode", "Mode", FIELD_STRING}, {"unit", "Unit", FIELD_STRING},                        \
		}                                                                                                      \
	}

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
	[FIREFOX_DESCRIBED] = {"mprof-event",
			       "Event",
			       "{marker.name} {marker.data.arguments}",
			       FIREFOX_OTHER,
			       {{"category", "Category", FIELD_STRING}, {"arguments", "Arguments", FIELD_STRING}}},
	/* The program that prints the log of a profile reads these two fields of markers of this type. */
	[FIREFOX_MESSAGE] = {"Log",
			     "Message",
			     "({marker.data.module}) {marker.data.name}",
			     FIREFOX_OTHER,
			     {{"module", "Module", FIELD_TEXT},
			      {"name", "Message", FIELD_TEXT},
			      {"severity", "Severity", FIELD_STRING},
			      {"category", "Category", FIELD_STRING},
			      {"arguments", "Arguments", FIELD_STRING}}},
	[FIREFOX_SAMPLED_TIME] = SAMPLED("mprof-sample-time", FIELD_DURATION),
	[FIREFOX_SAMPLED_BYTES] = SAMPLED("mprof-sample-bytes", FIELD_BYTES),
	[FIREFOX_SAMPLED] = SAMPLED("mprof-sample", FIELD_COUNT),
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

void firefox_write_marker_schemas(const firefox_tables *tables, json_writer *json)
{
	json_begin_array(json, "markerSchema");
	for (size_t i = 0; i < FIREFOX_MARKER_KINDS; i++) {
		if (i != FIREFOX_MESSAGE || tables->has_messages)
			write_schema(json, &schemas[i]);
	}
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

static void write_field(const firefox_tables *tables, json_writer *json, const marker_field *field, uint64_t value)
{
	double number;

	switch (field->format) {
	case FIELD_DURATION:
		write_milliseconds(json, field->key, value);
		break;
	case FIELD_TEXT:
		firefox_write_string(tables, json, field->key, (uint32_t)value);
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
	for (size_t i = 0; i < FIREFOX_MARKER_FIELDS && schema->fields[i].format != FIELD_NONE; i++) {
		if ((marker->unknown >> i & 1) == 0)
			write_field(writer->tables, writer->json, &schema->fields[i], marker->values[i]);
	}
	if (marker->stack != 0) {
		json_begin_object(writer->json, "cause");
		json_unsigned(writer->json, "stack", (uint64_t)marker->stack - 1);
		json_end_object(writer->json);
	}
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

	if (marker->end > marker->start && marker->end != FIREFOX_OPEN)
		write_milliseconds(writer->json, NULL, marker->end);
	else
		json_null(writer->json, NULL);
}

static void write_phase(void *user, const void *record)
{
	marker_writer *writer = user;
	const firefox_marker *marker = record;

	json_unsigned(writer->json, NULL,
		      marker->end == FIREFOX_OPEN   ? PHASE_START
		      : marker->end > marker->start ? PHASE_INTERVAL
						    : PHASE_INSTANT);
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
