/* SPDX-License-Identifier: MIT */
/* Writes a log as a pprof profile. */
#include "common/arguments.h"
#include "export/intern.h"
#include "export/protobuf.h"
#include "export/single_tree.h"
#include "export/stack_tree.h"
#include "export/targets.h"
#include "export/text_stream.h"
#include "export/thread_table.h"
#include "report/filters.h"
#include "shared/text.h"

#include <mprof/base.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes the call stacks of each thread of a log.
 *
 * The profile of a log adds up all threads, so the log is read once more for each of them, without its other blocks.
 */

/* With more threads, the trees would take too much memory. */
#define MAX_THREAD_TREES 64

/* Size of the name of a thread with its ID, in bytes. */
#define THREAD_LABEL_SIZE 160

/* Bytes to read for the trees of all threads without export_job::by_thread. */
#define THREAD_TREES_MAX_BYTES UINT64_C(256000000)

/* What the labels of the call stacks of a thread are made of. */
typedef struct thread_labels {
	char thread[THREAD_LABEL_SIZE];  /* The ID, and the name if it has one; "" if the thread is not known. */
	char process[THREAD_LABEL_SIZE]; /* The name; "" if not known. */
	uint64_t pid;                    /* In the system; 0 if not known. */
} thread_labels;

typedef struct thread_tree {
	thread_labels labels;
	stack_tree *trees[EXPORT_VALUES]; /* By value; NULL if the thread has no such data. */
} thread_tree;

/* Initialized with 0. */
typedef struct thread_trees {
	thread_tree *threads;
	size_t thread_count; /* 0 if they are not known: there is only one, or the log is too large. */
} thread_trees;

/* Values that belong to threads. */
static const export_value values[] = {
	EXPORT_WALL,  EXPORT_CPU,   EXPORT_CALLS,  EXPORT_SAMPLES,     EXPORT_ALLOCATIONS,
	EXPORT_BYTES, EXPORT_WAITS, EXPORT_MEMORY, EXPORT_MEMORY_LIVE, EXPORT_MEMORY_TEMPORARY};

static void find_labels(thread_labels *labels, const log_report *report, const mprof_thread_stats *thread)
{
	const char *name = thread->name != NULL ? thread->name : "";
	mprof_process_stats process = {.struct_size = sizeof(process)};

	memset(labels, 0, sizeof(*labels));
	snprintf(labels->thread, THREAD_LABEL_SIZE, "0x%" PRIx64 "%s%s", thread->id, *name != '\0' ? " " : "", name);
	for (size_t i = 0; mprof_profile_get_row(report->profile, MPROF_TABLE_PROCESSES, i, &process) == MPROF_OK;
	     i++) {
		if (thread->process == 0 || process.number != thread->process)
			continue;
		labels->pid = process.system_id;
		snprintf(labels->process, THREAD_LABEL_SIZE, "%s", process.name != NULL ? process.name : "");
		return;
	}
}

static mprof_thread_stats get_thread(const log_report *report, size_t index)
{
	mprof_thread_stats thread = {.struct_size = sizeof(thread)};

	mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, index, &thread);
	return thread;
}

/* The labels of the only thread of the report; none if there are several. */
static void thread_trees_only_labels(const export_job *job, const log_report *report, thread_labels *labels)
{
	const thread_choice *choice = &job->options.threads;
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS);

	memset(labels, 0, sizeof(*labels));
	for (size_t i = 0; i < count; i++) {
		const mprof_thread_stats thread = get_thread(report, i);

		if (count == 1 || (choice->thread_count == 1 && thread.id == choice->threads[0]))
			find_labels(labels, report, &thread);
	}
}

/*
 * The times of samples are rounded. As differences of a sum that continues from one thread to the next, they add up to
 * the time of all samples.
 */
static void round_times(const thread_tree *built, const log_report *report, uint64_t *hits)
{
	const sampling_facts *sampling = &report->summary.sampling;
	const stack_tree *samples = built->trees[EXPORT_SAMPLES];
	stack_tree *times = built->trees[EXPORT_CPU];

	for (size_t i = 0; times != NULL && i < times->node_count; i++) {
		const uint64_t self = samples->nodes[i].self;

		times->nodes[i].self = sampling_time_of(sampling, *hits + self) - sampling_time_of(sampling, *hits);
		*hits += self;
	}
}

