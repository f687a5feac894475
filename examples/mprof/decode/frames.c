/* SPDX-License-Identifier: MIT */
/* Prints frames, names and numbers for several sections. */
#include "decode/decode.h"

#include "shared/text.h"

#include <stdio.h>

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
