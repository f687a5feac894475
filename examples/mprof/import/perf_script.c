/* SPDX-License-Identifier: MIT */
/* Reads the text that perf script prints: its events become samples with call stacks. */
#include "common/arguments.h"
#include "import/import.h"
#include "shared/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The lines that perf script prints.
 */

/* A part of a line. */
typedef struct text {
	const char *start;
	size_t length;
} text;

/* The first line of a sample, or the line of another record. */
typedef struct head {
	text comm, event, rest;        /**< The event is empty if the line has none. */
	uint64_t thread, time, period; /**< The time is in nanoseconds; the period is 0 if the line has none. */
	uint64_t cpu;                  /**< UINT32_MAX if the line has none. */
} head;

/* One line of a call stack. */
typedef struct frame {
	text symbol, file;
	uint64_t address, offset; /**< The offset is that from the start of the symbol. */
	int has_offset, is_inlined;
	const char *source; /**< The source file, NULL if the line after it does not state it. */
	uint32_t line;
} frame;

/* One character more than a time has. */
enum { MAX_TIME = 20 };

/* Removes the blanks around a text. */
static text trim(text text)
{
	while (text.length > 0 && isspace((unsigned char)text.start[0])) {
		text.start++;
		text.length--;
	}
	while (text.length > 0 && isspace((unsigned char)text.start[text.length - 1]))
		text.length--;
	return text;
}

/* Takes the last word of a text away from it. */
static text take_last(text *from)
{
	text word = {from->start + from->length, 0};

	while (word.start > from->start && !isspace((unsigned char)word.start[-1])) {
		word.start--;
		word.length++;
	}
	from->length -= word.length;
	*from = trim(*from);
	return word;
}

/* Takes the first word of a text away from it. */
static text take_first(text *from)
{
	text word = {from->start, 0};

	while (word.length < from->length && !isspace((unsigned char)word.start[word.length]))
		word.length++;
	from->start += word.length;
	from->length -= word.length;
	*from = trim(*from);
	return word;
}

/* Returns whether a text is a number of up to \p max_digits digits. */
static int parse_number(text text, int base, size_t max_digits, uint64_t *value)
{
	*value = 0;
	if (text.length == 0 || text.length > max_digits)
		return 0;
	for (size_t i = 0; i < text.length; i++) {
		int c = tolower((unsigned char)text.start[i]), digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (!isxdigit(c) || digit >= base)
			return 0;
		*value = *value * (uint64_t)base + (uint64_t)digit;
	}
	return 1;
}

/* Seconds with a fraction, in nanoseconds. */
static int parse_time(text word, uint64_t *time)
{
	const char *point = memchr(word.start, '.', word.length);
	text seconds = {word.start, 0}, fraction;
	uint64_t part;

	if (point == NULL)
		return 0;
	seconds.length = (size_t)(point - word.start);
	fraction = (text){point + 1, word.length - seconds.length - 1};
	if (!parse_number(seconds, 10, 9, time) || !parse_number(fraction, 10, 9, &part))
		return 0;
	for (size_t digits = fraction.length; digits < 9; digits++)
		part *= 10;
	*time = *time * 1000000000 + part;
	return 1;
}

/* COMM [PID/]TID [CPU]; a name may have blanks, brackets and numbers. */
static int parse_thread(text remaining, head *head)
{
	text word = take_last(&remaining);
	const char *slash;
	uint64_t cpu, process;

	head->cpu = UINT32_MAX;
	if (word.length > 2 && word.start[0] == '[' &&
	    parse_number((text){word.start + 1, word.length - 2}, 10, 9, &cpu)) {
		head->cpu = cpu;
		word = take_last(&remaining);
	}
	slash = memchr(word.start, '/', word.length);
	if (slash != NULL) {
		if (!parse_number((text){word.start, (size_t)(slash - word.start)}, 10, 10, &process))
			return 0;
		word.length -= (size_t)(slash + 1 - word.start);
		word.start = slash + 1;
	}
	head->comm = remaining;
	return parse_number(word, 10, 10, &head->thread);
}

static int starts_with(text text, const char *prefix)
{
	return text.length >= strlen(prefix) && memcmp(text.start, prefix, strlen(prefix)) == 0;
}