/* Reads the log with the blocks of one thread. Returns 0 if out of memory. */
static int read_thread(thread_tree *built, const export_job *job, const mprof_thread_stats *thread)
{
	const stack_tree_options tree_options = {
		.path = job->log, .max_depth = job->max_depth, .by_line = job->by_line};
	report_options options = job->options;
	uint64_t id = thread->id;
	log_report *report = calloc(1, sizeof(*report));
	int status;

	if (report == NULL)
		return 0;
	thread_choice_only(&options.threads, &id);
	options.is_quiet = 1;
	status = report_read(report, job->log, &options);
	if (status != STATUS_NOTHING && input_check_again(&report->input) != STATUS_OK)
		status = STATUS_NOTHING;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && status != STATUS_NOTHING; i++) {
		if (export_value_exists(report, values[i]) &&
		    stack_tree_create(report, values[i], &tree_options, &built->trees[values[i]]) == STATUS_NOTHING)
			status = STATUS_NOTHING;
	}
	report_release(report);
	free(report);
	return status != STATUS_NOTHING;
}

/* Makes the trees of a log with several threads. Returns 0 if out of memory; call thread_trees_release() anyway. */
static int thread_trees_read(thread_trees *set, const export_job *job, const log_report *report)
{
	size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS);
	uint64_t hits = 0;

	if (count < 2 || count > MAX_THREAD_TREES || job->options.threads.thread_count == 1 ||
	    (!job->by_thread && report->summary.size > THREAD_TREES_MAX_BYTES / count))
		return 1;
	set->threads = calloc(count, sizeof(*set->threads));
	if (set->threads == NULL)
		return 0;
	set->thread_count = count;
	for (size_t i = 0; i < count; i++) {
		const mprof_thread_stats thread = get_thread(report, i);

		if (!filter_options_want_thread(&job->options, thread.id))
			continue;
		find_labels(&set->threads[i].labels, report, &thread);
		if (!read_thread(&set->threads[i], job, &thread))
			return 0;
		round_times(&set->threads[i], report, &hits);
	}
	return 1;
}

/* Whether the trees of all threads add up to the tree of the whole log. */
static int thread_trees_add_up(const thread_trees *set, const stack_tree *whole)
{
	uint64_t total = 0;
	uint64_t count = 0;

	if (set->thread_count == 0)
		return 0;
	for (size_t i = 0; i < set->thread_count; i++) {
		const stack_tree *tree = set->threads[i].trees[whole->value];

		for (size_t j = 0; tree != NULL && j < tree->node_count; j++) {
			total += tree->nodes[j].self;
			count += tree->nodes[j].count;
		}
	}
	for (size_t i = 0; i < whole->node_count; i++)
		count -= whole->nodes[i].count;
	return total == whole->nodes[0].total && count == 0;
}

static void thread_trees_release(thread_trees *set)
{
	for (size_t i = 0; i < set->thread_count; i++) {
		for (size_t j = 0; j < EXPORT_VALUES; j++)
			stack_tree_destroy(set->threads[i].trees[j]);
	}
	free(set->threads);
	memset(set, 0, sizeof(*set));
}

/* Writes the texts, mappings, functions and locations of a pprof profile. */

/* Field numbers of the message Profile. */
enum {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14
};

/* Initialized with 0, apart from stream. */
typedef struct pprof_tables {
	FILE *stream;
	intern_table texts;
	intern_table mappings;
	intern_table functions;
	intern_table locations;
	plain_buffer plain;
	protobuf_message entry;
	protobuf_message part;
	int has_failed; /* Memory was exhausted. */
} pprof_tables;

/* Field numbers. */
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4, FUNCTION_START_LINE = 5 };

typedef struct function_key {
	uint32_t name;
	uint32_t symbol; /* The empty text if it is the name. */
	uint32_t file;
	uint32_t line;
	uint32_t mapping;
} function_key;

/* Returns what intern_add() does, and 0 if out of memory. */
static int add_entry(pprof_tables *tables, intern_table *table, const void *key, size_t size, uint32_t *index)
{
	int result;

	*index = 0;
	result = intern_add(table, key, size, index);
	tables->has_failed |= result < 0;
	return result > 0;
}

static void write_entry(pprof_tables *tables, uint32_t field)
{
	protobuf_write(tables->stream, field, &tables->entry);
	tables->has_failed |= tables->entry.has_failed;
}

static uint32_t add_text(pprof_tables *tables, const char *text)
{
	size_t length = strlen(text);
	protobuf_message message = {0};
	uint32_t index;

	if (add_entry(tables, &tables->texts, text, length, &index)) {
		/* The text is borrowed as the content of a message. */
		message.bytes = (unsigned char *)(uintptr_t)text;
		message.length = length;
		protobuf_write(tables->stream, PPROF_STRING, &message);
	}
	return index;
}

/* The index of a text. */
static uint32_t pprof_text(pprof_tables *tables, const char *text)
{
	const char *plain = text != NULL ? plain_text(&tables->plain, text) : "";

	/* The first text of the table has to be empty. */
	if (tables->texts.count == 0)
		add_text(tables, "");
	tables->has_failed |= plain == NULL;
	return plain != NULL ? add_text(tables, plain) : 0;
}

