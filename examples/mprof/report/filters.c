/* SPDX-License-Identifier: MIT */
/* Filters for methods and classes, and hints for a filter that matches nothing. */
#include "report/filters.h"

#include "common/arguments.h"
#include "common/demangle.h"
#include "common/output.h"
#include "shared/source_name.h"
#include "shared/text.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Larger IDs are not looked up. IDs are dense in all recorded logs; in others, larger IDs are ignored. */
#define MAX_IDS (UINT32_C(1) << 24)

static int matches_pattern(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, 0) == 0;
}

/* Compares a pattern with the name of the source for a generated name, with and without the arguments. */
static int matches_readable(const char *pattern, const char *generated)
{
	size_t length = mprof_name_format_readable(generated, NULL, 0);
	char *text = malloc(length + 1);
	int result;

	if (text == NULL) {
		output_out_of_memory();
		return 0;
	}
	mprof_name_format_readable(generated, text, length + 1);
	result = matches_pattern(pattern, text);
	text[strcspn(text, " ")] = '\0';
	result = result || matches_pattern(pattern, text);
	free(text);
	return result;
}

/* Functions of C++ and Rust have the module as their class. */
static int matches_function(const char *pattern, const char *separator, const method_name *name)
{
	const size_t length = strlen(name->class_name);
	const size_t separated = strlen(separator);

	/* The class is compared as text: patterns are for the name after it. */
	if (length > 0 && strncmp(pattern, name->class_name, length) == 0 &&
	    strncmp(pattern + length, separator, separated) == 0 &&
	    source_name_matches(pattern + length + separated, name->name))
		return 1;
	return matches_pattern(pattern, name->symbol) || source_name_matches(pattern, name->name);
}

/*
 * A pattern is compared with the name with and without the class, and each with and without the arguments, and with the
 * name of the source.
 */
static int matches_method(const log_report *report, const char *pattern, const method_name *name)
{
	const char *separator = names_separator(report->input.reader);
	const size_t name_offset = strlen(name->class_name) + strlen(separator);
	char *text;
	int result;

	if (asprintf(&text, "%s%s%s", name->class_name, separator, name->name) < 0) {
		output_out_of_memory();
		return 0;
	}
	result = matches_pattern(pattern, text) || matches_pattern(pattern, text + name_offset) ||
		 (strchr(text, '<') != NULL && matches_readable(pattern, text));
	text[name_offset + strcspn(name->name, " (")] = '\0';
	result = result || matches_pattern(pattern, text) || matches_pattern(pattern, text + name_offset);
	result = result || (name->name != name->symbol && matches_function(pattern, separator, name));
	free(text);
	return result;
}

static int passes_class(const log_report *report, const char *name, uint32_t assembly_id)
{
	const report_options *options = &report->options;

	if (options->class_pattern != NULL && !matches_pattern(options->class_pattern, name))
		return 0;
	if (options->assembly_pattern != NULL) {
		const char *assembly = assembly_names_get(&report->assemblies, assembly_id);

		return assembly != NULL && matches_pattern(options->assembly_pattern, assembly);
	}
	return 1;
}

int report_filters_frames(const log_report *report)
{
	const report_options *options = &report->options;

	return options->focus_pattern != NULL || options->ignore_pattern != NULL || options->hide_pattern != NULL ||
	       options->collapse_pattern != NULL;
}

/* A native function, or a file, by the name of the linker and by that of the source. */
static int matches_native(const char *pattern, const char *name, const char *symbol)
{
	return name != NULL &&
	       (source_name_matches(pattern, name) || source_name_matches(pattern, demangle_shown(name)) ||
		(symbol != NULL && source_name_matches(pattern, symbol)));
}

int report_matches_frame(const log_report *report, const char *pattern, uint32_t kind, uint32_t id)
{
	method_name name;

	if (kind != MPROF_SAMPLE_METHOD)
		return matches_native(pattern, names_sample(report->input.names, kind, id),
				      names_symbol(report->input.names, kind, id));
	names_method(report->input.reader, id, &name);
	return matches_method(report, pattern, &name);
}

int report_matches_stack_frame(const log_report *report, const char *pattern, const mprof_stack_frame *frame)
{
	if (frame->is_native)
		return matches_native(pattern, names_frame(report->input.names, frame),
				      names_frame_symbol(report->input.names, frame));
	return report_matches_frame(report, pattern, MPROF_SAMPLE_METHOD, frame->id);
}

