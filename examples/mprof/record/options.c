/* SPDX-License-Identifier: MIT */
/* Checks the options that are passed on to the recording modules. */
#include "record/options.h"

#include "record/memory_limit.h"

#include "shared/dialects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Native programs are sampled where their stacks can be walked. */
#if defined(__linux__) && defined(__x86_64__)
#define SAMPLES_NATIVE_PROGRAMS 1
#else
#define SAMPLES_NATIVE_PROGRAMS 0
#endif

void record_request_list(struct option *list, int value)
{
	static const int arguments[] = {no_argument, required_argument, optional_argument};
	size_t count = 0;

	for (size_t i = 0; i < record_options_count; i++)
		if ((record_options[i].readers & RECORD_OF_TOOL) != 0)
			list[count++] = (struct option){record_options[i].name, arguments[record_options[i].argument],
							NULL, value};
}

static int add_word(record_request *request, const char *word, const char *value)
{
	size_t length = strlen(request->words);
	int added = snprintf(request->words + length, REQUEST_WORDS_SIZE - length, ",%s%s%s", word,
			     value != NULL ? "=" : "", value != NULL ? value : "");

	if (added >= 0 && (size_t)added < REQUEST_WORDS_SIZE - length)
		return 1;
	fprintf(stderr, "mprof: record: the options are too long for the module\n");
	return 0;
}

/* Notes the value of an option, which is valid. */
static int note_value(record_request *request, const record_option *option, const char *value,
		      char message[RECORD_MESSAGE_SIZE])
{
	record_combination *combination = &request->combination;

	switch (option->syntax) {
	case RECORD_ALLOCATION:
		(void)record_values_allocation(value, &combination->allocation);
		break;
	case RECORD_CODEC:
		combination->has_codec = 1;
		break;
	case RECORD_DIALECT:
		combination->is_older = dialects_is_older(dialects_find(value));
		break;
	case RECORD_SIGNAL:
		return record_signals_add(&combination->signals, value, "--", message);
	case RECORD_PATTERN:
		request->has_namespace |= strncmp(value, "namespace:", 10) == 0;
		break;
	default:
		break;
	}
	return 1;
}

/* Notes what the options of some names are about. */
static void note_name(record_request *request, const char *name, const char *value)
{
	if (strcmp(name, "ring") == 0) {
		request->combination.has_ring = 1;
		(void)record_values_size(value, 0, UINT64_MAX, &request->ring_bytes);
	} else if (strcmp(name, "only") == 0) {
		request->has_several_only = request->only != NULL;
		request->only = request->only != NULL ? request->only : value;
	} else if (strcmp(name, "salvage") == 0) {
		request->salvage = value;
	} else if (strcmp(name, "control") == 0) {
		request->control_path = value;
	} else if (strcmp(name, "sample-source") == 0) {
		request->needs_runtime = strcmp(value, "runtime") == 0;
	}
	request->combination.has_max_size |= strcmp(name, "max-size") == 0;
	request->has_leaks |= strcmp(name, "leaks") == 0;
	request->starts_disabled |= strcmp(name, "start-disabled") == 0;
}

int record_request_add(record_request *request, const char *name, const char *value)
{
	const record_option *option = record_options_find(name, strlen(name), RECORD_OF_TOOL);
	char message[RECORD_MESSAGE_SIZE];

	if (!record_options_check(option, value, "--", message) ||
	    (value != NULL && !note_value(request, option, value, message))) {
		fprintf(stderr, "mprof: %s\n", message);
		return 0;
	}
	note_name(request, name, value);
	request->kinds |= option->kinds;
	if ((option->kinds & RECORD_SAMPLES) != 0)
		request->samples_by_real = strcmp(name, "sample-real") == 0;
	request->writes_names |= option->group == RECORD_GROUP_OTHERS;
	request->has_memory |= (option->readers & RECORD_OF_NATIVE) == 0 &&
			       (option->kinds & (RECORD_ALLOCATIONS | RECORD_HEAP | RECORD_FREED)) != 0;
	request->combination.has_heap |= (option->kinds & RECORD_HEAP) != 0;
	return add_word(request, name, value);
}

int record_request_check(const record_request *request)
{
	char message[RECORD_MESSAGE_SIZE];

	if (record_combination_check(&request->combination, "--", message))
		return 1;
	fprintf(stderr, "mprof: %s\n", message);
	return 0;
}

int record_request_check_ring(const record_request *request, uint64_t limit)
{
	const uint64_t needed = request->ring_bytes != 0 ? memory_limit_of_ring(request->ring_bytes) : 0;

	/* The pages of a file on a disk can be written back. */
	if (needed <= limit || (request->salvage != NULL && strcmp(request->salvage, "no") != 0))
		return 1;
	fprintf(stderr,
		"mprof: --ring: the ring needs up to %" PRIu64
		" MiB, but the memory of the control group is limited to "
		"%" PRIu64 " MiB; choose a smaller one, or --salvage=FILE on a disk, which is slower\n",
		(needed >> 20) + 1, limit >> 20);
	return 0;
}

