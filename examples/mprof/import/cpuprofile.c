/* SPDX-License-Identifier: MIT */
/*
 * Reads profiles of V8, which Node.js (--cpu-prof), Deno and Chromium's DevTools write: a tree of calls, and samples,
 * each of which is a node of the tree, with the time since the one before.
 */
#include "common/arguments.h"
#include "common/text_pool.h"
#include "import/import.h"
#include "import/json_reader.h"
#include "shared/key_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SAMPLES = 65536, THREAD = 1, NO_NODE = UINT32_MAX, NS_PER_US = 1000 };

/* Numbers of V8 are doubles. */
#define MAX_INTEGER (INT64_C(1) << 53)

static const char out_of_memory[] = "out of memory";

/* A node of the tree. */
typedef struct node {
	const pooled_text *name, *file; /* NULL if the profile has none. */
	int64_t line, column;           /* From 0; -1 if not known. */
	uint32_t parent;                /* Its index, NO_NODE if it has none. */
	uint32_t method, caller, stack; /* IDs in the log; the stack is 0 until it is defined. */
	uint32_t first_tick, tick_count;
	uint32_t tick, taken, line_stack; /* The line of the next sample, those of it so far, and their call stack. */
	int is_root, is_idle, is_visited;
} node;

/* Samples of a node that were at a line. */
typedef struct ticks {
	int64_t line, count;
} ticks;

typedef struct link {
	uint32_t parent;
	int64_t child;
} link;

typedef struct node_entry {
	uint64_t id, index;
} node_entry;

typedef struct id_entry {
	uint64_t key, id;
} id_entry;

typedef struct sample {
	int64_t time;
	uint32_t number, node;
} sample;

static import_job *job;
static json_reader json;
static text_pool texts;
static key_map indexes = {.value_size = sizeof(uint64_t)};
static key_map positions = {.value_size = sizeof(uint64_t)};
static struct {
	node *nodes;
	ticks *ticks;
	link *links;
	int64_t *ids, *differences;
	size_t node_count, node_capacity, tick_count, tick_capacity, link_count, link_capacity;
	size_t id_count, id_capacity, difference_count, difference_capacity;
	int64_t start, end;
} profile;
static struct {
	sample *samples;
	size_t count;
	uint64_t idle, without_node, without_time;
	int64_t idle_time;
	uint64_t period_ns; /* The mean time that a sample stands for. */
} kept;
static mprof_record *stack_records, *position_records;
static size_t stack_count, stack_capacity, position_count, position_capacity;
static int64_t now, last_time;

/* Reads a number to an array. */
static int64_t *read_numbers(int64_t *numbers, size_t *count, size_t *capacity)
{
	json_token token;

	while ((token = json_reader_next(&json)) == JSON_NUMBER) {
		numbers = import_job_grow(job, numbers, *count, capacity, sizeof(*numbers));
		if (!json_reader_integer(&json, -MAX_INTEGER, MAX_INTEGER, &numbers[*count]))
			break;
		++*count;
	}
	if (token != JSON_ARRAY_END)
		json_reader_refuse(&json, "not a list of numbers");
	return numbers;
}

static int64_t take_integer(json_token token)
{
	int64_t number = 0;

	if (token != JSON_NUMBER || !json_reader_integer(&json, -MAX_INTEGER, MAX_INTEGER, &number))
		json_reader_refuse(&json, "not a number");
	return number;
}

static const pooled_text *take_text(json_token token)
{
	const pooled_text *text = NULL;

	if (token != JSON_STRING)
		json_reader_refuse(&json, "not a text");
	else if ((text = text_pool_get(&texts, json.text)) == NULL)
		import_job_fail(job, out_of_memory);
	return text;
}

static void read_function(node *node)
{
	json_token token;

	while (json_reader_next(&json) == JSON_KEY) {
		char key[16];

		snprintf(key, sizeof(key), "%s", json.text);
		token = json_reader_next(&json);
		if (strcmp(key, "functionName") == 0)
			node->name = take_text(token);
		else if (strcmp(key, "url") == 0)
			node->file = take_text(token);
		else if (strcmp(key, "lineNumber") == 0)
			node->line = take_integer(token);
		else if (strcmp(key, "columnNumber") == 0)
			node->column = take_integer(token);
		else
			json_reader_skip(&json, token);
	}
}