/* [PERIOD] EVENT: [ADDRESS SYMBOL (FILE)]; there may be no event. */
static int parse_event(text right, head *head)
{
	text rest = right, word = take_first(&rest);
	uint64_t number;

	head->period = 0;
	if (parse_number(word, 10, 18, &number) && rest.length > 0) {
		text after = rest, event = take_first(&after);

		if (event.length > 1 && event.start[event.length - 1] == ':') {
			head->period = number;
			word = event;
			rest = after;
		}
	}
	head->event = (text){"", 0};
	head->rest = right;
	if (word.length == 0 || parse_number(word, 16, 16, &number))
		return 1;
	head->event = word;
	head->rest = rest;
	if (starts_with(word, "PERF_RECORD_"))
		return 1;
	head->event.length--;
	return word.length > 1 && word.start[word.length - 1] == ':';
}

/* The time is what can be recognised: SECONDS.FRACTION: after a number. The last one, as names may contain the same. */
static int parse_head(text line, head *head)
{
	for (size_t end = line.length; end-- > 0;) {
		text right = {line.start + end + 1, line.length - end - 1}, left = {line.start, end};
		size_t shown = end < MAX_TIME ? end : MAX_TIME;
		text last = {line.start + end - shown, shown}, word;

		if (line.start[end] != ':' || (right.length > 0 && right.start[0] != ' '))
			continue;
		word = take_last(&last);
		if (!parse_time(word, &head->time))
			continue;
		left.length -= word.length;
		if (parse_thread(trim(left), head) && parse_event(trim(right), head))
			return 1;
	}
	return 0;
}

/* Takes the file, the last thing in parentheses, away from SYMBOL (FILE). Both may contain parentheses. */
static text take_file(text *symbol)
{
	size_t at = symbol->length, depth = 0;

	if (at == 0 || symbol->start[at - 1] != ')')
		return (text){"", 0};
	do {
		at--;
		depth += symbol->start[at] == ')';
		depth -= symbol->start[at] == '(';
	} while (depth > 0 && at > 0);
	for (size_t i = symbol->length; depth > 0 && i-- > 1;) {
		if (symbol->start[i] == '(' && symbol->start[i - 1] == ' ') {
			depth = 0;
			at = i;
		}
	}
	if (depth > 0 || (at > 0 && symbol->start[at - 1] != ' '))
		return (text){"", 0};
	text file = {symbol->start + at + 1, symbol->length - at - 2};
	symbol->length = at;
	*symbol = trim(*symbol);
	return file;
}

/* ADDRESS SYMBOL[+0xOFFSET] (FILE) */
static int parse_frame(text line, frame *frame)
{
	text word = take_first(&line), file = take_file(&line), offset = {line.start + line.length, 0};

	memset(frame, 0, sizeof(*frame));
	if (!parse_number(word, 16, 16, &frame->address))
		return 0;
	while (offset.start > line.start && isxdigit((unsigned char)offset.start[-1])) {
		offset.start--;
		offset.length++;
	}
	if (offset.start - line.start > 3 && memcmp(offset.start - 3, "+0x", 3) == 0) {
		if (!parse_number(offset, 16, 16, &frame->offset) || frame->offset > frame->address)
			return 0;
		frame->has_offset = 1;
		line.length -= offset.length + 3;
	}
	frame->is_inlined = file.length == 7 && memcmp(file.start, "inlined", 7) == 0;
	frame->symbol = line;
	frame->file = file;
	return 1;
}

/* Returns whether a line is FILE:LINE, which may be followed by a blank and more. */
static int parse_source(text line, text *file, uint32_t *number)
{
	const text first = take_first(&line);
	size_t colon = first.length;
	uint64_t value;

	while (colon > 0 && first.start[colon - 1] != ':')
		colon--;
	if (colon < 2 || !parse_number((text){first.start + colon, first.length - colon}, 10, 9, &value) || value == 0)
		return 0;
	*file = (text){first.start, colon - 1};
	*number = (uint32_t)value;
	return 1;
}

/*
 * The conversion.
 */

/* Lines at the start of a text of which one must be a sample; comments of perf are up to 60. */
enum { RECOGNIZED_LINES = 256 };

enum { MAX_EVENTS = 64, MAX_SAMPLES = 65536, MAX_TYPED = 4096, PAGE_MASK = 0xfff };

/* The arguments of a kind: the call stack, the weight, the processor. */
enum { ARGUMENT_COUNT = 3 };

