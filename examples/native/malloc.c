/* SPDX-License-Identifier: MIT */
/*
 * Records allocations of native programs. The module is preloaded into a program, and its functions interpose those of
 * the C library.
 *
 * Order matters: an allocation is recorded after it was made and a free before it is executed, so that the lifetimes of
 * two blocks at one address never overlap in the log, regardless of the threads involved.
 */
#include "allocator.h"
#include "bounded_call.h"
#include "call_stack.h"
#include "control.h"
#include "exec_calls.h"
#include "instrument_options.h"
#include "memory_copy.h"
#include "operators.h"
#include "own_memory.h"
#include "process_log.h"
#include "program_end.h"
#include "system_calls.h"
#include "thread_names.h"
#include "unloads.h"

#include "shared/late_log.h"
#include "shared/log_loss.h"
#include "shared/memory_copy.h"
#include "shared/open_error.h"
#include "shared/own_thread.h"
#include "shared/program_name.h"
#include "shared/salvage.h"

#include <mprof/base.h>
#include <mprof/recorder.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OVERRIDES __attribute__((visibility("default")))

/*
 * Busy: inside the recorder. Off: on the recorder's own threads, and when nothing is recorded any more. Allocations
 * made in these states are not recorded.
 */
typedef enum thread_state { THREAD_NEW = 0, THREAD_RECORDING, THREAD_BUSY, THREAD_OFF } thread_state;

/*
 * The module is loaded at program start, so its thread-local variables can use the initial-exec model, which needs no
 * call.
 */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))

PER_THREAD volatile thread_state state;
PER_THREAD thread_state state_outside; /* Before enter_own(). */
PER_THREAD mprof_thread *handle;
PER_THREAD int end_rounds;
PER_THREAD volatile int in_allocator; /* The thread may hold a lock of the allocator. */
PER_THREAD uint32_t known_opening;    /* The number of the recorder that the handle belongs to. */
PER_THREAD uintptr_t last_recorded;   /* See note_last_recorded(). */
PER_THREAD mprof_frame *frames;       /* See take_frames(). */

static pthread_key_t thread_end;
static mprof_recorder *recorder; /* NULL before it is opened, and if nothing is recorded. */
static pid_t process;            /* The process that opened it: a child of vfork() has the same memory. */
static char log_path[INSTRUMENT_PATH_SIZE];
static uint64_t ring_bytes; /* Size of the ring buffer, which is written at the end; 0 for none. */
static uint32_t ring_gzip;  /* Compression of a log that is written from it. */

/* Made by fork(), without a log of their own. Relaxed: a sum that nothing else depends on. */
static _Atomic uint64_t unrecorded_children;

/*
 * Number of recorders opened. Written by the thread that opens one; relaxed, since a thread that reads it late records
 * to the earlier one, which is closed and not freed.
 */
static _Atomic uint32_t openings;

/* How long a process that ends at once waits until its log is complete. The salvage file completes it otherwise. */
#define END_WAIT_MS 5000

/*
 * Recording begins at the first allocation, which may be made by a constructor that runs before the one of this module.
 * Acquire and release: a thread that sees that it has begun sees the recorder. Allocations of other threads meanwhile
 * are not recorded.
 */
typedef enum recording_stage { STAGE_NONE, STAGE_BEGINS, STAGE_BEGUN } recording_stage;

static _Atomic int stage;

/* The stack walk that MPROF_MALLOC_OPTIONS selects. */
static call_stack_walk walk = CALL_STACK_UNWIND;
static size_t depth = 64;

static void mark_own_thread(void *user)
{
	(void)user;
	state = THREAD_OFF;
	own_thread_enter();
}

static void unmark_own_thread(void *user)
{
	(void)user;
	own_thread_leave();
}

/* On the thread that receives commands. */
static void leave_thread_out(void)
{
	state = THREAD_OFF;
}

/* While the module starts the thread that waits for the end of the program, and on it. */
static void enter_own(void)
{
	state_outside = state;
	state = THREAD_OFF;
}

static void leave_own(void)
{
	state = state_outside;
}

/* The memory that was recorded last is kept as a complement, which is no pointer to it: it may be a leak. */
static inline void note_last_recorded(const void *memory)
{
	last_recorded = memory != NULL ? ~(uintptr_t)memory : 0;
}

static void release_frames(void)
{
	if (frames != NULL)
		own_memory.release(NULL, frames, call_stack_room());
	frames = NULL;
}