/* [{"line": 1, "ticks": 2}, ...] */
static void read_ticks(node *node)
{
	json_token token;

	node->first_tick = (uint32_t)profile.tick_count;
	while (json_reader_next(&json) == JSON_OBJECT_BEGIN) {
		ticks *added;

		profile.ticks = import_job_grow(job, profile.ticks, profile.tick_count, &profile.tick_capacity,
						sizeof(*profile.ticks));
		added = &profile.ticks[profile.tick_count++];
		*added = (ticks){0, 0};
		while (json_reader_next(&json) == JSON_KEY) {
			const int is_line = strcmp(json.text, "line") == 0, is_count = strcmp(json.text, "ticks") == 0;

			token = json_reader_next(&json);
			if (is_line)
				added->line = take_integer(token);
			else if (is_count)
				added->count = take_integer(token);
			else
				json_reader_skip(&json, token);
		}
	}
	node->tick_count = (uint32_t)profile.tick_count - node->first_tick;
}

static void read_children(uint32_t parent)
{
	while (json_reader_next(&json) == JSON_NUMBER) {
		profile.links = import_job_grow(job, profile.links, profile.link_count, &profile.link_capacity,
						sizeof(*profile.links));
		profile.links[profile.link_count++] = (link){parent, take_integer(JSON_NUMBER)};
	}
}

static void name_node(uint32_t index, int64_t id)
{
	const size_t known = indexes.count;
	node_entry *entry = import_job_put(job, &indexes, (uint64_t)id);

	if (indexes.count == known)
		json_reader_refuse(&json, "two nodes have the same ID");
	entry->index = index;
}

static void read_node(void)
{
	const uint32_t index = (uint32_t)profile.node_count;
	int has_id = 0;
	json_token token;
	node *node;

	profile.nodes =
		import_job_grow(job, profile.nodes, profile.node_count, &profile.node_capacity, sizeof(*profile.nodes));
	node = &profile.nodes[profile.node_count++];
	memset(node, 0, sizeof(*node));
	node->line = node->column = -1;
	node->parent = NO_NODE;
	while (json_reader_next(&json) == JSON_KEY) {
		char key[16];

		snprintf(key, sizeof(key), "%s", json.text);
		token = json_reader_next(&json);
		if (strcmp(key, "id") == 0) {
			name_node(index, take_integer(token));
			has_id = 1;
		} else if (strcmp(key, "callFrame") == 0 && token == JSON_OBJECT_BEGIN) {
			read_function(node);
		} else if (strcmp(key, "children") == 0 && token == JSON_ARRAY_BEGIN) {
			read_children(index);
		} else if (strcmp(key, "positionTicks") == 0 && token == JSON_ARRAY_BEGIN) {
			read_ticks(node);
		} else {
			json_reader_skip(&json, token);
		}
	}
	if (!has_id || node->name == NULL)
		json_reader_refuse(&json, "a node without an ID or a function");
}

static void read_profile(void)
{
	json_token token = json_reader_next(&json);

	if (token != JSON_OBJECT_BEGIN)
		json_reader_refuse(&json, "not a profile of V8");
	while (json_reader_next(&json) == JSON_KEY) {
		char key[16];

		snprintf(key, sizeof(key), "%s", json.text);
		token = json_reader_next(&json);
		if (strcmp(key, "nodes") == 0 && token == JSON_ARRAY_BEGIN) {
			while (json_reader_next(&json) == JSON_OBJECT_BEGIN)
				read_node();
		} else if (strcmp(key, "samples") == 0 && token == JSON_ARRAY_BEGIN) {
			profile.ids = read_numbers(profile.ids, &profile.id_count, &profile.id_capacity);
		} else if (strcmp(key, "timeDeltas") == 0 && token == JSON_ARRAY_BEGIN) {
			profile.differences = read_numbers(profile.differences, &profile.difference_count,
							   &profile.difference_capacity);
		} else if (strcmp(key, "startTime") == 0) {
			profile.start = take_integer(token);
		} else if (strcmp(key, "endTime") == 0) {
			profile.end = take_integer(token);
		} else {
			json_reader_skip(&json, token);
		}
	}
	if (json.problem == NULL)
		json_reader_next(&json);
	if (json.problem != NULL)
		import_job_report_damage(job, json.offset, json.problem);
}