/* The idle tasks of all processors have the ID 0, which is that of an unknown thread in a log. */
#define IDLE_THREAD (UINT64_C(1) << 32)

typedef struct sample {
	uint64_t thread, time, number, period, cpu;
	const char *comm;
	uint32_t stack, event;
} sample;

/* Records with the keys by which they are found. */
typedef struct key {
	uint64_t parts[2];
	uint32_t id;
} key;
typedef struct table {
	void *keys;
	mprof_record *records;
	size_t count, capacity;
} table;

static void *names;
static table texts, modules, functions, locations, positions, stacks;
static struct {
	frame *frames;
	size_t count, capacity;
	head head;
	const char *comm;
	uint32_t event;
	int is_single; /* The only frame is that of the first line. */
	enum { NO_SAMPLE, SKIPPED, TAKEN } state;
} current;
static struct {
	sample *samples;
	size_t count, capacity;
	uint64_t first, last;
} taken;
static struct {
	const char *name;
	uint64_t count, converted, period;
	int has_periods; /* Their periods differ. */
} events[MAX_EVENTS];
static uint32_t event_count;
static uint64_t line_number, malformed, first_malformed, other_events, other_records, source_lines, lost, now;
static import_job *job;

/* Makes room for one more element. */
static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
	return import_job_grow(job, array, count, capacity, size);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static const char *name_of(text text)
{
	char *copy = malloc(text.length + 1), **found;

	if (copy == NULL)
		import_job_fail(job, "out of memory");
	memcpy(copy, text.start, text.length);
	copy[text.length] = '\0';
	if ((found = tsearch(copy, &names, compare_names)) == NULL)
		import_job_fail(job, "out of memory");
	if (*found != copy)
		free(copy);
	return *found;
}

static int compare_keys(const void *a, const void *b)
{
	return memcmp(((const key *)a)->parts, ((const key *)b)->parts, sizeof(((const key *)a)->parts));
}

/* The record of a key. A new one has the kind, its ID, and zeros. */
static mprof_record *record_of(table *table, uint32_t kind, uint64_t first, uint64_t second)
{
	key *new = calloc(1, sizeof(*new)), **found;
	mprof_record *record;

	if (new == NULL)
		import_job_fail(job, "out of memory");
	new->parts[0] = first;
	new->parts[1] = second;
	if ((found = tsearch(new, &table->keys, compare_keys)) == NULL)
		import_job_fail(job, "out of memory");
	if (*found != new) {
		free(new);
		return &table->records[(*found)->id - 1];
	}
	table->records = grow(table->records, table->count, &table->capacity, sizeof(*table->records));
	record = &table->records[table->count++];
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->id = new->id = (uint32_t)table->count;
	return record;
}

/* The call stack of a frame: a position if it is not 0, else a location. */
static uint32_t stack_of(uint32_t caller, uint32_t location, uint32_t position)
{
	mprof_record *record = record_of(&stacks, MPROF_RECORD_STACK, (uint64_t)caller << 32 | location, position);

	record->as.stack = position != 0 ? (mprof_stack_record){.caller = caller, .position = position}
					 : (mprof_stack_record){.caller = caller, .target = location, .is_native = 1};
	return record->id;
}

/* The position of a frame; 0 if it has no line and is not inlined. */
static uint32_t position_of(const frame *frame, uint32_t location)
{
	mprof_record *text = NULL, *position;

	if (frame->line == 0 && !frame->is_inlined)
		return 0;
	if (frame->source != NULL) {
		text = record_of(&texts, MPROF_RECORD_TEXT, (uintptr_t)frame->source, 0);
		text->as.text.text = frame->source;
	}
	position = record_of(&positions, MPROF_RECORD_POSITION, (uint64_t)location << 32 | frame->line,
			     (uint64_t)(text != NULL ? text->id : 0) << 1 | (frame->is_inlined ? 1 : 0));
	position->as.position = (mprof_position_record){.target = location,
							.is_native = 1,
							.is_inlined = frame->is_inlined != 0,
							.line = frame->line,
							.file = text != NULL ? text->id : 0};
	return position->id;
}

static uint32_t module_of(const char *file)
{
	mprof_record *record;

	if (file[0] == '\0' || strcmp(file, "[unknown]") == 0)
		return 0;
	record = record_of(&modules, MPROF_RECORD_MODULE, (uintptr_t)file, 0);
	record->as.module.file = file;
	return record->id;
}

