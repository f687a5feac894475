/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_own_thread.c
 * \brief The threads of a recorder allocate memory only with the recorder's allocator, and the writer thread waits for
 * no thread that may wait for it: a program that records its own calls of malloc() depends on both.
 *
 * The malloc() family of this program replaces that of the C library for all loaded libraries, and counts the calls of
 * the writer thread and of drain threads.
 */
#include "recorded_log.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A sanitizer has a malloc() of its own, and other C libraries have no second name for theirs. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_CALLS 1
#else
#define COUNTS_CALLS 0
#endif

static _Thread_local int on_own_thread;
static _Atomic unsigned calls;

#if COUNTS_CALLS

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void count(void)
{
	if (on_own_thread)
		atomic_fetch_add(&calls, 1);
}

void *malloc(size_t size)
{
	count();
	return __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
	count();
	return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size)
{
	count();
	return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size)
{
	count();
	return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	count();
	return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	count();
	*memory = __libc_memalign(alignment, size);
	return *memory != NULL ? 0 : ENOMEM;
}

void free(void *memory)
{
	count();
	__libc_free(memory);
}

#else
#define __libc_malloc malloc
#define __libc_realloc realloc
#define __libc_free free
#endif

static _Thread_local int has_requested;
static _Atomic int requesting_threads; /* Threads of recorders that have requested memory. */

static void note_request(void)
{
	if (on_own_thread && !has_requested)
		atomic_fetch_add(&requesting_threads, 1);
	has_requested = on_own_thread;
}

static void *own_allocate(void *user, size_t size)
{
	(void)user;
	note_request();
	return __libc_malloc(size);
}

static void *own_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	note_request();
	return __libc_realloc(memory, new_size);
}

static void own_release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	__libc_free(memory);
}

static const mprof_allocator own_allocator = {sizeof(mprof_allocator), own_allocate, own_reallocate, own_release, NULL};

static _Atomic int started;
static _Atomic int ended;

static void note_start(void *user)
{
	cr_assert_eq(user, &started);
	atomic_fetch_add(&started, 1);
	on_own_thread = 1;
}

static void note_end(void *user)
{
	cr_assert_eq(user, &started);
	atomic_fetch_add(&ended, 1);
	on_own_thread = 0;
}

static mprof_writer_options writer_options;

static void options_init(mprof_recorder_options *options)
{
	mprof_writer_options_init(&writer_options, sizeof(writer_options));
	writer_options.allocator = &own_allocator;
	mprof_recorder_options_init(options, sizeof(*options));
	options->writer = &writer_options;
	options->allocator = &own_allocator;
	options->buffer_events = 128;
	options->max_buffers = 2;
	options->thread_started = note_start;
	options->thread_ended = note_end;
	options->thread_user = &started;
	options->allocation_detail = MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT;
	options->track_objects = 1;
}

enum { CLASSES = 300, METHODS = 300, CLASS = 0x10000, METHOD = 0x90000 };

static void define_keys(mprof_recorder *recorder)
{
	char name[64];

	for (uint64_t i = 0; i < CLASSES; i++) {
		snprintf(name, sizeof(name), "Space.Class%d", (int)i);
		define_class(recorder, CLASS + i * 8, name);
	}
	for (uint64_t i = 0; i < METHODS; i++) {
		snprintf(name, sizeof(name), "Method%d ()", (int)i);
		define_method(recorder, METHOD + i * 8, CLASS + i % CLASSES * 8, name);
	}
}

/* Addresses throughout a library: those of the functions that it exports. */
static size_t frames_of(void *library, const char *const *names, size_t count, mprof_frame *frames)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		void *address = dlsym(library, names[i]);

		if (address != NULL)
			frames[found++] = ((uint64_t)(uintptr_t)address + 3) | MPROF_FRAME_NATIVE;
	}
	return found;
}

static void record_calls(mprof_recorder *recorder, mprof_thread *thread, void *library, uint64_t round)
{
	static const char *const names[] = {"deflate", "inflate", "crc32",   "adler32", "zlibVersion", "compress",
					    "printf",  "qsort",   "fopen64", "getenv",  "regcomp",     "memcpy"};
	mprof_frame frames[32];
	size_t count = frames_of(library, names, 6, frames);

	count += frames_of(RTLD_DEFAULT, names + 6, 6, frames + count);
	frames[count++] = (uint64_t)(uintptr_t)&record_calls | MPROF_FRAME_NATIVE;
	frames[count++] = 1 | MPROF_FRAME_NATIVE;
	for (uint64_t i = 0; i < 400; i++) {
		uint64_t method = METHOD + i % METHODS * 8;

		frames[count] = method;
		mprof_thread_enter_method(thread, method);
		mprof_thread_record_allocation_detailed(thread, CLASS + i % CLASSES * 8, 16 + i,
							0x100000 + round * 0x100000 + i * 64, frames + i % count,
							count + 1 - i % count);
		/* Keys that are not defined. */
		mprof_thread_record_event(thread, MPROF_EVENT_EXCEPTION, 0, 0x700000 + i * 8);
		mprof_recorder_record_sample(recorder, 7, frames + i % count, count + 1 - i % count);
		mprof_thread_record_handle_created(thread, i, MPROF_HANDLE_NORMAL, CLASS, 0x100000, frames, 3);
		mprof_thread_leave_method(thread, method);
	}
}