/*
 * Other destructors of thread-specific data may free memory: this one requests to be called again as often as possible,
 * to be the last.
 */
static void end_thread(void *value)
{
	state = THREAD_BUSY;
	if (++end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(thread_end, value) == 0) {
		state = THREAD_RECORDING;
		return;
	}
	state = THREAD_OFF;
	thread_names_end();
	if (!system_calls_are_restricted())
		release_frames();
	handle = NULL;
	if (recorder != NULL)
		mprof_thread_detach(value);
	program_end_note();
}

static void read_stack_options(const char *words)
{
	const uint64_t named = instrument_options_number(words, RECORD_OF_MEMORY, "stack-depth");
	const uint64_t frames = named != 0 ? named : instrument_options_number(words, RECORD_OF_MEMORY, "depth");
	char stack[16];

	if (instrument_options_text(words, "malloc-stack", stack, sizeof(stack)) ||
	    instrument_options_text(words, "stack", stack, sizeof(stack))) {
		if (strcmp(stack, "frames") == 0)
			walk = CALL_STACK_FRAMES;
		else if (strcmp(stack, "none") == 0)
			walk = CALL_STACK_NONE;
	}
	if (frames != 0)
		depth = (size_t)frames;
}

/* Whether the program has malloc() from a file whose function comes before the one of this module. */
static int find_other_allocator(char *text, size_t size)
{
	void *first = dlsym(RTLD_DEFAULT, "malloc");
	Dl_info of_first;
	Dl_info of_module;

	if (first == NULL || dladdr(first, &of_first) == 0 || dladdr((void *)&stage, &of_module) == 0 ||
	    of_first.dli_fbase == of_module.dli_fbase)
		return 0;
	snprintf(text, size,
		 "the program brings its own allocator (malloc is defined in %s): its calls are not recorded",
		 of_first.dli_fname);
	return 1;
}

static mprof_status open_recorder(const char *path, const char *words, mprof_error *error)
{
	char process[24];
	char unrecorded[PATH_MAX + 100];
	const int has_other = find_other_allocator(unrecorded, sizeof(unrecorded));
	const mprof_property properties[] = {
		{"program", program_name()},
		{"pid", process},
		{"recorder", "libmprof-malloc " MPROF_VERSION_STRING},
		{"memory_unrecorded", unrecorded},
	};
	mprof_writer_options writer;
	mprof_recorder_options options;

	snprintf(process, sizeof(process), "%ld", (long)getpid());
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.runtime = "native";
	writer.intro_flags = MPROF_INTRO_FLAG_MEMORY;
	mprof_recorder_options_init(&options, sizeof(options));
	/* "mprof record", which asks for quiet, has checked them. */
	if (!instrument_options_has(words, "quiet"))
		instrument_options_print_problems(words, RECORD_OF_MEMORY);
	instrument_options_read(words, RECORD_OF_MEMORY, &writer, &options);
	read_stack_options(words);
	ring_bytes = instrument_options_number(words, RECORD_OF_MEMORY, "ring");
	ring_gzip = writer.gzip_level;
	options.start_disabled = (uint32_t)instrument_options_has(words, "start-disabled");
	options.writer = &writer;
	options.properties = properties;
	options.property_size = sizeof(properties[0]);
	options.property_count = sizeof(properties) / sizeof(properties[0]) - !has_other;
	options.allocator = &own_memory;
	options.thread_started = mark_own_thread;
	options.thread_ended = unmark_own_thread;
	options.thread_times = 1;
	if (has_other)
		fprintf(stderr, "mprof: %s\n", unrecorded);
	return salvage_open(options.salvage_path, path, ring_bytes, &options, &recorder, NULL, error);
}

static const char *list_kinds(void)
{
	return "native memory";
}

static void start_control(const char *words)
{
	static const control_module module = {leave_thread_out, NULL, list_kinds, NULL, NULL, ""};
	const controlled_recording recording = {recorder, log_path, ring_bytes, ring_gzip, &module};
	char path[128];

	if (instrument_options_has(words, "no-control"))
		return;
	native_control_start(&recording, instrument_options_text(words, "control", path, sizeof(path)) ? path : NULL);
}