/*
 * Modules have the address 0: some versions of perf print addresses in the file, others those in memory, which differ
 * between processes by whole pages. So functions of the same name and file are the same if their starts are so in the
 * page, and their locations are at the distance from the start that was found first.
 */
static uint32_t location_of(const frame *frame, uint32_t module)
{
	uint64_t start = frame->has_offset ? frame->address - frame->offset : 0, address = frame->address;
	uint64_t part = frame->has_offset ? 1 + (start & PAGE_MASK) : 0;
	mprof_record *function = NULL, *location;
	uint32_t id = 0;

	if (frame->symbol.length > 0 && strcmp(frame->symbol.start, "[unknown]") != 0) {
		function = record_of(&functions, MPROF_RECORD_FUNCTION, (uint64_t)module << 32 | part,
				     (uintptr_t)frame->symbol.start);
		if (function->as.function.name == NULL)
			function->as.function = (mprof_function_record){module, 0, start, 0, frame->symbol.start};
		if (frame->has_offset)
			address = function->as.function.offset + frame->offset;
		id = function->id;
	}
	location = record_of(&locations, MPROF_RECORD_LOCATION, (uint64_t)module << 32 | id, address);
	location->as.location = (mprof_location_record){module, id, address};
	return location->id;
}

/* Adds the current sample. The outer frames of one that is not whole are shown as not recorded. */
static void end_sample(int is_whole)
{
	const head *head = &current.head;
	uint32_t stack, location, module = 0;

	if (current.state != TAKEN)
		return;
	stack = is_whole ? 0 : stack_of(0, 0, 0);
	current.state = NO_SAMPLE;
	for (size_t i = current.count; i-- > 0;) {
		/* A function that is inlined is in the file of its caller. */
		if (!current.frames[i].is_inlined)
			module = module_of(current.frames[i].file.start);
		location = location_of(&current.frames[i], module);
		stack = stack_of(stack, location, position_of(&current.frames[i], location));
	}
	taken.samples = grow(taken.samples, taken.count, &taken.capacity, sizeof(*taken.samples));
	taken.samples[taken.count] = (sample){head->thread, head->time,   taken.count, head->period,
					      head->cpu,    current.comm, stack,       current.event};
	if (events[current.event].converted++ == 0)
		events[current.event].period = head->period;
	events[current.event].has_periods |= head->period != events[current.event].period;
	taken.first = taken.count == 0 || head->time < taken.first ? head->time : taken.first;
	taken.last = head->time > taken.last ? head->time : taken.last;
	taken.count++;
}

static void note_malformed(void)
{
	if (malformed++ == 0)
		first_malformed = line_number;
	current.state = SKIPPED;
}

static void add_frame(frame frame)
{
	frame.symbol.start = name_of(frame.symbol);
	frame.file.start = name_of(frame.file);
	current.frames = grow(current.frames, current.count, &current.capacity, sizeof(*current.frames));
	current.frames[current.count++] = frame;
}

/* Counts a sample of an event. Returns its index; MAX_EVENTS if there are too many. */
static uint32_t count_event(const char *event)
{
	uint32_t i = 0;

	while (i < event_count && events[i].name != event)
		i++;
	if (i == MAX_EVENTS) {
		other_events++;
		return i;
	}
	event_count += i == event_count;
	events[i].name = event;
	events[i].count++;
	return i;
}

static void begin_sample(const head *head)
{
	const char *event = name_of(head->event);
	frame frame;

	current.state = SKIPPED;
	current.event = count_event(event);
	if (current.event == MAX_EVENTS || (job->event != NULL && strcmp(event, job->event) != 0))
		return;
	current.state = TAKEN;
	current.head = *head;
	if (head->thread == 0)
		current.head.thread = IDLE_THREAD;
	current.comm = name_of(head->comm);
	current.count = 0;
	current.is_single = 0;
	if (head->rest.length > 0 && parse_frame(head->rest, &frame)) {
		add_frame(frame);
		current.is_single = 1;
	}
}

/* A record that is not a sample. */
static void take_record(const head *head)
{
	text rest = head->rest;
	uint64_t count;

	current.state = SKIPPED;
	if (!starts_with(head->event, "PERF_RECORD_LOST")) {
		other_records++;
		return;
	}
	take_first(&rest);
	if (parse_number(rest, 10, 18, &count))
		lost += count;
	else
		note_malformed();
}

