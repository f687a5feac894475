/* SPDX-License-Identifier: MIT */
/*
 * 11: record native memory.
 *
 * Record an allocation after it was made, and a free before it is executed: then the lifetimes of two blocks at one
 * address never overlap in the log, regardless of the threads involved. The profile finds what was never freed, and
 * what existed at the peak. This program frees all blocks but one.
 *
 *     ./11_memory memory.mprof && mprof report memory.mprof
 */
#include <mprof/recorder.h>

#include <stdlib.h>

enum { BLOCKS = 10, SIZE = 1000 };

static mprof_thread *thread;

/* Not inlined: the return address is in the function that allocates. */
__attribute__((noinline)) static void *traced_malloc(size_t size)
{
	/* Only a return address is available here; MPROF_FRAME_RETURN marks it, so that the call before it is named. */
	const mprof_frame caller = mprof_frame_make_return((uint64_t)(uintptr_t)__builtin_return_address(0));
	void *memory = malloc(size);

	if (memory != NULL)
		mprof_thread_record_memory_allocated(thread, (uint64_t)(uintptr_t)memory, size, &caller, 1);
	return memory;
}

static void traced_free(void *memory)
{
	mprof_thread_record_memory_freed(thread, (uint64_t)(uintptr_t)memory, NULL, 0);
	free(memory);
}

int main(int argc, char **argv)
{
	void *blocks[BLOCKS];
	mprof_recorder *recorder;
	int failed;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK ||
	    mprof_recorder_attach(recorder, 0, &thread) != MPROF_OK)
		return 1;
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = traced_malloc(SIZE);
	for (int i = 1; i < BLOCKS; i++)
		traced_free(blocks[i]);
	mprof_thread_detach(thread);
	failed = mprof_recorder_close(recorder) != MPROF_OK;
	mprof_recorder_destroy(recorder);
	/* The log has a leak; this program has none. */
	free(blocks[0]);
	return failed;
}