/* The node with an ID; NO_NODE if there is none. */
static uint32_t find_node(int64_t id)
{
	const node_entry *entry = key_map_find(&indexes, (uint64_t)id);

	return entry != NULL ? (uint32_t)entry->index : NO_NODE;
}

static void link_nodes(void)
{
	for (size_t i = 0; i < profile.link_count; i++) {
		const uint32_t child = find_node(profile.links[i].child);

		if (child != NO_NODE && profile.nodes[child].parent == NO_NODE && child != profile.links[i].parent)
			profile.nodes[child].parent = profile.links[i].parent;
	}
	for (size_t i = 0; i < profile.node_count; i++) {
		node *node = &profile.nodes[i];
		const char *name = node->name != NULL ? node->name->text : "";

		node->is_root = node->parent == NO_NODE && strcmp(name, "(root)") == 0;
		node->is_idle = strcmp(name, "(idle)") == 0 && (node->file == NULL || node->file->text[0] == '\0');
	}
}

/* Functions. */

static int compare_functions(const void *a, const void *b)
{
	const node *first = *(const node *const *)a, *second = *(const node *const *)b;

	if (first->name != second->name)
		return first->name < second->name ? -1 : 1;
	if (first->file != second->file)
		return first->file < second->file ? -1 : 1;
	if (first->line != second->line)
		return first->line < second->line ? -1 : 1;
	return first->column < second->column ? -1 : first->column > second->column;
}

/* A function without a name is named by where it is. The caller frees it. */
static char *method_name(const node *node, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *name;
	int result;

	if (node->name != NULL && node->name->text[0] != '\0')
		result = asprintf(&name, "%s", node->name->text);
	else if (*file != '\0' && node->line >= 0)
		result =
			asprintf(&name, "(anonymous %s:%" PRId64 ")", slash != NULL ? slash + 1 : file, node->line + 1);
	else
		result = asprintf(&name, "(anonymous)");
	if (result < 0)
		import_job_fail(job, out_of_memory);
	return name;
}

static void define_method(const node *node, uint32_t id)
{
	mprof_method_definition method = {.struct_size = sizeof(method), .id = id};
	const char *file = node->file != NULL ? node->file->text : "";
	char *name = method_name(node, file);

	method.name = name;
	method.name_length = strlen(method.name);
	method.source_file = strncmp(file, "file:///", 8) == 0 ? file + 7 : file;
	method.source_file_length = strlen(method.source_file);
	method.source_line = node->line >= 0 && node->line < UINT32_MAX && *file != '\0' ? (uint32_t)node->line + 1 : 0;
	import_job_expect(job, mprof_writer_define_method(job->writer, &method));
	free(name);
}

/* A function is in the tree once for each call stack. */
static void define_methods(void)
{
	node **order = calloc(profile.node_count + 1, sizeof(*order));
	uint32_t id = 0;

	if (order == NULL)
		import_job_fail(job, out_of_memory);
	for (size_t i = 0; i < profile.node_count; i++)
		order[i] = &profile.nodes[i];
	qsort(order, profile.node_count, sizeof(*order), compare_functions);
	for (size_t i = 0; i < profile.node_count; i++) {
		if (i == 0 || compare_functions(&order[i - 1], &order[i]) != 0)
			define_method(order[i], ++id);
		order[i]->method = id;
	}
	free(order);
}

/* Call stacks. */

static uint32_t add_stack(uint32_t caller, uint32_t method, uint32_t position)
{
	mprof_record *record;

	stack_records = import_job_grow(job, stack_records, stack_count, &stack_capacity, sizeof(*stack_records));
	record = &stack_records[stack_count++];
	memset(record, 0, sizeof(*record));
	record->kind = MPROF_RECORD_STACK;
	record->id = (uint32_t)stack_count;
	record->as.stack = (mprof_stack_record){.caller = caller, .target = method, .position = position};
	if (position != 0)
		record->as.stack.target = 0;
	return record->id;
}

static uint32_t position_of(uint32_t method, int64_t line)
{
	id_entry *entry = import_job_put(job, &positions, (uint64_t)method << 32 | (uint32_t)line);
	mprof_record *record;

	if (entry->id != 0)
		return (uint32_t)entry->id;
	position_records =
		import_job_grow(job, position_records, position_count, &position_capacity, sizeof(*position_records));
	record = &position_records[position_count++];
	memset(record, 0, sizeof(*record));
	record->kind = MPROF_RECORD_POSITION;
	record->id = (uint32_t)position_count;
	record->as.position = (mprof_position_record){.target = method, .line = (uint32_t)line};
	entry->id = record->id;
	return record->id;
}