static void take_frame(text line)
{
	frame frame;

	if (current.state == TAKEN && parse_frame(line, &frame)) {
		/* What the first line had was not a frame, or is repeated here. */
		if (current.is_single)
			current.count = 0;
		current.is_single = 0;
		add_frame(frame);
	} else if (current.state != SKIPPED) {
		note_malformed();
	}
}

/* The source line of the frame before it. */
static void take_source(text line)
{
	frame *last = current.count > 0 ? &current.frames[current.count - 1] : NULL;
	text file;

	if (current.state != TAKEN)
		return;
	if (last != NULL && last->line == 0 && parse_source(line, &file, &last->line))
		last->source = name_of(file);
	else
		source_lines++;
}

/* "LOST 12 events" */
static int take_loss(text line)
{
	uint64_t count;
	text word = take_first(&line);

	if (word.length != 4 || !starts_with(word, "LOST") || !parse_number(take_first(&line), 10, 18, &count) ||
	    !starts_with(line, "event"))
		return 0;
	lost += count;
	return 1;
}

/* Samples end with an empty line, or with the next sample if they have one frame on the same line, or none. */
static void take_line(text line)
{
	text trimmed = trim(line), rest = trimmed;
	uint64_t address;
	head head;

	if (trimmed.length == 0) {
		end_sample(current.count > 0 && !current.is_single);
		current.state = NO_SAMPLE;
	} else if (parse_head(trimmed, &head)) {
		end_sample(0);
		if (starts_with(head.event, "PERF_RECORD_"))
			take_record(&head);
		else
			begin_sample(&head);
	} else if (isspace((unsigned char)line.start[0]) && parse_number(take_first(&rest), 16, 16, &address)) {
		take_frame(trimmed);
	} else if (current.state != NO_SAMPLE && starts_with(line, "  ")) {
		take_source(trimmed);
	} else if (!take_loss(trimmed) && line.start[0] != '#') {
		note_malformed();
	}
}

/* Reads a line without its end, cut to \p size. Returns 0 at the end of the file, -1 if it is not ended or too long. */
static int read_line(char *line, size_t size, size_t *length)
{
	int byte = import_source_byte(&job->source);
	int is_cut = 0;

	if (byte < 0)
		return 0;
	for (*length = 0; byte >= 0 && byte != '\n'; byte = import_source_byte(&job->source)) {
		if (*length + 1 < size)
			line[(*length)++] = (char)byte;
		else
			is_cut = 1;
	}
	line[*length] = '\0';
	return byte < 0 || is_cut ? -1 : 1;
}

/* A line that is too long, contains a NUL byte or is not ended is not what perf printed. */
static void read_lines(void)
{
	static char line[1 << 16];
	size_t length;
	int found;

	while ((found = read_line(line, sizeof(line), &length)) != 0) {
		line_number++;
		if (found > 0 && strlen(line) == length)
			take_line((text){line, length});
		else
			note_malformed();
	}
	/* The rest of the last stack may be missing. */
	if (current.state == TAKEN && current.count > 0 && !current.is_single) {
		end_sample(0);
		note_malformed();
	}
	end_sample(0);
}

/* The last sample is placed at the time of the file. */
static void read_clock(void *user, mprof_clock *clock)
{
	uint64_t before = (taken.last - now) / 1000;

	(void)user;
	clock->counter = now;
	clock->time = job->source.file_time > before ? job->source.file_time - before : 0;
}

static void write_table(const table *table, uint32_t block)
{
	import_job_write_records(job, block, 0, table->records, table->count);
}

/* The only event whose samples are converted; NULL if they are of several. */
static const char *only_event(void)
{
	return job->event != NULL ? job->event : event_count == 1 ? events[0].name : NULL;
}

/* These events count nanoseconds. */
static int counts_time(const char *event)
{
	return strncmp(event, "cpu-clock", 9) == 0 || strncmp(event, "task-clock", 10) == 0;
}

static void write_session(void)
{
	char period[24];
	mprof_property properties[6] = {{"recorder", "mprof import"},
					{"counter", "clock of perf, nanoseconds"},
					{"clock_placed", "last sample at the time of the text file"}};
	const char *event = only_event();
	size_t count = 3;

	if (event != NULL)
		properties[count++] = (mprof_property){"perf_event", event};
	for (uint32_t i = 0; event != NULL && i < event_count; i++) {
		if (strcmp(events[i].name, event) != 0 || events[i].has_periods || events[i].period == 0)
			continue;
		snprintf(period, sizeof(period), "%" PRIu64, events[i].period);
		properties[count++] = (mprof_property){"perf_period", period};
		if (counts_time(event))
			properties[count++] = (mprof_property){"sample_period_ns", period};
	}
	import_job_expect(job, mprof_writer_write_session(job->writer, properties, sizeof(properties[0]), count));
}

