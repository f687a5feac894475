/* SPDX-License-Identifier: MIT */
/* Reads a log for the sections of the text, and prints what several of them have: numbers, names and frames. */
#include "decode/decode.h"

#include "common/arguments.h"
#include "common/input.h"
#include "shared/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Numbers, with the rounding of the first decoder.
 */

/*
 * The runtime of the first decoder converts a number to 15 digits, and rounds these again to the requested number of
 * decimals, a 5 always up. printf() rounds once, and 0.125 to 0.12. The output must be identical to the digit.
 */
#define DIGITS 15

/* Increments the last of \p count digits. Returns 1 if the carry needs another leading digit. */
static int round_up(char *digits, int count)
{
	while (count > 0 && digits[count - 1] == '9')
		digits[--count] = '0';
	if (count == 0)
		return 1;
	digits[count - 1]++;
	return 0;
}

/* Rounds to the first \p kept digits; \p point is the position of the decimal point. */
static void round_digits(char digits[DIGITS + 2], int *point, int kept)
{
	int is_up = kept >= 0 && kept < DIGITS && digits[kept] >= '5';

	if (kept >= DIGITS)
		return;
	memset(digits + (kept > 0 ? kept : 0), '0', (size_t)(DIGITS - (kept > 0 ? kept : 0)));
	if (is_up && round_up(digits, kept)) {
		memmove(digits + 1, digits, DIGITS);
		digits[0] = '1';
		++*point;
	}
}

static char digit_at(const char digits[DIGITS + 2], int position)
{
	return position >= 0 && position <= DIGITS ? digits[position] : '0';
}