/* Defines the call stacks of nodes, callers first. Returns 0 if the nodes are in a circle, which is then cut. */
static int define_stack(uint32_t index, uint32_t *path)
{
	size_t length = 0;
	int is_sound = 1;

	while (index != NO_NODE && profile.nodes[index].stack == 0 && !profile.nodes[index].is_root) {
		if (profile.nodes[index].is_visited) {
			is_sound = 0;
			index = NO_NODE;
			break;
		}
		profile.nodes[index].is_visited = 1;
		path[length++] = index;
		index = profile.nodes[index].parent;
	}
	for (uint32_t caller = index != NO_NODE ? profile.nodes[index].stack : 0; length-- > 0;) {
		node *node = &profile.nodes[path[length]];

		node->caller = caller;
		node->stack = add_stack(caller, node->method, 0);
		caller = node->stack;
	}
	return is_sound;
}

static void define_stacks(void)
{
	uint32_t *path = calloc(profile.node_count + 1, sizeof(*path));
	int is_sound = 1;

	if (path == NULL)
		import_job_fail(job, out_of_memory);
	for (size_t i = 0; i < profile.node_count; i++)
		is_sound &= define_stack((uint32_t)i, path);
	if (!is_sound)
		import_job_report_damage(job, import_source_offset(&job->source), "nodes that call themselves");
	free(path);
}

/*
 * The call stack of the next sample of a node. The profile has the number of its samples at each line and not which of
 * them: they are distributed in the order of the lines.
 */
static uint32_t next_stack(node *node)
{
	while (node->tick < node->tick_count) {
		const ticks *ticks = &profile.ticks[node->first_tick + node->tick];

		if (ticks->line > 0 && ticks->line < UINT32_MAX && node->taken < ticks->count) {
			if (node->taken++ == 0)
				node->line_stack =
					add_stack(node->caller, node->method, position_of(node->method, ticks->line));
			return node->line_stack;
		}
		node->tick++;
		node->taken = 0;
	}
	return node->stack;
}

/* Samples. */

static int compare_samples(const void *a, const void *b)
{
	const sample *first = a, *second = b;

	if (first->time != second->time)
		return first->time < second->time ? -1 : 1;
	return first->number < second->number ? -1 : 1;
}

/* Places samples in time. Differences are negative if V8 wrote a sample late. */
static size_t place_samples(void)
{
	int64_t time = profile.start;
	size_t count = 0;

	kept.samples = calloc(profile.id_count + 1, sizeof(*kept.samples));
	if (kept.samples == NULL)
		import_job_fail(job, out_of_memory);
	for (size_t i = 0; i < profile.id_count; i++) {
		const uint32_t node = find_node(profile.ids[i]);

		if (i >= profile.difference_count) {
			kept.without_time++;
			continue;
		}
		if (__builtin_add_overflow(time, profile.differences[i], &time) || time < 0 || time > MAX_INTEGER)
			import_job_fail(job, "the times of samples are out of range");
		if (node == NO_NODE)
			kept.without_node++;
		else
			kept.samples[count++] = (sample){time, (uint32_t)i, node};
	}
	qsort(kept.samples, count, sizeof(*kept.samples), compare_samples);
	return count;
}

/* Keeps the samples in which the thread was busy. A sample stands for the time until the next one. */
static void keep_samples(void)
{
	const size_t count = place_samples();
	int64_t busy = 0;

	last_time = profile.end;
	if (count > 0 && kept.samples[count - 1].time > last_time)
		last_time = kept.samples[count - 1].time;
	for (size_t i = 0; i < count; i++) {
		const int64_t next = i + 1 < count ? kept.samples[i + 1].time : last_time;
		const int64_t time = next - kept.samples[i].time;

		if (profile.nodes[kept.samples[i].node].is_idle) {
			kept.idle++;
			kept.idle_time += time;
		} else if (!profile.nodes[kept.samples[i].node].is_root) {
			busy += time;
			kept.samples[kept.count++] = kept.samples[i];
		}
	}
	if (kept.count > 0)
		kept.period_ns = (uint64_t)busy * NS_PER_US / kept.count;
}