/* \p is_next: the process has written a log before, which stays. */
static void open_log(int is_next)
{
	const char *pattern = getenv("MPROF_MALLOC_OUTPUT");
	const char *words = getenv("MPROF_MALLOC_OPTIONS");
	mprof_error error;
	mprof_status status;
	int lock;

	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	error.what = "";
	recorder = NULL;
	if (system_calls_are_restricted() || !process_log_is_wanted(words))
		return;
	if (!process_log_path(pattern, words, is_next, log_path, &lock)) {
		late_log_unlock(lock);
		return;
	}
	process = getpid();
	atomic_fetch_add_explicit(&openings, 1, memory_order_relaxed);
	atomic_store_explicit(&unrecorded_children, 0, memory_order_relaxed);
	if (instrument_options_has(words, "leaks-pipe"))
		memory_copy_prepare();
	status = open_recorder(log_path, words, &error);
	late_log_unlock(lock);
	if (status == MPROF_OK)
		start_control(words);
	else
		fprintf(stderr, "mprof: cannot write %s: %s; the program runs unrecorded\n", log_path,
			open_error_text(&error, status));
}

static void note_children(mprof_recorder *closed)
{
	const uint64_t children = atomic_load_explicit(&unrecorded_children, memory_order_relaxed);
	char text[24];

	if (children == 0)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, children);
	(void)mprof_recorder_set_property(closed, "unrecorded_children", text);
}

static int ends_early; /* Another program takes the place of this one: what is not freed then is no leak. */

/* After the log is complete. */
static void leave_copy(const char *words)
{
	static char pipe_path[MEMORY_COPY_PATH_SIZE];

	if (!ends_early && instrument_options_text(words, "leaks-pipe", pipe_path, sizeof(pipe_path)))
		memory_copy_make(pipe_path, log_path);
}

static void close_log(void)
{
	const char *words = getenv("MPROF_MALLOC_OPTIONS");
	mprof_recorder *closed = recorder;

	recorder = NULL;
	if (closed == NULL)
		return;
	native_control_stop();
	note_children(closed);
	if (mprof_recorder_close(closed) == MPROF_ERR_STATE)
		return;
	if (ring_bytes != 0)
		process_log_write_ring(closed, log_path, ring_gzip);
	if (!instrument_options_has(words, "quiet"))
		log_loss_print(closed, log_path);
	leave_copy(words);
	process_log_name(getenv("MPROF_MALLOC_OUTPUT"), words, log_path);
}

/*
 * Before the process ends at once or executes another program. Not if this thread was interrupted in the recorder or in
 * the allocator, whose locks it may hold.
 */
static int end_log(int executes)
{
	const thread_state before = state;

	if (recorder == NULL || getpid() != process || before == THREAD_BUSY || in_allocator != 0)
		return 0;
	state = THREAD_OFF;
	ends_early = executes;
	return bounded_call(close_log, END_WAIT_MS);
}

/* The program was not executed, so this one goes on, with a new log. */
static void begin_next_log(void)
{
	state = THREAD_BUSY;
	open_log(1);
	state = recorder != NULL ? THREAD_NEW : THREAD_OFF;
}

/* In the parent. A child has a log of its own under the same conditions as in begin_child(). */
static void count_child(void)
{
	const char *output = getenv("MPROF_MALLOC_OUTPUT");
	const int saved = errno;

	if (output == NULL || strstr(output, "%p") == NULL ||
	    instrument_options_has(getenv("MPROF_MALLOC_OPTIONS"), "parent"))
		atomic_fetch_add_explicit(&unrecorded_children, 1, memory_order_relaxed);
	errno = saved;
}

/* The log belongs to the parent. The child gets a log of its own if the pattern contains the process ID. */
static void begin_child(void)
{
	const char *output = getenv("MPROF_MALLOC_OUTPUT");
	const int saved = errno;

	state = THREAD_BUSY;
	if (recorder != NULL)
		native_control_forget();
	call_stack_begin_child();
	mprof_recorder_destroy(recorder);
	thread_names_forget();
	program_end_begin_child();
	own_memory_forget();
	frames = NULL;
	pthread_setspecific(thread_end, NULL);
	handle = NULL;
	recorder = NULL;
	if (output != NULL && strstr(output, "%p") != NULL)
		open_log(0);
	state = recorder != NULL ? THREAD_NEW : THREAD_OFF;
	errno = saved;
}

/* The program restricts its system calls. Which memory it has lost until then can still be found out. */
static void end_before_restriction(void)
{
	if (recorder == NULL || getpid() != process || state == THREAD_BUSY || in_allocator != 0)
		return;
	state = THREAD_OFF;
	ends_early = 0;
	(void)mprof_recorder_set_property(recorder, "recording_ended", RECORDING_ENDED_RESTRICTED);
	close_log();
}