static void take_shot(mprof_recorder *recorder, uint64_t round)
{
	uint64_t last = 0;

	cr_assert(mprof_recorder_begin_heap(
		recorder, MPROF_HEAP_USE_SHOT | MPROF_HEAP_USE_FREED | MPROF_HEAP_USE_SUMMARY, (uint32_t)round + 1));
	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t object = 0x100000 + round * 0x100000 + i * 64;

		mprof_recorder_add_heap_object(recorder, object, CLASS + i % CLASSES * 8, 16 + i % 400, &last, NULL,
					       last != 0);
		if (i % 10 == 0)
			mprof_recorder_add_heap_root(recorder, MPROF_ROOT_STATIC, 0x5000000 + i * 8, object);
		last = object;
	}
	mprof_recorder_end_heap(recorder);
	mprof_recorder_add_heap_move(recorder, 0x100000, 0x200000);
}

static void tell_facts(mprof_recorder *recorder, uint64_t round)
{
	char name[32];
	mprof_metric_value value = {.value = round};
	mprof_element element = {.struct_size = sizeof(element)};

	snprintf(name, sizeof(name), "fact %d", (int)round);
	cr_assert_eq(mprof_recorder_define_metric(recorder, "Section", name, 0, &value.metric), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_metrics(recorder, &value, sizeof(value), 1), MPROF_OK);
	cr_assert_eq(mprof_recorder_record_mark(recorder, 7, name, strlen(name)), MPROF_OK);
	cr_assert_eq(mprof_recorder_set_thread_name(recorder, 7, name, strlen(name)), MPROF_OK);
	element.kind = MPROF_ELEMENT_MODULE;
	element.name = name;
	element.name_length = strlen(name);
	cr_assert_eq(mprof_recorder_record_loaded(recorder, 0x44000 + round, &element), MPROF_OK);
	for (uint64_t i = 0; i < 1500; i++) {
		mprof_root_area area = {.struct_size = sizeof(area),
					.start = 0x5000000 + (1500 - i) * 16 + round,
					.size = 12,
					.name = name};

		cr_assert_eq(mprof_recorder_register_root(recorder, &area), MPROF_OK);
	}
}

/* The deepest directory that the C library can name: functions that resolve paths then need memory for it. */
static void enter_deep_directory(void)
{
	char name[200];

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 10; i++)
		cr_assert(mkdir(name, 0700) == 0 && chdir(name) == 0);
}

static void copy_file(const char *from, const char *to)
{
	char bytes[65536];
	FILE *source = fopen(from, "rb");
	FILE *target = fopen(to, "wb");
	size_t length;

	cr_assert(source != NULL && target != NULL, "%s", from);
	while ((length = fread(bytes, 1, sizeof(bytes), source)) > 0)
		cr_assert_eq(fwrite(bytes, 1, length, target), length);
	fclose(source);
	cr_assert_eq(fclose(target), 0);
}

static char scratch[] = "/tmp/own-thread-XXXXXX";

/* A library that the program has not loaded yet, with a path relative to the current directory. */
static void prepare_library(void)
{
	void *zlib = dlopen("libz.so.1", RTLD_NOW);
	struct link_map *map;

	if (zlib == NULL)
		cr_skip("libz.so.1 is missing");
	cr_assert_eq(dlinfo(zlib, RTLD_DI_LINKMAP, &map), 0);
	cr_assert_not_null(mkdtemp(scratch));
	cr_assert_eq(chdir(scratch), 0);
	enter_deep_directory();
	copy_file(map->l_name, "first.so");
	copy_file(map->l_name, "second.so");
	dlclose(zlib);
}

static void remove_scratch(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(system(command), 0);
}