/* The ID of the mapping of an assembly or module. pprof takes the one that is added first for the main program. */
static uint32_t pprof_mapping(pprof_tables *tables, const char *file)
{
	uint32_t text = pprof_text(tables, file);
	protobuf_message *entry = &tables->entry;
	uint32_t index;

	if (add_entry(tables, &tables->mappings, &text, sizeof(text), &index)) {
		protobuf_clear(entry);
		protobuf_number(entry, MAPPING_ID, index + UINT64_C(1));
		protobuf_number(entry, MAPPING_FILE, text);
		/* Otherwise pprof searches for the files, in order to symbolize addresses. */
		protobuf_number(entry, MAPPING_HAS_FUNCTIONS, 1);
		protobuf_number(entry, MAPPING_HAS_FILES, 1);
		protobuf_number(entry, MAPPING_HAS_LINES, 1);
		write_entry(tables, PPROF_MAPPING);
	}
	return index + 1;
}

/*
 * A function of which the name and the symbol are one has no system_name: if they were equal, pprof would demangle the
 * name, and remove the arguments of methods that look like C++.
 */
static uint32_t add_function(pprof_tables *tables, const function_key *key)
{
	protobuf_message *entry = &tables->entry;
	uint32_t index;

	if (add_entry(tables, &tables->functions, key, sizeof(*key), &index)) {
		protobuf_clear(entry);
		protobuf_number(entry, FUNCTION_ID, index + UINT64_C(1));
		protobuf_number(entry, FUNCTION_NAME, key->name);
		if (key->symbol != 0)
			protobuf_number(entry, FUNCTION_SYSTEM_NAME, key->symbol);
		protobuf_number(entry, FUNCTION_FILE, key->file);
		protobuf_number(entry, FUNCTION_START_LINE, key->line);
		write_entry(tables, PPROF_FUNCTION);
	}
	return index + 1;
}

/* The function of a frame. main_file: for a frame without a module. */
static uint32_t function_of(pprof_tables *tables, const stack_frame *frame, const char *main_file, uint32_t *mapping)
{
	const function_key key = {
		.name = pprof_text(tables, frame->name),
		.symbol = pprof_text(tables, frame->symbol),
		.file = pprof_text(tables, frame->file),
		.line = frame->line,
		.mapping = pprof_mapping(tables, frame->module != NULL ? frame->module : main_file),
	};

	*mapping = key.mapping;
	return add_function(tables, &key);
}

/* A function and a line in it. */
typedef struct location_line {
	uint32_t function;
	uint32_t line;
} location_line;

/* More inlined frames than these are locations of their own. */
#define LOCATION_LINES_MAX 64

/*
 * The ID of the location of frames: inlined ones, the innermost first, and one that is not inlined. The mapping is that
 * of the last one.
 */
static uint32_t add_location(pprof_tables *tables, const location_line *lines, size_t count, uint32_t mapping)
{
	protobuf_message *entry = &tables->entry;
	protobuf_message *line = &tables->part;
	uint32_t index;

	if (add_entry(tables, &tables->locations, lines, count * sizeof(*lines), &index)) {
		protobuf_clear(entry);
		protobuf_number(entry, LOCATION_ID, index + UINT64_C(1));
		protobuf_number(entry, LOCATION_MAPPING, mapping);
		for (size_t i = 0; i < count; i++) {
			protobuf_clear(line);
			protobuf_number(line, LINE_FUNCTION, lines[i].function);
			protobuf_number(line, LINE_LINE, lines[i].line);
			protobuf_add(entry, LOCATION_LINE, line);
		}
		write_entry(tables, PPROF_LOCATION);
	}
	return index + 1;
}

/* The ID of the location of a frame. main_file: for a frame without a module. */
static uint32_t pprof_location(pprof_tables *tables, const stack_frame *frame, const char *main_file)
{
	location_line line = {0, stack_frame_line(frame)};
	uint32_t mapping;

	line.function = function_of(tables, frame, main_file, &mapping);
	return add_location(tables, &line, 1, mapping);
}

static void pprof_tables_release(pprof_tables *tables)
{
	intern_release(&tables->texts);
	intern_release(&tables->mappings);
	intern_release(&tables->functions);
	intern_release(&tables->locations);
	plain_text_release(&tables->plain);
	protobuf_release(&tables->entry);
	protobuf_release(&tables->part);
}

/* Field numbers. */
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3 };
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };

/* pprof needs about 16 bytes of memory for each location of a call stack, which takes about 2 bytes of the file. */
#define LARGE_STACKS UINT64_C(100000000)

#define NANOSECONDS_PER_SECOND UINT64_C(1000000000)
#define NANOSECONDS_PER_MICROSECOND 1000