int report_wants_all(const log_report *report)
{
	const report_options *options = &report->options;

	return options->method_pattern == NULL && options->class_pattern == NULL && options->assembly_pattern == NULL;
}

int report_wants_method(const log_report *report, uint32_t id)
{
	const report_options *options = &report->options;
	method_name name;

	if (report_wants_all(report))
		return 1;
	names_method(report->input.reader, id, &name);
	return passes_class(report, name.class_name, name.assembly_id) &&
	       (options->method_pattern == NULL || matches_method(report, options->method_pattern, &name));
}

int report_wants_class(const log_report *report, uint32_t id)
{
	class_name name;

	if (id == 0)
		return report->options.class_pattern == NULL && report->options.assembly_pattern == NULL;
	names_class(report->input.reader, id, &name);
	return passes_class(report, name.name, name.assembly_id);
}

int filter_options_want_all_threads(const report_options *taken)
{
	return taken->threads.wanted == NULL && taken->threads.wanted_process == NULL;
}

int filter_options_want_thread(const report_options *taken, uint64_t id)
{
	return thread_choice_has(&taken->threads, id);
}

int report_wants_thread(const log_report *report, uint64_t id)
{
	return filter_options_want_thread(&report->options, id);
}

void report_filters_begin(log_report *report)
{
	const thread_choice *choice = &report->options.threads;
	char wanted[24];

	snprintf(wanted, sizeof(wanted), "0x%" PRIx64, choice->thread_count > 0 ? choice->threads[0] : 0);
	nearest_init(&report->filters.thread, wanted);
}

void report_filters_skip_thread(log_report *report, uint64_t thread)
{
	char name[24];

	if (thread == report->filters.last_thread)
		return;
	report->filters.last_thread = thread;
	snprintf(name, sizeof(name), "0x%" PRIx64, thread);
	nearest_offer(&report->filters.thread, name, name);
}

void report_filters_release(log_report *report)
{
	nearest_release(&report->filters.thread);
}

/* Whether a filter matches any definition of a log, and the nearest name otherwise. */
typedef struct filter_check {
	const log_report *report;
	const char *pattern;
	nearest_name nearest;
	int has_match;
} filter_check;

static void end_check(filter_check *check, const char *option)
{
	if (!check->has_match) {
		text_begin_message(check->report->input.name);
		fprintf(stderr, "nothing matches %s=", option);
		text_name(stderr, check->pattern);
		if (check->nearest.found != NULL) {
			fputs("; nearest: ", stderr);
			text_name(stderr, check->nearest.found);
		}
		fputc('\n', stderr);
	}
	nearest_release(&check->nearest);
}

/* Compares the full name and its last part, which is what users usually type. */
static void offer_class(filter_check *check, const char *name)
{
	const char *dot = strrchr(name, '.');

	check->has_match = matches_pattern(check->pattern, name);
	if (check->has_match)
		return;
	nearest_offer(&check->nearest, name, name);
	if (dot != NULL)
		nearest_offer(&check->nearest, dot + 1, name);
}

static void check_class(const log_report *report)
{
	filter_check check = {.report = report, .pattern = report->options.class_pattern};
	uint64_t remaining = mprof_reader_get_class_count(report->input.reader);

	nearest_init(&check.nearest, check.pattern);
	for (uint32_t id = 1; remaining > 0 && id < MAX_IDS && !check.has_match; id++) {
		class_name name;

		names_class(report->input.reader, id, &name);
		if (name.name == name.undefined)
			continue;
		remaining--;
		offer_class(&check, name.name);
	}
	end_check(&check, "--class");
}

static void offer_method(filter_check *check, uint32_t id, const method_name *name)
{
	const char *full;
	char *plain;

	check->has_match = matches_method(check->report, check->pattern, name);
	if (check->has_match)
		return;
	full = names_full_method(check->report->input.names, id);
	nearest_offer(&check->nearest, full, full);
	plain = strndup(name->name, strcspn(name->name, " ("));
	if (plain != NULL)
		nearest_offer(&check->nearest, plain, full);
	free(plain);
}