static void count_other_child(void)
{
	if (recorder != NULL)
		atomic_fetch_add_explicit(&unrecorded_children, 1, memory_order_relaxed);
}

/* A child that fork() has not made is never recorded: nothing can be started in it. */
static void leave_child(void)
{
	state = THREAD_OFF;
	mprof_recorder_destroy(recorder);
	recorder = NULL;
	handle = NULL;
}

/* The libraries that are loaded, before one is closed and after. */
static void read_modules(void)
{
	const thread_state before = state;
	const int saved = errno;

	state = THREAD_BUSY;
	if (recorder != NULL)
		(void)mprof_recorder_update_modules(recorder);
	state = before;
	errno = saved;
}

static void record_allocated(void *memory, size_t size);
static void record_freed(void *memory);
static const void *get_last_recorded(void);
static void forget_last_recorded(void);
static int pause_recording(void);
static void resume_recording(int paused);

/*
 * The constructor of the C library, which runs before all others, sets the environment. An allocation that is made
 * earlier, by the loader, is not recorded.
 */
__attribute__((constructor)) static void begin_recording(void)
{
	static const operators_client client = {record_allocated,     record_freed,    get_last_recorded,
						forget_last_recorded, pause_recording, resume_recording};
	static const system_calls_client calls = {end_before_restriction, count_other_child, leave_child};
	int expected = STAGE_NONE;
	int saved = errno;

	if (environ == NULL || !atomic_compare_exchange_strong_explicit(&stage, &expected, STAGE_BEGINS,
									memory_order_acq_rel, memory_order_acquire))
		return;
	state = THREAD_BUSY;
	allocator_get();
	operators_begin(&client);
	call_stack_init();
	program_end_prepare(enter_own, leave_own);
	if (pthread_key_create(&thread_end, end_thread) == 0) {
		open_log(0);
		if (recorder != NULL) {
			pthread_atfork(NULL, count_child, begin_child);
			exec_calls_set(end_log, begin_next_log);
			unloads_set(read_modules, read_modules);
			system_calls_set(&calls);
		}
	}
	state = THREAD_NEW;
	atomic_store_explicit(&stage, STAGE_BEGUN, memory_order_release);
	errno = saved;
}

__attribute__((destructor)) static void end(void)
{
	state = THREAD_OFF;
	if (recorder != NULL && getpid() == process)
		close_log();
}

/* The first event of a thread. Returns 1 if it is recorded. */
static int begin_thread(void)
{
	int saved = errno;

	if (atomic_load_explicit(&stage, memory_order_acquire) != STAGE_BEGUN)
		begin_recording();
	if (atomic_load_explicit(&stage, memory_order_acquire) != STAGE_BEGUN || recorder == NULL)
		return 0;
	state = THREAD_BUSY;
	if (mprof_recorder_attach(recorder, 0, &handle) != MPROF_OK) {
		state = THREAD_OFF;
		errno = saved;
		return 0;
	}
	known_opening = atomic_load_explicit(&openings, memory_order_relaxed);
	pthread_setspecific(thread_end, handle);
	thread_names_begin(recorder, mprof_thread_get_id(handle));
	state = THREAD_RECORDING;
	errno = saved;
	return 1;
}

static inline int may_record(void)
{
	if (state == THREAD_RECORDING && known_opening == atomic_load_explicit(&openings, memory_order_relaxed))
		return recorder != NULL;
	return (state == THREAD_NEW || state == THREAD_RECORDING) && begin_thread();
}

static const void *get_last_recorded(void)
{
	return last_recorded != 0 ? (const void *)~last_recorded : NULL;
}

static void forget_last_recorded(void)
{
	note_last_recorded(NULL);
}

static int pause_recording(void)
{
	const thread_state before = state;

	if (before == THREAD_NEW || before == THREAD_RECORDING)
		state = THREAD_BUSY;
	return (int)before;
}

static void resume_recording(int paused)
{
	state = (thread_state)paused;
}

/* The memory for a call stack: not on the stack of the thread, which may be small. Returns how many frames it has. */
static size_t take_frames(void)
{
	if (frames == NULL)
		frames = own_memory.allocate(NULL, call_stack_room());
	return frames != NULL ? call_stack_take(walk, frames, depth) : 0;
}