/* A number of occurrences and their amount. One of them may be missing. */
typedef struct value_pair {
	export_value count;      /* EXPORT_VALUES: the counts of the nodes of the other tree. */
	const char *count_name;  /* NULL if there is none. */
	export_value amount;     /* The log may lack it; then only the count is written. */
	const char *amount_name; /* The names are those of Go's profiles, where these have the value. */
} value_pair;

/* Before the names of native memory, in a log that has managed objects under these names. */
#define NATIVE "native_"

static const value_pair pairs[] = {
	{EXPORT_CALLS, "calls", EXPORT_WALL, "wall"},
	{EXPORT_SAMPLES, "samples", EXPORT_CPU, "cpu"},
	{EXPORT_ALLOCATIONS, "alloc_objects", EXPORT_BYTES, "alloc_space"},
	{EXPORT_VALUES, "contentions", EXPORT_WAITS, "delay"},
	{EXPORT_VALUES, "inuse_objects", EXPORT_HEAP, "inuse_space"},
	{EXPORT_VALUES, NULL, EXPORT_HANDLES, "handles"},
	{EXPORT_VALUES, NATIVE "peak_objects", EXPORT_MEMORY_PEAK, NATIVE "peak_space"},
	{EXPORT_VALUES, NULL, EXPORT_MEMORY_TEMPORARY, NATIVE "temporary_objects"},
	{EXPORT_VALUES, NATIVE "inuse_objects", EXPORT_MEMORY_LIVE, NATIVE "inuse_space"},
	{EXPORT_VALUES, NATIVE "alloc_objects", EXPORT_MEMORY, NATIVE "alloc_space"},
};

#define PAIR_COUNT (sizeof(pairs) / sizeof(pairs[0]))
/* More kinds of samples are left out, which is stated. */
#define MAX_KINDS 64
#define MAX_COLUMNS (2 * PAIR_COUNT + MAX_KINDS)

typedef struct pprof_column {
	const char *name;
	const char *unit;
	export_value value;
	uint32_t kind; /* Of EXPORT_KIND: the type. */
} pprof_column;

/* The trees of a pair. The tree of the count is NULL if the other one has the counts. */
typedef struct pair_trees {
	stack_tree *count;
	stack_tree *amount;
	size_t count_column; /* MAX_COLUMNS if there is none. */
	size_t amount_column;
} pair_trees;

typedef struct pprof_writer {
	const export_job *job;
	const log_report *report;
	FILE *stream;
	pprof_tables tables;
	protobuf_message message;
	protobuf_message part;
	thread_trees threads;
	const thread_labels *labels; /* Of the thread of the current call stacks. */
	uint32_t *locations;         /* Of the current tree, by frame; 0 if not written. */
	pprof_column columns[MAX_COLUMNS];
	size_t column_count;
	export_value value;  /* The one that viewers are to show first. */
	const char *program; /* For frames without a module. */
	stack_tree *heap;    /* Made first: reading the objects may fail. */
	export_file *file;
	int status;
	int is_estimated;
	uint32_t folded_depth; /* Deeper frames are one; 0 if all are there. */
} pprof_writer;

static int has_value(const pprof_writer *writer, export_value value)
{
	if (value == EXPORT_HEAP)
		return writer->heap != NULL;
	return value != EXPORT_VALUES && export_value_exists(writer->report, value);
}

static int has_pair(const pprof_writer *writer, const value_pair *pair)
{
	return has_value(writer, pair->count) || has_value(writer, pair->amount);
}

static int is_shown_first(const pprof_writer *writer, const value_pair *pair)
{
	return writer->value == pair->amount || (writer->value == pair->count && pair->count != EXPORT_VALUES);
}

static size_t add_column(pprof_writer *writer, const char *name, const char *unit, export_value value)
{
	pprof_column *column = &writer->columns[writer->column_count];

	column->name = name;
	column->unit = unit;
	column->value = value;
	column->kind = 0;
	return writer->column_count++;
}

/* The name of a column, which no other one has. */
static const char *plain_name(const pprof_writer *writer, const char *name)
{
	const size_t length = strlen(NATIVE);

	return strncmp(name, NATIVE, length) != 0 || has_value(writer, EXPORT_ALLOCATIONS) ||
			       has_value(writer, EXPORT_HEAP)
		       ? name
		       : name + length;
}

/* Adds the columns of a pair, the count first. */
static void add_columns(pprof_writer *writer, const value_pair *pair, pair_trees *trees)
{
	trees->count_column = MAX_COLUMNS;
	trees->amount_column = MAX_COLUMNS;
	if (pair->count_name != NULL)
		trees->count_column = add_column(writer, plain_name(writer, pair->count_name), "count", pair->count);
	if (has_value(writer, pair->amount))
		trees->amount_column = add_column(writer, plain_name(writer, pair->amount_name),
						  export_value_unit(pair->amount), pair->amount);
}

