/* SPDX-License-Identifier: MIT */
/*
 * 13: record events of a program's own.
 *
 * Their type and its arguments are defined once. Here each event is a whole span, recorded at its end: the recorder
 * adds its duration to the values. The argument with the role of a name is what a viewer calls it.
 *
 *     ./13_spans spans.mprof && mprof dump spans.mprof
 */
#include <mprof/recorder.h>

#include <string.h>

enum { TASKS = 1000 };

static const mprof_argument_record arguments[] = {
	{MPROF_ARGUMENT_TEXT_ID, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_NAME, 0, "task", ""},
	{MPROF_ARGUMENT_DURATION, MPROF_ENCODING_UNSIGNED, MPROF_ROLE_DURATION, 0, "duration", ""},
	{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, MPROF_ARGUMENT_UNIT_BYTES, "size", ""},
};

static size_t work(size_t task)
{
	volatile char memory[4096] = "";

	for (size_t i = 0; i < task; i++)
		memory[i] = memory[task];
	return task;
}

int main(int argc, char **argv)
{
	mprof_type_record type = {.form = MPROF_TYPE_SPAN, .argument_count = 3, .name = "task"};
	const char *const names[] = {"parse", "compile"};
	uint32_t texts[2];
	uint32_t id;
	mprof_recorder *recorder;
	mprof_thread *thread;
	int failed = 0;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK ||
	    mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK)
		return 1;
	for (int i = 0; i < 2; i++)
		failed |= mprof_recorder_define_text(recorder, names[i], strlen(names[i]), &texts[i]) != MPROF_OK;
	failed |= mprof_recorder_define_arguments(recorder, arguments, sizeof(arguments[0]), 3, &type.first_argument) !=
		  MPROF_OK;
	failed |= mprof_recorder_define_type(recorder, &type, sizeof(type), &id) != MPROF_OK;
	for (size_t task = 0; task < TASKS; task++) {
		const uint64_t started = mprof_recorder_read_counter(recorder);
		const mprof_argument_value values[] = {{.number = texts[task % 2]}, {.number = work(task)}};

		mprof_thread_record_span(thread, id, started, values, 2);
	}
	mprof_thread_detach(thread);
	failed |= mprof_recorder_close(recorder) != MPROF_OK;
	mprof_recorder_destroy(recorder);
	return failed != 0;
}