/* The last time of the profile is placed at the time of the file. */
static void read_clock(void *user, mprof_clock *clock)
{
	const uint64_t before = (uint64_t)(last_time - now);

	(void)user;
	clock->counter = (uint64_t)now;
	clock->time = job->source.file_time > before ? job->source.file_time - before : 0;
}

static void write_session(void)
{
	char period[24];
	const mprof_property properties[] = {{"recorder", "mprof import"},
					     {"counter", "clock of V8, microseconds"},
					     {"clock_placed", "end of the profile at the time of the file"},
					     {"sample_clock", "processor"},
					     {"sample_period_ns", period}};

	snprintf(period, sizeof(period), "%" PRIu64, kept.period_ns);
	import_job_expect(job, mprof_writer_write_session(job->writer, properties, sizeof(properties[0]),
							  sizeof(properties) / sizeof(properties[0])));
}

static void write_samples(const uint32_t *stacks)
{
	static mprof_event block[MAX_SAMPLES];

	for (size_t first = 0, count; first < kept.count; first += count) {
		for (count = 0; count < MAX_SAMPLES && first + count < kept.count; count++)
			block[count] = (mprof_event){.kind = MPROF_EVENT_SAMPLE,
						     .counter = (uint64_t)kept.samples[first + count].time,
						     .value = stacks[first + count]};
		now = kept.samples[first + count - 1].time;
		import_job_expect(job, mprof_writer_write_samples(job->writer, THREAD, block[0].counter, block, count));
	}
}

static void write_log(void)
{
	static const char thread_name[] = "JavaScript";
	uint32_t *stacks = calloc(kept.count + 1, sizeof(*stacks));
	mprof_writer_options options;

	if (stacks == NULL)
		import_job_fail(job, out_of_memory);
	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "v8";
	options.intro_flags = MPROF_INTRO_FLAG_STATISTICAL;
	options.clock = read_clock;
	options.counters_per_second = 1e6;
	now = profile.start;
	import_job_begin_log(job, &options);
	write_session();
	import_job_expect(job, mprof_writer_write_thread_name(job->writer, THREAD, thread_name, strlen(thread_name)));
	define_methods();
	define_stacks();
	for (size_t i = 0; i < kept.count; i++)
		stacks[i] = next_stack(&profile.nodes[kept.samples[i].node]);
	import_job_write_records(job, MPROF_BLOCK_POSITIONS, 0, position_records, position_count);
	import_job_write_records(job, MPROF_BLOCK_STACKS, 0, stack_records, stack_count);
	write_samples(stacks);
	now = last_time;
	import_job_end_log(job);
	free(stacks);
}

static void release(void)
{
	json_reader_release(&json);
	text_pool_release(&texts);
	key_map_clear(&indexes);
	key_map_clear(&positions);
	free(profile.nodes);
	free(profile.ticks);
	free(profile.links);
	free(profile.ids);
	free(profile.differences);
	free(kept.samples);
	free(stack_records);
	free(position_records);
}

static void convert_profile(import_job *started)
{
	char idle[80];

	job = started;
	json_reader_init(&json, &job->source);
	text_pool_init(&texts);
	read_profile();
	link_nodes();
	keep_samples();
	if (kept.count == 0)
		import_job_fail(job, "no samples of a busy thread");
	write_log();
	snprintf(idle, sizeof(idle), "samples of the idle thread, %" PRId64 " ms", kept.idle_time / 1000);
	import_job_report_left_out(job, kept.idle, idle);
	import_job_report_left_out(job, kept.without_node, "samples whose node is missing");
	import_job_report_left_out(job, kept.without_time, "samples without a time");
	if (kept.without_node + kept.without_time > 0)
		job->status = STATUS_DAMAGED;
	release();
}

static int recognizes(const uint8_t *start, size_t length)
{
	return length > 0 && *start == '{' && memmem(start, length, "\"nodes\"", 7) != NULL &&
	       memmem(start, length, "\"callFrame\"", 11) != NULL;
}

const import_format import_cpuprofile = {
	.name = "cpuprofile",
	.description = "a profile of V8 (node --cpu-prof, Chromium's DevTools)",
	.lacks = "the idle thread has no samples, each sample stands for the average time, and lines are right in sums "
		 "over the whole log",
	.next = "report",
	.recognizes = recognizes,
	.convert = convert_profile,
};
