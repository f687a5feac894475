/* SPDX-License-Identifier: MIT */
/*
 * 03: record events of several threads.
 *
 * Each thread attaches itself and then records without locks. Methods are identified by keys, usually addresses.
 *
 *     ./03_record record.mprof && mprof report record.mprof
 */
#include <mprof/recorder.h>

#include <pthread.h>
#include <string.h>

enum { METHOD_OUTER = 1, METHOD_INNER = 2, THREADS = 4, CALLS = 10000 };

static mprof_status define(mprof_recorder *recorder, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	return mprof_recorder_define_method(recorder, key, &description);
}

static void *run(void *recorder)
{
	mprof_thread *thread;

	if (mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK)
		return NULL;
	mprof_thread_enter_method(thread, METHOD_OUTER);
	for (int i = 0; i < CALLS; i++) {
		mprof_thread_enter_method(thread, METHOD_INNER);
		mprof_thread_leave_method(thread, METHOD_INNER);
	}
	mprof_thread_leave_method(thread, METHOD_OUTER);
	mprof_thread_detach(thread);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	mprof_recorder *recorder;
	int failed;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK)
		return 1;
	failed = define(recorder, METHOD_OUTER, "outer") != MPROF_OK ||
		 define(recorder, METHOD_INNER, "inner") != MPROF_OK;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, recorder);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	failed = mprof_recorder_close(recorder) != MPROF_OK || failed;
	mprof_recorder_destroy(recorder);
	return failed;
}