/* The location of a frame of the current tree. */
static uint32_t location_of(pprof_writer *writer, const stack_tree *tree, uint32_t frame)
{
	if (writer->locations[frame] == 0)
		writer->locations[frame] = pprof_location(&writer->tables, &tree->frames[frame], writer->program);
	return writer->locations[frame];
}

/* The location of a node and of the callers that it is inlined in; \p node becomes the outermost of them. */
static uint32_t location_of_inlined(pprof_writer *writer, const stack_tree *tree, uint32_t *node)
{
	location_line lines[LOCATION_LINES_MAX];
	uint32_t mapping;
	size_t count = 0;

	for (;;) {
		const stack_frame *frame = &tree->frames[tree->nodes[*node].frame];

		lines[count].line = stack_frame_line(frame);
		lines[count++].function = function_of(&writer->tables, frame, writer->program, &mapping);
		if ((frame->flags & STACK_FRAME_INLINED) == 0 || count == LOCATION_LINES_MAX ||
		    tree->nodes[*node].parent == 0)
			return add_location(&writer->tables, lines, count, mapping);
		*node = tree->nodes[*node].parent;
	}
}

/* A label is a text, or a number if that is not 0; it is left out if both are empty. */
static void add_label(pprof_writer *writer, const char *key, const char *text, uint64_t number)
{
	protobuf_message *part = &writer->part;

	if (text[0] == '\0' && number == 0)
		return;
	protobuf_clear(part);
	protobuf_number(part, LABEL_KEY, pprof_text(&writer->tables, key));
	protobuf_number(part, LABEL_TEXT, pprof_text(&writer->tables, text));
	protobuf_number(part, LABEL_NUMBER, number);
	protobuf_add(&writer->message, SAMPLE_LABEL, part);
}

static void add_labels(pprof_writer *writer)
{
	add_label(writer, "thread", writer->labels->thread, 0);
	add_label(writer, "process", writer->labels->process, 0);
	add_label(writer, "pid", "", writer->labels->pid);
}

/* Writes the call stack of a node, innermost frame first, with its values. */
static void write_sample(pprof_writer *writer, const stack_tree *tree, uint32_t node, const uint64_t *values)
{
	protobuf_message *part = &writer->part;

	protobuf_clear(&writer->message);
	protobuf_clear(part);
	/* What belongs to no frame would not be visible without a location. */
	if (node == 0)
		protobuf_value(part,
			       pprof_location(&writer->tables, &(stack_frame){.name = "(no method)"}, writer->program));
	for (; node != 0; node = tree->nodes[node].parent)
		protobuf_value(part, tree->by_line ? location_of_inlined(writer, tree, &node)
						   : location_of(writer, tree, tree->nodes[node].frame));
	protobuf_add(&writer->message, SAMPLE_LOCATIONS, part);
	protobuf_clear(part);
	for (size_t i = 0; i < writer->column_count; i++)
		protobuf_value(part, values[i]);
	protobuf_add(&writer->message, SAMPLE_VALUES, part);
	add_labels(writer);
	protobuf_write(writer->stream, PPROF_SAMPLE, &writer->message);
}

static void write_node(pprof_writer *writer, const stack_tree *tree, uint32_t node, const pair_trees *trees,
		       uint64_t count, uint64_t amount)
{
	uint64_t values[MAX_COLUMNS + 1] = {0};

	/* A column that does not exist is the one after all others. */
	values[trees->count_column] = count;
	values[trees->amount_column] = amount;
	values[MAX_COLUMNS] = 0;
	for (size_t i = 0; i < writer->column_count; i++) {
		if (values[i] != 0) {
			write_sample(writer, tree, node, values);
			return;
		}
	}
}

/* Starts with a tree: none of its frames has a location. Returns 0 if out of memory. */
static int begin_tree(pprof_writer *writer, const stack_tree *tree)
{
	free(writer->locations);
	writer->locations = calloc(tree->frame_count + 1, sizeof(*writer->locations));
	writer->is_estimated |= tree->is_estimated;
	return writer->locations != NULL;
}

/* Whether a node is the same call stack in both trees, which are usually made from the same data in the same order. */
static int is_same(const stack_tree *tree, const stack_tree *other, size_t node)
{
	return node < other->node_count && tree->nodes[node].frame == other->nodes[node].frame &&
	       tree->nodes[node].parent == other->nodes[node].parent;
}

/* Nodes are equal up to the first one that is not, because a node is after its parent. */
static size_t count_same(const stack_tree *tree, const stack_tree *other)
{
	size_t count = 0;

	while (count < tree->node_count && is_same(tree, other, count))
		count++;
	return count;
}