static void record_allocated(void *memory, size_t size)
{
	size_t count;
	int saved = errno;

	if (memory == NULL || !may_record())
		return;
	state = THREAD_BUSY;
	note_last_recorded(memory);
	count = take_frames();
	mprof_thread_record_memory_allocated(handle, (uint64_t)(uintptr_t)memory, size, frames, count);
	state = THREAD_RECORDING;
	errno = saved;
}

static void record_freed(void *memory)
{
	if (!may_record())
		return;
	state = THREAD_BUSY;
	mprof_thread_record_memory_freed(handle, (uint64_t)(uintptr_t)memory, NULL, 0);
	state = THREAD_RECORDING;
}

static void record_resized(uint64_t old_address, uint64_t started, void *memory, size_t size)
{
	int saved = errno;
	size_t count;

	state = THREAD_BUSY;
	note_last_recorded(memory);
	count = take_frames();
	mprof_thread_record_memory_resized(handle, old_address, started, (uint64_t)(uintptr_t)memory, size, frames,
					   count);
	state = THREAD_RECORDING;
	errno = saved;
}

/* Calls a function of the allocator that is below this module. */
#define ALLOCATE(result, call)                                                                                         \
	do {                                                                                                           \
		in_allocator++;                                                                                        \
		(result) = allocator_get()->call;                                                                      \
		in_allocator--;                                                                                        \
	} while (0)

OVERRIDES void *malloc(size_t size)
{
	void *memory;

	ALLOCATE(memory, malloc(size));
	record_allocated(memory, size);
	return memory;
}

OVERRIDES void *calloc(size_t count, size_t size)
{
	void *memory;

	ALLOCATE(memory, calloc(count, size));
	record_allocated(memory, count * size);
	return memory;
}

OVERRIDES void free(void *memory)
{
	if (memory == NULL || allocator_early_room(memory) != 0)
		return;
	record_freed(memory);
	in_allocator++;
	allocator_get()->free(memory);
	in_allocator--;
}

/* Memory of the static area cannot be resized by the functions of the C library. */
static void *move_early(void *memory, size_t size)
{
	const size_t room = allocator_early_room(memory);
	void *moved = malloc(size);

	return moved != NULL ? memcpy(moved, memory, size < room ? size : room) : NULL;
}

OVERRIDES void *realloc(void *memory, size_t size)
{
	const uint64_t old_address = (uint64_t)(uintptr_t)memory;
	uint64_t started;
	void *resized;

	if (memory == NULL)
		return malloc(size);
	if (allocator_early_room(memory) != 0)
		return move_early(memory, size);
	if (!may_record()) {
		ALLOCATE(resized, realloc(memory, size));
		return resized;
	}
	/* A size of 0 frees the memory. */
	if (size == 0) {
		record_freed(memory);
		ALLOCATE(resized, realloc(memory, 0));
		record_allocated(resized, 0);
		return resized;
	}
	started = mprof_recorder_read_counter(recorder);
	ALLOCATE(resized, realloc(memory, size));
	if (resized != NULL)
		record_resized(old_address, started, resized, size);
	return resized;
}

/* As in the C library, which calls realloc(). */
OVERRIDES void *reallocarray(void *memory, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(memory, bytes);
}

/* C23: an allocator that needs the size finds it out. */
OVERRIDES void free_sized(void *memory, size_t size);
OVERRIDES void free_sized(void *memory, size_t size)
{
	(void)size;
	free(memory);
}

OVERRIDES void free_aligned_sized(void *memory, size_t alignment, size_t size);
OVERRIDES void free_aligned_sized(void *memory, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	free(memory);
}

OVERRIDES void *aligned_alloc(size_t alignment, size_t size)
{
	void *memory;

	ALLOCATE(memory, aligned_alloc(alignment, size));
	record_allocated(memory, size);
	return memory;
}

OVERRIDES void *memalign(size_t alignment, size_t size)
{
	void *memory;

	ALLOCATE(memory, memalign(alignment, size));
	record_allocated(memory, size);
	return memory;
}

OVERRIDES int posix_memalign(void **memory, size_t alignment, size_t size)
{
	int error;

	ALLOCATE(error, posix_memalign(memory, alignment, size));
	if (error == 0)
		record_allocated(*memory, size);
	return error;
}

OVERRIDES void *valloc(size_t size)
{
	void *memory;

	ALLOCATE(memory, valloc(size));
	record_allocated(memory, size);
	return memory;
}

OVERRIDES void *pvalloc(size_t size)
{
	void *memory;

	ALLOCATE(memory, pvalloc(size));
	record_allocated(memory, size);
	return memory;
}
