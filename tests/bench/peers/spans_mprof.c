/* SPDX-License-Identifier: MIT */
/* Records spans with libmprof: each as a whole, at its end, with the text by its ID. */
#include "spans.h"

#include <mprof/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mprof_recorder *recorder;
static mprof_thread *thread;
static uint32_t types[SPAN_TYPES];
static uint32_t texts[SPAN_TEXTS];
static uint64_t started;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "spans: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

void spans_open(const char *path)
{
	static const mprof_argument_record arguments[] = {
		{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NONE, 0, "number", ""},
		{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NONE, 0, "text", ""},
	};
	mprof_type_record type = {.form = MPROF_TYPE_SPAN, .argument_count = 3};

	expect(mprof_recorder_open_path(path, NULL, &recorder, NULL), path);
	expect(mprof_recorder_attach(recorder, 0, &thread), "thread");
	expect(mprof_recorder_define_arguments(recorder, arguments, sizeof(arguments[0]), 3, &type.first_argument),
	       "arguments");
	for (int i = 0; i < SPAN_TYPES; i++) {
		type.name = span_types[i];
		expect(mprof_recorder_define_type(recorder, &type, sizeof(type), &types[i]), type.name);
	}
	for (int i = 0; i < SPAN_TEXTS; i++)
		expect(mprof_recorder_define_text(recorder, span_texts[i], strlen(span_texts[i]), &texts[i]), "text");
}

void span_begin(uint32_t type)
{
	(void)type;
	started = mprof_recorder_read_counter(recorder);
}

void span_end(uint32_t type, uint64_t number, uint32_t text)
{
	const mprof_argument_value values[] = {{.number = number}, {.number = texts[text]}};

	mprof_thread_record_span(thread, types[type], started, values, 2);
}

void spans_close(void)
{
	mprof_thread_detach(thread);
	expect(mprof_recorder_close(recorder), "close");
	mprof_recorder_destroy(recorder);
}