char *decode_number(char text[DECODE_NUMBER_SIZE], double number, int decimals)
{
	char scientific[DIGITS + 16];
	char digits[DIGITS + 2];
	char *end = text;
	int point;

	if (!isfinite(number)) {
		strcpy(text, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
		return text;
	}
	/* "d.dddddddddddddde+xx" */
	snprintf(scientific, sizeof(scientific), "%.*e", DIGITS - 1, fabs(number));
	digits[0] = scientific[0];
	memcpy(digits + 1, scientific + 2, DIGITS - 1);
	memset(digits + DIGITS, '0', 2);
	point = (int)strtol(scientific + DIGITS + 2, NULL, 10) + 1;
	round_digits(digits, &point, point + decimals);
	if (number < 0)
		*end++ = '-';
	for (int position = point > 0 ? 0 : point - 1; position < point; position++)
		*end++ = digit_at(digits, position);
	*end++ = '.';
	for (int position = point; position < point + decimals; position++)
		*end++ = digit_at(digits, position);
	*end = '\0';
	return text;
}

void decode_percent(double part, double whole)
{
	char text[DECODE_NUMBER_SIZE];

	printf("%5s%%", decode_number(text, part / whole * 100, 2));
}

/*
 * Frames and names.
 */

/* The names that the first decoder prints for a method without an ID. */
static const char unknown_class[] = "(CLASS UNAVAILABLE)";
static const char unknown_method[] = "(METHOD UNAVAILABLE)";

void decode_separator(void)
{
	fputs("\n\n------------------------------------------------\n", stdout);
}

int decode_larger_first(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

double decode_seconds(const log_decode *decode, uint64_t counters)
{
	return decode->ticks_per_counter * (double)counters / 10000000.0;
}

void decode_method(const log_decode *decode, uint32_t method)
{
	method_name name;

	if (method == 0) {
		printf("%s.%s", unknown_class, unknown_method);
		return;
	}
	names_method(decode->input.reader, method, &name);
	text_name(stdout, name.class_name);
	putchar('.');
	text_name(stdout, name.name);
}

void decode_class(const log_decode *decode, uint32_t class_id)
{
	class_name name;

	if (class_id == 0) {
		fputs(unknown_class, stdout);
		return;
	}
	names_class(decode->input.reader, class_id, &name);
	text_name(stdout, name.name);
}

static int next_of_stack(const log_decode *decode, call_path *path, path_frame *frame)
{
	mprof_stack_frame found;
	uint32_t caller;

	if (mprof_reader_lookup_caller(decode->input.reader, path->stack, &found, sizeof(found), &caller) != MPROF_OK)
		return 0;
	frame->method = found.is_native ? 0 : found.id;
	frame->is_compiling = (int)found.is_compiling;
	frame->is_native = (int)found.is_native;
	frame->location = found.is_native ? found.id : 0;
	/* A caller has a smaller ID than its callees; anything else could loop forever. */
	path->stack = caller < path->stack ? caller : 0;
	return 1;
}

static int next_of_call(const log_decode *decode, call_path *path, path_frame *frame)
{
	mprof_call_stats stats;

	stats.struct_size = sizeof(stats);
	if (mprof_profile_get_row(decode->profile, MPROF_TABLE_CALLS, path->call, &stats) != MPROF_OK)
		return 0;
	frame->method = stats.method;
	frame->is_compiling = (stats.flags & MPROF_EVENT_FLAG_COMPILING) != 0;
	frame->is_native = 0;
	frame->location = 0;
	path->call = stats.parent;
	return 1;
}

int decode_next_frame(const log_decode *decode, call_path *path, path_frame *frame)
{
	if (path->stack != 0)
		return next_of_stack(decode, path, frame);
	return path->call != MPROF_CALL_ROOT && next_of_call(decode, path, frame);
}

static void print_frame(const log_decode *decode, const path_frame *frame, frame_style style)
{
	method_name name;

	if (style == FRAME_WITH_CLASS && frame->is_compiling)
		fputs("[JIT time]:", stdout);
	if (frame->is_native) {
		const mprof_stack_frame native = {.id = frame->location, .is_native = 1};

		text_name(stdout, names_frame(decode->input.names, &native));
	} else if (style == FRAME_WITH_CLASS) {
		decode_method(decode, frame->method);
	} else if (frame->method == 0) {
		fputs(unknown_method, stdout);
	} else {
		names_method(decode->input.reader, frame->method, &name);
		text_name(stdout, name.name);
	}
}

void decode_path(const log_decode *decode, call_path path, int indentation, frame_style style)
{
	path_frame frame;

	for (int level = 0; decode_next_frame(decode, &path, &frame); level++) {
		printf("%*s", indentation, "");
		if (level == DECODE_MAX_LEVELS) {
			puts("(CALL STACK CONTINUES)");
			return;
		}
		print_frame(decode, &frame, style);
		putchar('\n');
	}
}

/*
 * The log.
 */

void *decode_room(log_decode *decode, size_t count, size_t size)
{
	void *room = calloc(count + 1, size);

	decode->has_failed |= room == NULL;
	return room;
}

/* Grows an array by one element, all 0. Returns the array, NULL if out of memory. */
static void *grow_array(log_decode *decode, void *array, size_t count, size_t *capacity, size_t size)
{
	size_t larger = *capacity == 0 ? 16 : *capacity * 2;

	if (count >= *capacity) {
		void *grown = realloc(array, larger * size);

		if (grown == NULL) {
			decode->has_failed = 1;
			return NULL;
		}
		array = grown;
		*capacity = larger;
	}
	memset((char *)array + count * size, 0, size);
	return array;
}

static void add_summary(log_decode *decode, const mprof_block *block)
{
	summary_header *summaries = grow_array(decode, decode->summaries, decode->summary_count,
					       &decode->summary_capacity, sizeof(*summaries));
	summary_header *added;
	mprof_session session;

	if (summaries == NULL)
		return;
	decode->summaries = summaries;
	session.struct_size = sizeof(session);
	mprof_reader_get_session(decode->input.reader, &session);
	added = &summaries[decode->summary_count++];
	added->collection = block->as.heap_summary.collection;
	added->time = block->start.time > session.start.time ? block->start.time - session.start.time : 0;
	added->first_row = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_HEAP_SUMMARIES);
}

static mprof_class_stats get_class_stats(const log_decode *decode, size_t index)
{
	mprof_class_stats stats;

	stats.struct_size = sizeof(stats);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_CLASSES, index, &stats);
	return stats;
}

/*
 * Saves the allocated bytes by class at the start of a heap block. The profile adds classes in the order of their first
 * use, so the index of a class in the profile is its index here.
 */
static heap_balance *begin_balance(log_decode *decode, const mprof_block *block)
{
	heap_balance *balances = grow_array(decode, decode->balances, decode->balance_count, &decode->balance_capacity,
					    sizeof(*balances));
	heap_balance *added;

	if (balances == NULL)
		return NULL;
	decode->balances = balances;
	added = &balances[decode->balance_count];
	added->row_count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_CLASSES);
	added->rows = decode_room(decode, added->row_count, sizeof(*added->rows));
	if (added->rows == NULL)
		return NULL;
	for (size_t i = 0; i < added->row_count; i++) {
		mprof_class_stats stats = get_class_stats(decode, i);

		added->rows[i].class_id = stats.id;
		added->rows[i].bytes = stats.bytes;
		added->rows[i].freed = stats.freed_bytes;
	}
	added->number = block->as.heap_data.number;
	added->class_count = (size_t)mprof_reader_get_class_count(decode->input.reader);
	decode->balance_count++;
	return added;
}

