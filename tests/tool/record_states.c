/* SPDX-License-Identifier: MIT */
/*
 * Records what a thread does, in a time of its own: record_states FILE. The thread has the names "starting", "pool-1" and
 * "request 7". It runs for 1 ms, is blocked for 4 ms with the priority 5, and runs for 1 ms more. It throws "Error" twice
 * in "work", with the messages "no file" and "no disk", and "Fault" once, without one.
 */
#include <mprof/recorder.h>

#include <string.h>

enum { ERROR = 1, FAULT, WORK };

static uint64_t now = 1000;

static uint64_t read_now(void *user)
{
	(void)user;
	return now;
}

static int define(mprof_recorder *recorder, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	return (key == WORK ? mprof_recorder_define_method(recorder, key, &description)
			    : mprof_recorder_define_class(recorder, key, &description)) == MPROF_OK;
}

static uint32_t define_type(mprof_recorder *recorder, const char *name, const mprof_argument_record *arguments,
			    uint32_t count)
{
	mprof_type_record type = {.form = MPROF_TYPE_INSTANT, .argument_count = count, .name = name};
	uint32_t id = 0;

	if (mprof_recorder_define_arguments(recorder, arguments, sizeof(*arguments), count, &type.first_argument) ==
	    MPROF_OK)
		(void)mprof_recorder_define_type(recorder, &type, sizeof(type), &id);
	return id;
}

static void change_state(mprof_thread *thread, uint32_t type, const char *state, uint64_t priority)
{
	const mprof_argument_value values[] = {{.bytes = (const uint8_t *)state, .length = strlen(state)},
					       {.number = priority}};

	(void)mprof_thread_record_typed(thread, type, values, priority != 0 ? 2 : 1);
}

static void throw_error(mprof_thread *thread, uint32_t type, const char *text)
{
	const mprof_argument_value values[] = {{.number = ERROR},
					       {.bytes = (const uint8_t *)text, .length = strlen(text)}};
	const mprof_frame frame = WORK;

	mprof_thread_record_exception(thread, ERROR, &frame, 1);
	(void)mprof_thread_record_typed(thread, type, values, 2);
}

static void run(mprof_recorder *recorder, mprof_thread *thread)
{
	static const mprof_argument_record of_state[] = {
		{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "state", ""},
		{MPROF_ARGUMENT_NUMBER, MPROF_ENCODING_UNSIGNED, 0, 0, "priority", ""}};
	static const mprof_argument_record of_exception[] = {
		{MPROF_ARGUMENT_CLASS, MPROF_ENCODING_UNSIGNED, 0, 0, "class", ""},
		{MPROF_ARGUMENT_TEXT, MPROF_ENCODING_BYTES, 0, 0, "text", ""}};
	const uint32_t state = define_type(recorder, "mprof.thread.state", of_state, 2);
	const uint32_t exception = define_type(recorder, "mprof.exception", of_exception, 2);

	(void)mprof_recorder_set_thread_name(recorder, 1, "starting", 8);
	change_state(thread, state, "running", 0);
	(void)mprof_recorder_set_thread_name(recorder, 1, "pool-1", 6);
	throw_error(thread, exception, "no file");
	throw_error(thread, exception, "no disk");
	mprof_thread_record_exception(thread, FAULT, NULL, 0);
	now += 1000000;
	change_state(thread, state, "blocked", 5);
	now += 4000000;
	(void)mprof_recorder_set_thread_name(recorder, 1, "request 7", 9);
	change_state(thread, state, "running", 0);
	now += 1000000;
	(void)mprof_thread_record_event(thread, MPROF_EVENT_THREAD_END, 0, 1);
}

int main(int argc, char **argv)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.exception_stacks = 1;
	options.counter = read_now;
	options.counters_per_second = 1e9;
	if (argc != 2 || mprof_recorder_open_path(argv[1], &options, &recorder, NULL) != MPROF_OK ||
	    !define(recorder, ERROR, "Error") || !define(recorder, FAULT, "Fault") || !define(recorder, WORK, "work") ||
	    mprof_recorder_attach(recorder, 1, &thread) != MPROF_OK)
		return 1;
	run(recorder, thread);
	mprof_thread_detach(thread);
	if (mprof_recorder_close(recorder) != MPROF_OK)
		return 1;
	mprof_recorder_destroy(recorder);
	return 0;
}