/* Defines a kind of samples for each event. */
static void write_kinds(void)
{
	mprof_record records[2 * ARGUMENT_COUNT + MAX_EVENTS] = {{0}};
	uint32_t count = 0;

	for (uint32_t unit = 0; unit < 2; unit++) {
		const mprof_argument_record arguments[ARGUMENT_COUNT] = {
			{MPROF_ARGUMENT_STACK, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_STACK, MPROF_ARGUMENT_UNIT_NONE,
			 "stack", ""},
			{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_WEIGHT,
			 unit == 0 ? MPROF_ARGUMENT_UNIT_COUNT : MPROF_ARGUMENT_UNIT_NANOSECONDS, "period", ""},
			{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_CPU, MPROF_ARGUMENT_UNIT_NONE,
			 "cpu", ""}};

		for (uint32_t i = 0; i < ARGUMENT_COUNT; i++, count++) {
			records[count].kind = MPROF_RECORD_ARGUMENT;
			records[count].id = count + 1;
			records[count].as.argument = arguments[i];
		}
	}
	for (uint32_t i = 0; i < event_count; i++, count++) {
		mprof_type_record *type = &records[count].as.type;

		records[count].kind = MPROF_RECORD_TYPE;
		records[count].id = i + 1;
		type->form = MPROF_TYPE_SAMPLE;
		type->first_argument = counts_time(events[i].name) ? 1 + ARGUMENT_COUNT : 1;
		type->argument_count = ARGUMENT_COUNT;
		type->name = events[i].name;
		type->period = events[i].has_periods ? 0 : events[i].period;
		type->source = "perf";
	}
	import_job_write_records(job, MPROF_BLOCK_TYPES, 0, records, count);
}

static int compare_samples(const void *a, const void *b)
{
	const sample *first = a, *second = b;

	if (first->thread != second->thread)
		return first->thread < second->thread ? -1 : 1;
	if (first->time != second->time)
		return first->time < second->time ? -1 : 1;
	return first->number < second->number ? -1 : 1;
}

static void write_plain(const sample *samples, size_t count)
{
	static mprof_event block[MAX_SAMPLES];

	for (size_t i = 0; i < count; i++)
		block[i] = (mprof_event){
			.kind = MPROF_EVENT_SAMPLE, .counter = samples[i].time, .value = samples[i].stack};
	import_job_expect(job, mprof_writer_write_samples(job->writer, samples->thread, samples->time, block, count));
}

/* A sample without a period is one event. */
static size_t encode_arguments(const sample *sample, uint8_t *out, size_t size)
{
	const uint64_t values[ARGUMENT_COUNT] = {sample->stack, sample->period != 0 ? sample->period : 1, sample->cpu};
	size_t length = 0;

	for (size_t i = 0; i < ARGUMENT_COUNT; i++) {
		const mprof_argument_value value = {.number = values[i]};

		length += mprof_argument_encode(&value, MPROF_ENCODING_UNSIGNED, out + length, size - length);
	}
	return length;
}

static void write_typed(const sample *samples, size_t count)
{
	static uint8_t arguments[MAX_TYPED][ARGUMENT_COUNT * MPROF_VARINT_MAX_LENGTH];
	static mprof_event_detail details[MAX_TYPED];
	static mprof_event block[MAX_TYPED];

	for (size_t i = 0; i < count; i++) {
		details[i] = (mprof_event_detail){.struct_size = sizeof(details[i]), .arguments = arguments[i]};
		details[i].argument_size = encode_arguments(&samples[i], arguments[i], sizeof(arguments[i]));
		block[i] = (mprof_event){.kind = MPROF_EVENT_TYPED,
					 .id = samples[i].event + 1,
					 .counter = samples[i].time,
					 .more.detail = &details[i]};
	}
	import_job_expect(job, mprof_writer_write_typed(job->writer, samples->thread, samples->time, block, count));
}