static int write_trees(pprof_writer *writer, const pair_trees *trees)
{
	const stack_tree *tree = trees->amount;
	const stack_tree *counts = trees->count;
	size_t same = tree != NULL && counts != NULL ? count_same(tree, counts) : 0;

	if (tree != NULL && !begin_tree(writer, tree))
		return 0;
	for (size_t i = 0; tree != NULL && i < tree->node_count; i++) {
		const stack_node *node = &tree->nodes[i];
		uint64_t count = counts == NULL ? node->count : i < same ? counts->nodes[i].self : 0;

		write_node(writer, tree, (uint32_t)i, trees, count, node->self);
	}
	if (counts == NULL)
		return 1;
	if (!begin_tree(writer, counts))
		return 0;
	for (size_t i = same; i < counts->node_count; i++)
		write_node(writer, counts, (uint32_t)i, trees, counts->nodes[i].self, 0);
	return 1;
}

static int create_tree(pprof_writer *writer, export_value value, uint32_t kind, stack_tree **tree)
{
	export_job job = *writer->job;
	int status;

	/* All values are written; the chosen one is only the first that is shown. */
	job.has_value = 0;
	job.sample_kind = kind;
	status = single_tree_create(&job, writer->report, value, stack_size_varint, tree);

	writer->status = status > writer->status ? status : writer->status;
	if (*tree == NULL)
		return 0;
	if ((*tree)->is_folded && (writer->folded_depth == 0 || (*tree)->max_depth < writer->folded_depth))
		writer->folded_depth = (*tree)->max_depth;
	return single_tree_check(writer->job, writer->report, *tree, stack_size_varint, writer->file);
}

/* Writes the trees of a pair: those of each thread with its label, if they add up to those of the log. */
static int write_by_thread(pprof_writer *writer, const value_pair *pair, const pair_trees *whole)
{
	const thread_trees *set = &writer->threads;
	pair_trees trees = *whole;
	int is_written = 1;

	if (pair->amount == EXPORT_HANDLES || (whole->amount != NULL && !thread_trees_add_up(set, whole->amount)) ||
	    (whole->count != NULL && !thread_trees_add_up(set, whole->count)))
		return write_trees(writer, whole);
	for (size_t i = 0; i < set->thread_count && is_written; i++) {
		trees.amount = set->threads[i].trees[pair->amount];
		trees.count = pair->count != EXPORT_VALUES ? set->threads[i].trees[pair->count] : NULL;
		writer->labels = &set->threads[i].labels;
		is_written = write_trees(writer, &trees);
	}
	return is_written;
}

static int write_pair(pprof_writer *writer, const value_pair *pair, const pair_trees *columns)
{
	pair_trees trees = *columns;
	int is_written = 1;

	if (pair->amount == EXPORT_HEAP) {
		trees.amount = writer->heap;
		return write_trees(writer, &trees);
	}
	if (has_value(writer, pair->amount))
		is_written = create_tree(writer, pair->amount, 0, &trees.amount);
	if (is_written && has_value(writer, pair->count))
		is_written = create_tree(writer, pair->count, 0, &trees.count);
	is_written = is_written && write_by_thread(writer, pair, &trees);
	stack_tree_destroy(trees.amount);
	stack_tree_destroy(trees.count);
	return is_written;
}

static int is_chosen_kind(const pprof_writer *writer, const mprof_sample_kind_stats *kind)
{
	mprof_sample_kind_stats chosen;

	return writer->value == EXPORT_KIND && export_value_find_kind(writer->report, 0, &chosen) &&
	       chosen.type == kind->type;
}

/* The unit of what samples of a kind stand for, as the tree of the kind has it. */
static const char *unit_of_kind(const mprof_sample_kind_stats *kind)
{
	return kind->unit == MPROF_ARGUMENT_UNIT_NANOSECONDS ? "nanoseconds"
	       : kind->unit == MPROF_ARGUMENT_UNIT_BYTES     ? "bytes"
	       : kind->unit == MPROF_ARGUMENT_UNIT_NAMED     ? kind->unit_name
							     : "count";
}

/* Adds a column for each kind of samples; \p is_first: only for that which viewers show first, or only for others. */
static void add_kind_columns(pprof_writer *writer, int is_first)
{
	mprof_sample_kind_stats kind = {.struct_size = sizeof(kind)};
	const mprof_profile *profile = writer->report->profile;

	for (size_t i = 0; mprof_profile_get_row(profile, MPROF_TABLE_SAMPLE_KINDS, i, &kind) == MPROF_OK; i++) {
		size_t column;

		if (is_chosen_kind(writer, &kind) != is_first || writer->column_count >= MAX_COLUMNS - 2 * PAIR_COUNT)
			continue;
		column = add_column(writer, kind.name, unit_of_kind(&kind), EXPORT_KIND);
		writer->columns[column].kind = kind.type;
	}
}