static void check_method(const log_report *report, const char *option, const char *pattern)
{
	filter_check check = {.report = report, .pattern = pattern};
	uint64_t remaining = mprof_reader_get_method_count(report->input.reader);

	nearest_init(&check.nearest, check.pattern);
	for (uint32_t id = 1; remaining > 0 && id < MAX_IDS && !check.has_match; id++) {
		method_name name;

		names_method(report->input.reader, id, &name);
		if (name.name == name.undefined)
			continue;
		remaining--;
		offer_method(&check, id, &name);
	}
	end_check(&check, option);
}

/* Patterns that match no frame of the log; that of a method that was never called is not reported. */
static void check_frames(const log_report *report)
{
	const report_options *options = &report->options;
	const report_frames *frames = &report->frames;

	if (options->focus_pattern != NULL && !frames->has_focus)
		check_method(report, "--focus", options->focus_pattern);
	if (options->ignore_pattern != NULL && !frames->has_ignored)
		check_method(report, "--ignore", options->ignore_pattern);
	if (options->hide_pattern != NULL && !frames->has_hidden)
		check_method(report, "--hide", options->hide_pattern);
	if (options->collapse_pattern != NULL && !frames->has_collapsed)
		check_method(report, "--collapse", options->collapse_pattern);
	if (options->callers_pattern != NULL && !frames->has_callers)
		check_method(report, "--callers", options->callers_pattern);
	if (options->callees_pattern != NULL && !frames->has_callees)
		check_method(report, "--callees", options->callees_pattern);
}

static void check_assembly(const log_report *report)
{
	filter_check check = {.report = report, .pattern = report->options.assembly_pattern};

	nearest_init(&check.nearest, check.pattern);
	for (size_t i = 0; i < report->assemblies.count && !check.has_match; i++) {
		const char *name = report->assemblies.entries[i].name;

		check.has_match = matches_pattern(check.pattern, name);
		nearest_offer(&check.nearest, name, name);
	}
	end_check(&check, "--assembly");
}

static void check_thread(const log_report *report)
{
	if (report->filters.has_thread)
		return;
	text_begin_message(report->input.name);
	fputs("nothing matches --thread=", stderr);
	text_name(stderr, report->options.threads.wanted);
	if (thread_choice_is_id(&report->options.threads) && report->filters.thread.found != NULL)
		fprintf(stderr, "; nearest: %s", report->filters.thread.found);
	fputc('\n', stderr);
}

void report_filters_check(const log_report *report)
{
	if (report->options.class_pattern != NULL)
		check_class(report);
	if (report->options.method_pattern != NULL)
		check_method(report, "--method", report->options.method_pattern);
	check_frames(report);
	if (report->options.assembly_pattern != NULL)
		check_assembly(report);
	if (report->options.threads.wanted != NULL)
		check_thread(report);
}

int filter_options_have(int option)
{
	return option >= FILTER_OPTION_METHOD && option <= FILTER_OPTION_COMPILER_NAMES;
}

static int has_name(const char *option, const char *value)
{
	if (value[0] == '\0')
		fprintf(stderr, "mprof: %s: the name is missing\n", option);
	return value[0] != '\0';
}

int filter_options_apply(report_options *taken, int option, const char *value)
{
	switch (option) {
	case FILTER_OPTION_METHOD:
		taken->method_pattern = value;
		return 1;
	case FILTER_OPTION_CLASS:
		taken->class_pattern = value;
		return 1;
	case FILTER_OPTION_ASSEMBLY:
		taken->assembly_pattern = value;
		return 1;
	case FILTER_OPTION_THREAD:
		taken->threads.wanted = value;
		return has_name("--thread", value);
	case FILTER_OPTION_PROCESS:
		taken->threads.wanted_process = value;
		return has_name("--process", value);
	case FILTER_OPTION_TIME:
		return time_window_parse(&taken->window, value);
	case FILTER_OPTION_LAST:
		return time_window_parse_last(&taken->window, value);
	case FILTER_OPTION_FOCUS:
		taken->focus_pattern = value;
		return 1;
	case FILTER_OPTION_IGNORE:
		taken->ignore_pattern = value;
		return 1;
	case FILTER_OPTION_COMPILER_NAMES:
		taken->compiler_names = 1;
		return 1;
	default:
		taken->hide_pattern = value;
		return 1;
	}
}

int filter_options_check(const report_options *taken)
{
	if (taken->window.text == NULL || taken->window.last_ns == 0)
		return 1;
	fputs("mprof: --time and --last cannot be combined\n", stderr);
	return 0;
}
