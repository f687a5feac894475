/* SPDX-License-Identifier: MIT */
/**
 * \file test_unsupported.c
 * \brief The functions of a library without the recorder: linked with these in place of the recorder.
 */
#include <mprof/recorder.h>

#include <stdio.h>

static int closed;

static int note_close(void *user)
{
	(void)user;
	closed++;
	return 0;
}

#define EXPECT(condition)                                                                                              \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "test_unsupported.c:%d: %s\n", __LINE__, #condition);                          \
			return 1;                                                                                      \
		}                                                                                                      \
	} while (0)

int main(void)
{
	static int anything;
	mprof_recorder *const no_recorder = (mprof_recorder *)&anything;
	mprof_recorder *recorder = no_recorder;
	mprof_thread *thread = (mprof_thread *)&anything;
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_sink sink = {.struct_size = sizeof(sink), .close = note_close};

	EXPECT(mprof_recorder_open_path("log.mprof", NULL, &recorder, &error) == MPROF_ERR_UNSUPPORTED);
	EXPECT(recorder == NULL);
	EXPECT(error.status == MPROF_ERR_UNSUPPORTED && error.severity == MPROF_SEVERITY_FATAL);
	EXPECT(mprof_recorder_open_fd(1, NULL, NULL, NULL) == MPROF_ERR_UNSUPPORTED);
	EXPECT(mprof_recorder_open_ring(UINT64_C(1) << 20, NULL, &recorder, NULL) == MPROF_ERR_UNSUPPORTED);
	EXPECT(mprof_recorder_open_sink(&sink, NULL, &recorder, NULL) == MPROF_ERR_UNSUPPORTED);
	EXPECT(closed == 1);
	EXPECT(mprof_recorder_attach(NULL, 0, &thread) == MPROF_ERR_UNSUPPORTED);
	EXPECT(thread == NULL);
	EXPECT(mprof_recorder_close(NULL) == MPROF_ERR_UNSUPPORTED);
	EXPECT(mprof_recorder_read_counter(NULL) == 0);
	mprof_thread_enter_method(NULL, 1);
	EXPECT(mprof_thread_record_lost(NULL, MPROF_LOSS_LIMIT, 1) == MPROF_ERR_UNSUPPORTED);
	EXPECT(mprof_recorder_end_heap(NULL) == MPROF_ERR_UNSUPPORTED);
	EXPECT(mprof_recorder_destroy(NULL) == MPROF_OK);
	return 0;
}