static int write_kinds(pprof_writer *writer)
{
	const size_t count = mprof_profile_get_row_count(writer->report->profile, MPROF_TABLE_SAMPLE_KINDS);
	size_t written = 0;

	for (size_t i = 0; i < writer->column_count; i++) {
		pair_trees trees = {.count_column = MAX_COLUMNS, .amount_column = i};
		int is_written;

		if (writer->columns[i].kind == 0)
			continue;
		is_written = create_tree(writer, EXPORT_KIND, writer->columns[i].kind, &trees.amount) &&
			     write_trees(writer, &trees);
		stack_tree_destroy(trees.amount);
		if (!is_written)
			return 0;
		written++;
	}
	if (written < count) {
		text_begin_message(writer->report->input.name);
		fprintf(stderr, "%zu of %zu kinds of samples were left out: pprof is written with no more\n",
			count - written, count);
	}
	return 1;
}

/* The value that viewers show first is in the last columns, because some ignore the default. */
static int write_pairs(pprof_writer *writer)
{
	pair_trees trees[PAIR_COUNT] = {0};
	static const thread_labels none;
	thread_labels only;
	int is_written;

	for (int last = 0; last < 2; last++) {
		for (size_t i = 0; i < PAIR_COUNT; i++) {
			if (has_pair(writer, &pairs[i]) && is_shown_first(writer, &pairs[i]) == last)
				add_columns(writer, &pairs[i], &trees[i]);
		}
		add_kind_columns(writer, last);
	}
	if (!thread_trees_read(&writer->threads, writer->job, writer->report))
		return 0;
	thread_trees_only_labels(writer->job, writer->report, &only);
	for (size_t i = 0; i < PAIR_COUNT; i++) {
		/* Objects and handles belong to no thread. */
		writer->labels = pairs[i].amount == EXPORT_HEAP || pairs[i].amount == EXPORT_HANDLES ? &none : &only;
		if (has_pair(writer, &pairs[i]) && !write_pair(writer, &pairs[i], &trees[i]))
			return 0;
	}
	writer->labels = &only;
	is_written = write_kinds(writer);
	writer->labels = &none;
	return is_written;
}

static void write_type(pprof_writer *writer, uint32_t field, const char *name, const char *unit)
{
	protobuf_clear(&writer->message);
	protobuf_number(&writer->message, VALUE_TYPE, pprof_text(&writer->tables, name));
	protobuf_number(&writer->message, VALUE_UNIT, pprof_text(&writer->tables, unit));
	protobuf_write(writer->stream, field, &writer->message);
}

static void write_comment(pprof_writer *writer, protobuf_message *fields, const char *comment)
{
	protobuf_number(fields, PPROF_COMMENT, pprof_text(&writer->tables, comment));
}

static void write_comments(pprof_writer *writer, protobuf_message *fields)
{
	const log_report *report = writer->report;
	const mprof_session *session = &report->summary.session;
	char text[512];

	write_comment(writer, fields, "mprof " MPROF_VERSION_STRING);
	snprintf(text, sizeof(text), "log: %s", report->input.name);
	write_comment(writer, fields, text);
	if (!session->complete) {
		snprintf(text, sizeof(text), "incomplete log: valid up to byte %" PRIu64 " of %" PRIu64,
			 session->valid_bytes, report->summary.size);
		write_comment(writer, fields, text);
	}
	if (session->lost_events > 0) {
		snprintf(text, sizeof(text), "%" PRIu64 " events were lost: all figures are estimates",
			 session->lost_events);
		write_comment(writer, fields, text);
	}
	if (writer->threads.thread_count == 0 &&
	    mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS) > 1 &&
	    writer->job->options.threads.thread_count != 1)
		write_comment(writer, fields, "threads are not distinguished: the log is large, see --by-thread");
	if (writer->is_estimated)
		write_comment(writer, fields, "processor time and sampled allocations are estimates");
	if (writer->folded_depth > 0) {
		snprintf(text, sizeof(text), "frames deeper than %" PRIu32 " are one frame, \"(deeper frames)\"",
			 writer->folded_depth);
		write_comment(writer, fields, text);
	}
	if (writer->heap != NULL && writer->heap->is_incomplete)
		write_comment(writer, fields, "the heap snapshot is incomplete");
}

/* The time between samples, for viewers that show it; other values have the period 1. */
static uint64_t period_of(const pprof_writer *writer)
{
	uint64_t frequency = writer->report->summary.sampling.requested_hz;

	if (writer->value != EXPORT_SAMPLES && writer->value != EXPORT_CPU)
		return 1;
	return frequency > 0 && frequency <= NANOSECONDS_PER_SECOND ? NANOSECONDS_PER_SECOND / frequency : 1;
}

static const pprof_column *default_column(const pprof_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++) {
		if (writer->columns[i].value == writer->value && writer->value != EXPORT_KIND)
			return &writer->columns[i];
	}
	/* A kind of samples that is shown first is in the last column. */
	return &writer->columns[writer->column_count - 1];
}