/* Calls every function of a recorder, so that the writer thread does all kinds of work. */
static void record_everything(mprof_recorder *recorder)
{
	const mprof_key_range range = {METHOD, METHOD + 8};
	mprof_thread *thread;

	define_keys(recorder);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	for (uint64_t round = 0; round < 4; round++) {
		void *library = dlopen(round % 2 == 0 ? "./first.so" : "./second.so", RTLD_NOW | RTLD_LOCAL);

		cr_assert_not_null(library, "%s", dlerror());
		tell_facts(recorder, round);
		record_calls(recorder, thread, library, round);
		take_shot(recorder, round);
		cr_assert_eq(mprof_recorder_drain(recorder), MPROF_OK);
		dlclose(library);
		cr_assert_eq(mprof_recorder_retire_keys(recorder, &range, sizeof(range), 1), MPROF_OK);
	}
	mprof_thread_detach(thread);
}

static void check_stats(mprof_recorder *recorder)
{
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};

	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.status, MPROF_OK);
	cr_assert_eq(stats.heap_shots, 4);
	cr_assert_gt(stats.samples, 0);
	cr_assert_gt(stats.stacks, 20);
	cr_assert_gt(stats.waits, 0);
}

Test(own_thread, takes_no_memory_but_through_the_allocator, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_error error = {.struct_size = sizeof(error)};

	if (!COUNTS_CALLS)
		cr_skip("malloc() cannot be replaced");
	prepare_library();
	options_init(&options);
	writer_options.gzip_level = 6;
	cr_assert_eq(mprof_recorder_open_path("log.mprof", &options, &recorder, &error), MPROF_OK, "%s", error.what);
	record_everything(recorder);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	check_stats(recorder);
	mprof_recorder_destroy(recorder);
	remove_scratch();
	cr_assert_eq(atomic_load(&started), 1);
	cr_assert_eq(atomic_load(&ended), 1);
	cr_assert_eq(atomic_load(&calls), 0, "%u calls", atomic_load(&calls));
	recorded_log_free(&log);
}

Test(own_thread, takes_none_for_a_ring_either, .timeout = 120)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_error error = {.struct_size = sizeof(error)};

	if (!COUNTS_CALLS)
		cr_skip("malloc() cannot be replaced");
	prepare_library();
	options_init(&options);
	cr_assert_eq(mprof_recorder_open_ring(1 << 20, &options, &recorder, &error), MPROF_OK, "%s", error.what);
	record_everything(recorder);
	cr_assert_eq(mprof_recorder_dump_path(recorder, "ring.mprof", 6, &error), MPROF_OK, "%s", error.what);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	check_stats(recorder);
	mprof_recorder_destroy(recorder);
	remove_scratch();
	cr_assert_eq(atomic_load(&calls), 0, "%u calls", atomic_load(&calls));
}

static _Atomic int is_blocked;
static _Atomic int has_blocked;

/* Keeps nothing. Blocks the writer thread until all events are recorded, so that all threads have full buffers. */
static int discard(void *user, const void *bytes, size_t length)
{
	const struct timespec pause = {0, 1000000};

	(void)user;
	(void)bytes;
	(void)length;
	while (atomic_load(&is_blocked)) {
		atomic_store(&has_blocked, 1);
		nanosleep(&pause, NULL);
	}
	return 0;
}

static void *record_plain_calls(void *user)
{
	mprof_thread *thread;

	if (mprof_recorder_attach(user, 0, &thread) != MPROF_OK)
		return NULL;
	for (uint64_t i = 0; i < 30000; i++) {
		mprof_thread_enter_method(thread, METHOD + i % METHODS * 8);
		mprof_thread_leave_method(thread, METHOD + i % METHODS * 8);
	}
	mprof_thread_detach(thread);
	return NULL;
}

static void record_on_two_threads(mprof_recorder *recorder)
{
	const struct timespec pause = {0, 1000000};
	pthread_t threads[2];

	atomic_store(&has_blocked, 0);
	atomic_store(&is_blocked, 1);
	define_keys(recorder);
	/* The writer thread writes these events, so it does not drain one of the threads before the other has begun. */
	(void)record_plain_calls(recorder);
	while (!atomic_load(&has_blocked))
		nanosleep(&pause, NULL);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, record_plain_calls, recorder), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&is_blocked, 0);
}

Test(own_thread, takes_none_for_drain_threads, .timeout = 120)
{
	const mprof_sink sink = {sizeof(sink), discard, NULL, NULL, NULL};

	if (!COUNTS_CALLS)
		cr_skip("malloc() cannot be replaced");
	for (uint32_t codec = MPROF_CODEC_NONE; codec <= MPROF_CODEC_ZSTD; codec++) {
		mprof_recorder_options options;
		mprof_recorder *recorder;
		mprof_status status;

		options_init(&options);
		writer_options.codec = codec;
		options.buffer_events = 1024;
		options.max_buffers = 4096;
		options.drain_threads = 2;
		atomic_store(&requesting_threads, 0);
		status = mprof_recorder_open_sink(&sink, &options, &recorder, NULL);
		if (status == MPROF_ERR_UNSUPPORTED && codec != MPROF_CODEC_NONE)
			continue;
		cr_assert_eq(status, MPROF_OK);
		record_on_two_threads(recorder);
		cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
		mprof_recorder_destroy(recorder);
		cr_assert_geq(atomic_load(&requesting_threads), 2, "drain threads have worked");
	}
	cr_assert_eq(atomic_load(&calls), 0, "%u calls", atomic_load(&calls));
}