/* Writes the samples of each thread in the order of time, after the name that it had. */
static void write_samples(void)
{
	const int is_plain = only_event() != NULL;
	const size_t most = is_plain ? MAX_SAMPLES : MAX_TYPED;
	const sample *samples = taken.samples;
	size_t first = 0, count;

	if (taken.count > 0)
		qsort(taken.samples, taken.count, sizeof(*samples), compare_samples);
	for (; first < taken.count; first += count) {
		const sample *start = &samples[first];

		for (count = 0; first + count < taken.count && count < most; count++) {
			if (start[count].thread != start->thread || start[count].comm != start->comm)
				break;
		}
		now = start->time;
		if (start->comm[0] != '\0')
			import_job_expect(job, mprof_writer_write_thread_name(job->writer, start->thread, start->comm,
									      strlen(start->comm)));
		now = start[count - 1].time;
		if (is_plain)
			write_plain(start, count);
		else
			write_typed(start, count);
	}
}

static void write_log(void)
{
	const uint64_t losses[] = {0, lost};
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "perf";
	options.intro_flags = MPROF_INTRO_FLAG_STATISTICAL;
	options.clock = read_clock;
	options.counters_per_second = 1e9;
	now = taken.first;
	import_job_begin_log(job, &options);
	write_session();
	write_table(&texts, MPROF_BLOCK_TEXTS);
	if (only_event() == NULL)
		write_kinds();
	write_table(&modules, MPROF_BLOCK_CODE);
	write_table(&functions, MPROF_BLOCK_CODE);
	write_table(&locations, MPROF_BLOCK_CODE);
	write_table(&positions, MPROF_BLOCK_POSITIONS);
	write_table(&stacks, MPROF_BLOCK_STACKS);
	write_samples();
	now = taken.last;
	if (lost > 0)
		import_job_expect(job, mprof_writer_write_losses(job->writer, 0, losses, 2));
	import_job_end_log(job);
}

/* Messages about the samples of an event. */
static void print_event(uint32_t i, int is_only)
{
	char number[TEXT_NUMBER_SIZE];

	text_begin_message(job->path);
	if (events[i].converted == 0)
		fprintf(stderr, "not converted: %s samples of '%s' (--event)\n", text_count(number, events[i].count),
			events[i].name);
	else
		fprintf(stderr, "%s samples of '%s' converted%s\n", text_count(number, events[i].converted),
			events[i].name,
			events[i].has_periods && is_only ? "; their periods differ, and each counts as one" : "");
}

static void print_summary(void)
{
	char number[TEXT_NUMBER_SIZE];

	for (uint32_t i = 0; i < event_count; i++)
		print_event(i, only_event() != NULL);
	import_job_report_left_out(job, other_events, "samples of more events");
	import_job_report_left_out(job, other_records, "other records");
	import_job_report_left_out(job, source_lines, "source lines");
	if (lost > 0) {
		text_begin_message(job->path);
		fprintf(stderr, "perf lost %s events\n", text_count(number, lost));
	}
	if (malformed > 0) {
		text_begin_message(job->path);
		fprintf(stderr, "%s malformed lines left out, the first is line %" PRIu64 "\n",
			text_count(number, malformed), first_malformed);
	}
	if (malformed > 0)
		job->status = STATUS_DAMAGED;
}

static void convert_text(import_job *started)
{
	job = started;
	read_lines();
	if (job->source.problem != NULL)
		import_job_report_damage(job, import_source_offset(&job->source), job->source.problem);
	print_summary();
	if (taken.count == 0)
		import_job_fail(job, "no samples; not the output of perf script, or none of this event");
	write_log();
}

/* A text whose lines include the first line of a sample. */
static int recognizes(const uint8_t *start, size_t length)
{
	const char *at = (const char *)start, *end = at + length;

	for (int i = 0; i < RECOGNIZED_LINES && at < end; i++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		head head;

		if (newline == NULL || memchr(at, '\0', (size_t)(newline - at)) != NULL)
			return 0;
		if (*at != '#' && parse_head(trim((text){at, (size_t)(newline - at)}), &head))
			return 1;
		at = newline + 1;
	}
	return 0;
}

const import_format import_perf_script = {
	.name = "perf-script",
	.description = "the text that perf script prints of samples",
	.lacks = "records other than samples and losses are left out",
	.next = "report",
	.has_event = 1,
	.recognizes = recognizes,
	.convert = convert_text,
};