void record_request_explain_arguments(char *const *arguments)
{
	for (; *arguments != NULL; arguments++) {
		const char *name = *arguments + 2;

		if (strncmp(*arguments, "--", 2) != 0 || strcspn(name, "=") == 0 ||
		    record_options_find(name, strcspn(name, "="), RECORD_OF_TOOL) == NULL)
			continue;
		fprintf(stderr,
			"mprof: record: %s is an argument of the program, since it comes after it; -- before "
			"the program shows that this is meant\n",
			*arguments);
		return;
	}
}

/* The first option of \p words, each after a comma, and its length; NULL after the last one. */
static const record_option *next_option(const char **words, size_t *length)
{
	if (**words == '\0')
		return NULL;
	*words += 1;
	*length = strcspn(*words, ",");
	return record_options_find(*words, strcspn(*words, "=,"), RECORD_OF_TOOL);
}

/* Prints the options that \p reader does not understand; returns their number. */
static int print_others(const char *words, record_reader reader)
{
	const record_option *option;
	size_t length;
	int count = 0;

	while ((option = next_option(&words, &length)) != NULL) {
		if ((option->readers & reader) == 0)
			fprintf(stderr, "%s--%s", count++ == 0 ? "mprof: record: " : ", ", option->name);
		words += length;
	}
	return count;
}

/* How to record the memory of native programs, if the options ask for it. */
static void print_memory_hint(const record_request *request)
{
	if (request->has_memory)
		fputs("; --malloc records the memory of native programs", stderr);
}

int record_request_check_reader(const record_request *request, record_reader reader)
{
	const int is_native = reader == RECORD_OF_NATIVE;

	if (print_others(request->words, reader) > 0) {
		fprintf(stderr, ": only %s programs can be recorded this way, not %s ones",
			is_native ? "Mono" : "native", is_native ? "native" : "Mono");
		if (is_native)
			print_memory_hint(request);
		fputc('\n', stderr);
		return 0;
	}
	/* Functions have no namespaces of their own: theirs are part of their names. */
	if (is_native && request->has_namespace) {
		fputs("mprof: record: a native program has no namespace: patterns; its functions are matched with "
		      "their whole names, such as Shop::*\n",
		      stderr);
		return 0;
	}
	return !is_native || record_request_check_native_samples(request);
}

int record_request_check_memory(const record_request *request)
{
	if ((request->kinds & RECORD_MEMORY) == 0 || print_others(request->words, RECORD_OF_MEMORY) == 0)
		return 1;
	fputs(": --malloc records native memory alone; record this in another run, to another log\n", stderr);
	return 0;
}

void record_request_explain_others(const record_request *request, const char *program)
{
	if (print_others(request->words, RECORD_OF_NATIVE) == 0)
		return;
	fprintf(stderr, ": %s is a native program: this is recorded only of Mono programs that it runs", program);
	print_memory_hint(request);
	fputc('\n', stderr);
}

void record_request_explain_unused(const record_request *request, uint32_t kinds)
{
	const char *words = request->words;
	const record_option *option;
	size_t length;
	int count = 0;

	while ((option = next_option(&words, &length)) != NULL) {
		if (option->needs != 0 && (option->needs & kinds) == 0)
			fprintf(stderr, "%s--%s", count++ == 0 ? "mprof: record: " : ", ", option->name);
		words += length;
	}
	if (count > 0)
		fputs(": no effect unless 'mprof control' switches on what this is about\n", stderr);
}

int record_request_check_native_samples(const record_request *request)
{
	if ((request->kinds & RECORD_SAMPLES) == 0 || request->samples_by_real)
		return 1;
	if (!SAMPLES_NATIVE_PROGRAMS)
		fputs("mprof: record: --sample: native programs are sampled only on Linux for x86-64\n", stderr);
	else if (request->needs_runtime)
		fputs("mprof: record: --sample-source=runtime: a native program has no runtime that takes samples\n",
		      stderr);
	else
		return 1;
	return 0;
}

int record_request_can_sample_native(void)
{
	return SAMPLES_NATIVE_PROGRAMS;
}

void record_request_keep(char *words, record_reader reader)
{
	const char *rest = words;
	const record_option *option;
	size_t length;

	while ((option = next_option(&rest, &length)) != NULL) {
		if ((option->readers & reader) != 0) {
			memmove(words, rest - 1, length + 1);
			words += length + 1;
		}
		rest += length;
	}
	*words = '\0';
}