static void write_header(pprof_writer *writer)
{
	const mprof_session *session = &writer->report->summary.session;
	const pprof_column *column = default_column(writer);
	protobuf_message fields = {0};
	int is_sampled = writer->value == EXPORT_SAMPLES || writer->value == EXPORT_CPU;

	for (size_t i = 0; i < writer->column_count; i++)
		write_type(writer, PPROF_SAMPLE_TYPE, writer->columns[i].name, writer->columns[i].unit);
	write_type(writer, PPROF_PERIOD_TYPE, is_sampled ? "cpu" : column->name,
		   is_sampled ? "nanoseconds" : column->unit);
	protobuf_number(&fields, PPROF_TIME_NANOS, session->start.time * NANOSECONDS_PER_MICROSECOND);
	protobuf_number(&fields, PPROF_DURATION_NANOS, writer->report->totals.wall_ns);
	protobuf_number(&fields, PPROF_PERIOD, period_of(writer));
	write_comments(writer, &fields);
	protobuf_number(&fields, PPROF_DEFAULT_SAMPLE_TYPE, pprof_text(&writer->tables, column->name));
	fwrite(fields.bytes, 1, fields.length, writer->stream);
	writer->tables.has_failed |= fields.has_failed;
	protobuf_release(&fields);
}

static void lack_memory(const pprof_writer *writer)
{
	text_begin_message(writer->report->input.name);
	fprintf(stderr, "%s for the export\n", mprof_status_get_text(MPROF_ERR_MEMORY));
}

/* Writes all parts of the profile. Returns 0 after a message if that failed. */
static int write_profile(pprof_writer *writer)
{
	/* pprof shows the first mapping as the main program. */
	pprof_mapping(&writer->tables, writer->program);
	/* The tree's own messages state what is missing. */
	if (export_value_exists(writer->report, EXPORT_HEAP) && !create_tree(writer, EXPORT_HEAP, 0, &writer->heap)) {
		writer->status = STATUS_DAMAGED;
		if (writer->value == EXPORT_HEAP)
			return 0;
	}
	if (!write_pairs(writer)) {
		lack_memory(writer);
		return 0;
	}
	write_header(writer);
	if (writer->tables.has_failed || writer->message.has_failed || writer->part.has_failed) {
		lack_memory(writer);
		return 0;
	}
	return 1;
}

static int write_report(const export_job *job, const log_report *report, export_file *file)
{
	pprof_writer writer = {
		.job = job,
		.report = report,
		.stream = file->stream,
		.file = file,
		.tables.stream = file->stream,
		.program = thread_names_table_process(report),
		.value = job->value != EXPORT_VALUE_DEFAULT ? job->value : export_value_choose(report),
	};
	stack_tree *none = NULL;
	int is_written;

	/* Prints which values the log has. */
	if (writer.value == EXPORT_VALUES || !export_value_exists(report, writer.value)) {
		create_tree(&writer, writer.value, 0, &none);
		return STATUS_NOTHING;
	}
	is_written = write_profile(&writer);
	stack_tree_destroy(writer.heap);
	pprof_tables_release(&writer.tables);
	thread_trees_release(&writer.threads);
	protobuf_release(&writer.message);
	protobuf_release(&writer.part);
	free(writer.locations);
	return is_written ? writer.status : STATUS_NOTHING;
}

const export_target export_pprof = {
	.name = "pprof",
	.extension = ".pb.gz",
	.description = "profile.proto of pprof: all values of the log as sums by call stack",
	.lacks = "pprof holds sums by call stack: times of events, collections and metrics are left out",
	.kind = EXPORT_AGGREGATED,
	.options = EXPORT_HAS_FRAME_FILTERS | EXPORT_HAS_WINDOW | EXPORT_HAS_AT | EXPORT_HAS_BY_THREAD |
		   EXPORT_HAS_MAX_DEPTH | EXPORT_HAS_CLASS | EXPORT_HAS_LINES | EXPORT_HAS_ALL_VALUES,
	.values = EXPORT_VALUE_BIT(EXPORT_WALL) | EXPORT_VALUE_BIT(EXPORT_CPU) | EXPORT_VALUE_BIT(EXPORT_CALLS) |
		  EXPORT_VALUE_BIT(EXPORT_SAMPLES) | EXPORT_VALUE_BIT(EXPORT_ALLOCATIONS) |
		  EXPORT_VALUE_BIT(EXPORT_BYTES) | EXPORT_VALUE_BIT(EXPORT_WAITS) | EXPORT_VALUE_BIT(EXPORT_HEAP) |
		  EXPORT_VALUE_BIT(EXPORT_HANDLES) | EXPORT_VALUE_BIT(EXPORT_KIND),
	.file_flags = EXPORT_FILE_GZIP,
	.stack_limit = LARGE_STACKS,
	.write_report = write_report,
};