/* A client's function on the writer thread. */
typedef struct caller {
	mprof_recorder *recorder;
	mprof_thread *thread; /**< The handle of another thread, which waits meanwhile. */
	_Atomic int calls;
	char text[32];
} caller;

static int resolve(void *user, mprof_key key, mprof_description *description)
{
	caller *self = user;
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_key_range range = {key, key};
	mprof_thread *thread = self->thread;

	cr_assert_eq(mprof_recorder_attach(self->recorder, 0, &thread), MPROF_ERR_STATE);
	cr_assert_null(thread);
	cr_assert_eq(mprof_recorder_drain(self->recorder), MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_retire_keys(self->recorder, &range, sizeof(range), 1), MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_close(self->recorder), MPROF_ERR_STATE);
	cr_assert_eq(mprof_recorder_dump_path(self->recorder, "unused", 0, &error), MPROF_ERR_STATE);
	cr_assert_str_neq(error.what, "");
	mprof_recorder_destroy(self->recorder);
	/* Many more events than there are buffers for. */
	for (int i = 0; i < 1000; i++)
		mprof_thread_record_allocation(self->thread, 8, 8);
	atomic_fetch_add(&self->calls, 1);
	snprintf(self->text, sizeof(self->text), "Found%d", (int)key);
	description->name = self->text;
	description->name_length = strlen(self->text);
	return 0;
}

Test(own_thread, is_refused_what_would_wait_for_itself, .timeout = 120)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	caller self = {0};

	options_init(&options);
	options.resolve_class = resolve;
	options.resolve_user = &self;
	self.recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_attach(self.recorder, 7, &self.thread), MPROF_OK);
	mprof_thread_record_event(self.thread, MPROF_EVENT_EXCEPTION, 0, 8);
	cr_assert_eq(mprof_recorder_drain(self.recorder), MPROF_OK);
	cr_assert_eq(atomic_load(&self.calls), 1);
	cr_assert_eq(mprof_recorder_close(self.recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(self.recorder, &stats), MPROF_OK);
	/* Only events without a buffer were lost. */
	cr_assert_gt(stats.lost[MPROF_LOSS_NO_BUFFER], 0);
	cr_assert_eq(stats.events + stats.lost_events, 1001);
	mprof_recorder_destroy(self.recorder);
	recorded_log_free(&log);
}

/* Records while the loader's lock is held, as free() may do while a library is unloaded. */
static int record_within_loader(struct dl_phdr_info *info, size_t size, void *user)
{
	mprof_thread *thread = user;

	(void)info;
	(void)size;
	for (uint64_t i = 0; i < 3000; i++) {
		mprof_frame frames[] = {MPROF_FRAME_NATIVE | (0x1000 + i * 16), METHOD + i % METHODS * 8};

		mprof_thread_record_allocation_detailed(thread, CLASS, 16, 0x100000 + i * 64, frames, 2);
	}
	return 1;
}

/* The writer thread asks the loader for modules, and so waits for the thread that waits for a buffer. */
Test(own_thread, lets_a_thread_go_on_that_holds_the_lock_of_the_loader, .timeout = 60)
{
	recorded_log log = {0};
	mprof_recorder_options options;
	mprof_recorder_stats stats = {.struct_size = sizeof(stats)};
	mprof_recorder *recorder;
	mprof_thread *thread;

	options_init(&options);
	recorder = recorded_log_open(&log, &options);
	cr_assert_eq(mprof_recorder_attach(recorder, 7, &thread), MPROF_OK);
	dl_iterate_phdr(record_within_loader, thread);
	mprof_thread_detach(thread);
	cr_assert_eq(mprof_recorder_close(recorder), MPROF_OK);
	cr_assert_eq(mprof_recorder_get_stats(recorder, &stats), MPROF_OK);
	cr_assert_eq(stats.lost_events, stats.lost[MPROF_LOSS_NO_BUFFER]);
	cr_assert_eq(stats.events + stats.lost_events, 3000);
	mprof_recorder_destroy(recorder);
	recorded_log_free(&log);
}