/* Called at the end of a snapshot, which may consist of several blocks. */
static void end_balance(log_decode *decode, heap_balance *balance, const mprof_block *block)
{
	balance->end = block->as.heap_data.has_clocks ? block->as.heap_data.end.counter : block->end.counter;
	for (size_t i = 0; i < balance->row_count; i++) {
		heap_balance_row *row = &balance->rows[i];
		uint64_t freed = get_class_stats(decode, i).freed_bytes;

		/* Objects allocated before the recording started are found dead but were never counted as allocated. */
		row->bytes = row->bytes > freed ? row->bytes - freed : 0;
		row->freed = freed - row->freed;
	}
}

static int begins_snapshot(const mprof_block *block)
{
	return block->as.heap_data.has_clocks ||
	       (block->as.heap_data.number != 0 && (block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST));
}

static int ends_shot(const mprof_block *block)
{
	return block->as.heap_data.has_clocks || (block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST);
}

static void add_heap_block(log_decode *decode, heap_balance **open, const mprof_block *block)
{
	if (begins_snapshot(block)) {
		if (*open != NULL)
			end_balance(decode, *open, block);
		*open = begin_balance(decode, block);
		if (*open != NULL)
			(*open)->start = block->as.heap_data.has_clocks ? block->as.heap_data.start.counter
									: block->as.heap_data.counter;
	}
	profile_input_add(&decode->input, decode->profile, block);
	if (*open != NULL && ends_shot(block)) {
		end_balance(decode, *open, block);
		*open = NULL;
	}
}

static void note_directives(log_decode *decode, const mprof_block *block)
{
	const mprof_number_set *declared = &block->as.directives.declared;

	if (mprof_number_set_has(declared, MPROF_DIRECTIVE_ALLOCATION_STACK) ||
	    mprof_number_set_has(declared, MPROF_DIRECTIVE_ALLOCATION_STACK_ID))
		decode->has_allocation_stacks = 1;
}

/*
 * Computes the counter unit from the clock pair of END, even if a block before it ends later, as the first decoder
 * does.
 */
static void note_session(log_decode *decode, const mprof_block *latest)
{
	mprof_session *session = &decode->session;
	uint64_t counters;

	session->struct_size = sizeof(*session);
	mprof_reader_get_session(decode->input.reader, session);
	if (latest->kind == MPROF_BLOCK_END && latest->loaded)
		session->last = latest->start;
	counters = session->last.counter - session->start.counter;
	if ((int64_t)counters > 0)
		decode->ticks_per_counter =
			(double)(int64_t)((session->last.time - session->start.time) * 10) / (double)counters;
}

static void read_blocks(log_decode *decode)
{
	heap_balance *open = NULL;
	mprof_block block;
	mprof_block latest;

	memset(&latest, 0, sizeof(latest));
	while (!decode->has_failed && input_next_block(&decode->input, &block)) {
		latest = block;
		if (block.kind == MPROF_BLOCK_DIRECTIVES && block.loaded)
			note_directives(decode, &block);
		if (block.kind == MPROF_BLOCK_HEAP_SUMMARY && block.loaded)
			add_summary(decode, &block);
		if (block.kind == MPROF_BLOCK_HEAP_DATA && block.loaded)
			add_heap_block(decode, &open, &block);
		else
			profile_input_add(&decode->input, decode->profile, &block);
	}
	if (open != NULL)
		end_balance(decode, open, &latest);
	profile_input_finish(&decode->input, decode->profile, &latest);
	note_session(decode, &latest);
}

static int create_profile(log_decode *decode)
{
	mprof_profile_options options;

	mprof_profile_options_init(&options, sizeof(options));
	options.with_compilations = 1;
	options.with_call_sites = 1;
	options.with_monitor_objects = 1;
	options.raw_counters = 1;
	options.ends_at_last_event = 1;
	return mprof_profile_create(&options, &decode->profile) == MPROF_OK;
}

int decode_read(log_decode *decode, const char *path)
{
	memset(decode, 0, sizeof(*decode));
	if (input_open(&decode->input, path, 0) != STATUS_OK)
		return STATUS_NOTHING;
	/* The original decoder prints the names of the log. */
	names_use_symbols(decode->input.names);
	if (!create_profile(decode)) {
		decode->has_failed = 1;
		return STATUS_NOTHING;
	}
	read_blocks(decode);
	decode->totals.struct_size = sizeof(decode->totals);
	mprof_profile_get_row(decode->profile, MPROF_TABLE_TOTALS, 0, &decode->totals);
	return decode->input.status;
}

void decode_release(log_decode *decode)
{
	for (size_t i = 0; i < decode->balance_count; i++)
		free(decode->balances[i].rows);
	free(decode->balances);
	free(decode->summaries);
	mprof_profile_destroy(decode->profile);
	input_close(&decode->input);
}
