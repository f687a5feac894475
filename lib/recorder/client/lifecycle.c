/* SPDX-License-Identifier: MIT */
/* Opens and closes recorders, and runs the writer thread. */
#include "recorder/client/lifecycle.h"

#include <mprof/base.h>

#include "base/caller_structs.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "format/values/clock_conversion.h"
#include "format/values/dialect.h"
#include "io/sink.h"
#include "io/system.h"
#include "recorder/client/recorder_internal.h"
#include "recorder/drain/drain.h"
#include "recorder/drain/drain_buffer.h"
#include "recorder/drain/messages.h"
#include "recorder/drain/salvage_commit.h"
#include "recorder/threads/switches.h"
#include "recorder/threads/thread.h"
#include "recorder/threads/thread_attach.h"
#include "writer/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void retire_keys(recorder_drain *drain, const retire_request *request)
{
	mprof_thread *thread = recorder_threads(drain->shared);

	keys_retire(&drain->keys, request->ranges, request->count, counter_read(&drain->shared->counter));
	/* The leave of another method with the same key must not end a frame whose own leave was never recorded. */
	for (; thread != NULL; thread = thread->next)
		shadow_stack_forget(&thread->drain.stacks.initial, request->ranges, request->count);
	switches_forget(&drain->switched, request->ranges, request->count);
}

/*
 * Retires the keys of all requests that a round has served. Call it at the end of the round, before it is declared
 * complete.
 */
static void key_retirement_serve(recorder_drain *drain, uint64_t served)
{
	recorder_shared *shared = drain->shared;
	retire_request **link = &shared->retiring;
	retire_request *done = NULL;

	pthread_mutex_lock(&shared->state_lock);
	while (*link != NULL) {
		retire_request *request = *link;

		if (request->round <= served) {
			*link = request->next;
			request->next = done;
			done = request;
		} else {
			link = &request->next;
		}
	}
	pthread_mutex_unlock(&shared->state_lock);
	/* The threads that made the requests wait until the round is declared complete, so the requests still exist. */
	for (; done != NULL; done = done->next)
		retire_keys(drain, done);
}

/* Nested, because with another C library __GLIBC_PREREQ() is a syntax error even after &&. */
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 30)
#define HAS_SEM_CLOCKWAIT
#endif
#endif

#if defined(HAS_SEM_CLOCKWAIT)
/* Monotonic where possible: a step of the wall clock must not extend an interval. */
#define WAIT_CLOCK CLOCK_MONOTONIC
#define wait_until(semaphore, deadline) sem_clockwait(semaphore, CLOCK_MONOTONIC, deadline)
#else
#define WAIT_CLOCK CLOCK_REALTIME
#define wait_until(semaphore, deadline) sem_timedwait(semaphore, deadline)
#endif

/* Also for the client's callbacks: see mprof/recorder.h. */
#define OWN_STACK_SIZE ((size_t)1 << 20)

static void add_milliseconds(struct timespec *time, uint32_t milliseconds)
{
	time->tv_sec += milliseconds / 1000;
	time->tv_nsec += (long)(milliseconds % 1000) * 1000000;
	if (time->tv_nsec >= 1000000000) {
		time->tv_sec++;
		time->tv_nsec -= 1000000000;
	}
}

static void collect_stats(const recorder_drain *drain, mprof_recorder_stats *stats, mprof_writer_stats *log_stats)
{
	const recorder_output *output = drain->output;

	log_stats->struct_size = sizeof(*log_stats);
	mprof_writer_get_stats(output->writer, log_stats);
	stats->events = log_stats->events;
	stats->bytes = log_stats->sink_bytes;
	stats->log_bytes = log_stats->bytes;
	stats->left_out = log_stats->left_out;
	stats->unresolved_keys = drain->keys.unresolved;
	stats->methods = drain->keys.tables[SUBJECT_METHOD].next_id - 1;
	stats->classes = drain->keys.tables[SUBJECT_CLASS].next_id - 1;
	stats->lost_events = 0;
	for (int cause = 0; cause < LOSS_CAUSE_COUNT; cause++) {
		stats->lost[cause] = output->lost[cause];
		stats->lost_events += output->lost[cause];
	}
	stats->samples = drain->samples_written;
	stats->stacks = drain->stacks.count;
	stats->heap_shots = drain->heap.blocks.snapshots;
	stats->incomplete_shots = drain->heap.blocks.incomplete_shots;
	stats->status = output->status;
	stats->system_error = output->error.system_error;
}

/* Publishes the statistics of the round and wakes the threads that requested it. */
static void end_round(recorder_drain *drain, uint64_t served)
{
	recorder_shared *shared = drain->shared;

	pthread_mutex_lock(&shared->state_lock);
	collect_stats(drain, &shared->stats, &shared->log_stats);
	if (served > shared->drain_completed) {
		shared->drain_completed = served;
		wait_point_wake(&shared->drained);
	}
	pthread_mutex_unlock(&shared->state_lock);
}

/*
 * From here on, threads see that recording failed. Before end_round(), so that a thread that has waited for the round
 * sees it too. Returns 1 the first time.
 */
static int note_failure(recorder_drain *drain)
{
	if (drain->output->status == MPROF_OK || drain->has_failed)
		return 0;
	drain->has_failed = 1;
	atomic_store_explicit(&drain->shared->failed, (uint32_t)drain->output->status, memory_order_relaxed);
	return 1;
}

/* Waits for work. Returns 1 when buffers that are not full are due as well. */
static int wait_for_work(recorder_drain *drain, struct timespec *deadline)
{
	while (wait_until(&drain->shared->work, deadline) != 0) {
		if (errno == EINTR)
			continue;
		clock_gettime(WAIT_CLOCK, deadline);
		add_milliseconds(deadline, drain->interval_ms);
		return 1;
	}
	/* One round serves all posts so far. */
	while (sem_trywait(&drain->shared->work) == 0)
		;
	return 0;
}

/* Drains until the recorder is closed. */
static void drain_until_closed(recorder_drain *drain)
{
	recorder_shared *shared = drain->shared;
	recorder_output *output = drain->output;
	struct timespec deadline;
	uint64_t served = 0;
	int has_just_failed;
	int closing;

	clock_gettime(WAIT_CLOCK, &deadline);
	add_milliseconds(&deadline, drain->interval_ms);
	do {
		int partial = wait_for_work(drain, &deadline);
		uint64_t requested;

		/* Acquire, before the buffers are read: pairs with the stores in writer_thread_finish() and
		 * control_request_round(), so all events recorded before them are drained. In this order: no request is
		 * made after closing has begun, so the last round serves all. */
		closing = atomic_load_explicit(&shared->closing, memory_order_acquire);
		requested = atomic_load_explicit(&shared->drain_requested, memory_order_acquire);
		drain_round(drain, partial || closing || requested > served || drain_needs_watermark(drain), closing);
		served = requested;
		key_retirement_serve(drain, served);
		salvage_commit(drain);
		if (closing)
			output_close(output);
		output_count_lost(output, MPROF_LOSS_LIMIT, writer_take_refused_events(output->writer));
		has_just_failed = note_failure(drain);
		end_round(drain, served);
		/* No lock is held here, and no thread waits for this round any more. */
		if (has_just_failed && drain->failed != NULL)
			drain->failed(drain->failed_user, &output->error);
	} while (!closing);
}

/* The body of the writer thread. Everything in it allocates only through the recorder's allocator. */
static void *writer_thread_main(void *argument)
{
	recorder_drain *drain = argument;

	recorder_begin_own_thread(drain->shared);
	if (drain->thread_started != NULL)
		drain->thread_started(drain->thread_user);
	drain_until_closed(drain);
	if (drain->thread_ended != NULL)
		drain->thread_ended(drain->thread_user);
	recorder_end_own_thread(drain->shared);
	return NULL;
}

/*
 * Starts the writer thread, with all signals blocked. From then on the writer thread owns drain and its output.
 * Returns 0 if the system refuses.
 */
static int writer_thread_start(recorder_drain *drain, pthread_t *thread)
{
	pthread_attr_t attributes;
	sigset_t all;
	sigset_t before;
	int failed;

	/*
	 * The new thread inherits the mask: it must not handle signals of the profiled program, above all those for
	 * sampling.
	 */
	if (pthread_attr_init(&attributes) != 0)
		return 0;
	/* The default would take 8 MiB of the address space of the program. */
	(void)pthread_attr_setstacksize(&attributes, OWN_STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	drain_threads_start(&drain->threads, drain, &attributes);
	failed = pthread_create(thread, &attributes, writer_thread_main, drain);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
#if defined(__GLIBC__)
	if (!failed)
		pthread_setname_np(*thread, "mprof-writer");
#endif
	if (failed)
		drain_threads_finish(&drain->threads);
	return !failed;
}

/* Makes the writer thread write everything and then END, and waits until the thread has ended. */
static void writer_thread_finish(recorder_shared *shared, pthread_t thread)
{
	/*
	 * Sequentially consistent, because threads that wait load it after they are counted. Its release
	 * part pairs with the acquire in drain_until_closed(), whose last round drains all earlier events.
	 */
	atomic_store(&shared->closing, 1);
	sem_post(&shared->work);
	pthread_mutex_lock(&shared->wait_lock);
	wait_point_wake(&shared->buffers_free);
	wait_point_wake(&shared->room_free);
	pthread_mutex_unlock(&shared->wait_lock);
	pthread_join(thread, NULL);
}

#define DEFAULT_BUFFER_EVENTS 4096
#define DEFAULT_MAX_BUFFERS 512
#define DEFAULT_DRAIN_INTERVAL_MS 1000
#define DEFAULT_MAX_NAME_LENGTH (UINT64_C(1) << 20)
#define DEFAULT_MAX_SAMPLE_BYTES (UINT64_C(1) << 20)
#define DEFAULT_MAX_HEAP_BYTES (UINT64_C(512) << 20)

/* Longer units would not make smaller logs. */
#define MAX_RESOLUTION_NS 10000

/* The widest event, with the longest call stack, fits twice. */
#define MIN_BUFFER_EVENTS 128

#define OWN_DIRECTIVES                                                                                                 \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |        \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_FLAGS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |     \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) |     \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |                                                        \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS) |                                                     \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |    \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SOURCE_LINES))

void mprof_recorder_options_init(mprof_recorder_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

/* What a plain sample can stand for, as readers accept it. */
#define MIN_SAMPLE_INTERVAL_NS 1000
#define MAX_SAMPLE_INTERVAL_NS UINT64_C(10000000000)

static int recorder_options_are_valid(const mprof_recorder_options *copy)
{
	const uint32_t details =
		MPROF_ALLOCATION_DETAIL_CALLER | MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT;

	return copy->buffer_events >= MIN_BUFFER_EVENTS && copy->buffer_events <= 1048576 && copy->max_buffers >= 2 &&
	       copy->max_buffers <= 65536 && copy->overflow <= MPROF_OVERFLOW_DROP && copy->keys_are_ids <= 1 &&
	       copy->keys_are_functions <= 1 && copy->keys_are_ids + copy->keys_are_functions <= 1 &&
	       copy->machine_ticks <= 1 && (copy->property_count == 0 || copy->properties != NULL) &&
	       (copy->allocation_detail & ~details) == 0 && copy->start_disabled <= 1 &&
	       copy->max_sample_bytes >= UINT64_C(64) << 10 && copy->max_sample_bytes <= UINT64_C(1) << 30 &&
	       copy->max_heap_bytes >= UINT64_C(1) << 20 && copy->max_message_bytes >= UINT64_C(64) << 10 &&
	       copy->max_message_bytes <= UINT64_C(1) << 30 && copy->track_objects <= 1 && copy->without_symbols <= 1 &&
	       copy->exception_stacks <= 1 && copy->thread_times <= 1 && copy->exception_clauses <= 1 &&
	       copy->heap_offsets <= 1 && copy->method_code <= 1 && copy->event_rows <= 1 &&
	       copy->resolution_ns <= MAX_RESOLUTION_NS && (copy->resolution_ns == 0 || copy->counter == NULL) &&
	       copy->sample_clock <= MPROF_SAMPLE_CLOCK_REAL &&
	       (copy->sample_interval_ns == 0 || (copy->sample_interval_ns >= MIN_SAMPLE_INTERVAL_NS &&
						  copy->sample_interval_ns <= MAX_SAMPLE_INTERVAL_NS)) &&
	       copy->drain_threads <= MAX_DRAIN_THREADS && copy->without_index <= 1 && copy->object_events <= 1 &&
	       (copy->counters_per_second == 0 || (copy->counter != NULL && rate_is_valid(copy->counters_per_second)));
}

static mprof_status copy_options(mprof_recorder_options *copy, mprof_writer_options *writer,
				 const mprof_recorder_options *input)
{
	if (struct_copy_in(copy, input, sizeof(*copy)) != MPROF_OK ||
	    struct_copy_in(writer, copy->writer, sizeof(*writer)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	if (copy->buffer_events == 0)
		copy->buffer_events = DEFAULT_BUFFER_EVENTS;
	if (copy->max_buffers == 0)
		copy->max_buffers = DEFAULT_MAX_BUFFERS;
	if (copy->drain_interval_ms == 0)
		copy->drain_interval_ms = DEFAULT_DRAIN_INTERVAL_MS;
	if (copy->max_sample_bytes == 0)
		copy->max_sample_bytes = DEFAULT_MAX_SAMPLE_BYTES;
	if (copy->max_heap_bytes == 0)
		copy->max_heap_bytes = DEFAULT_MAX_HEAP_BYTES;
	if (copy->max_message_bytes == 0)
		copy->max_message_bytes = MESSAGE_QUEUE_DEFAULT_BYTES;
	return recorder_options_are_valid(copy) ? MPROF_OK : MPROF_ERR_ARGUMENT;
}

/* Checks and applies the options that need neither I/O nor memory. */
static mprof_recorder *create_recorder(const mprof_recorder_options *options, const mprof_allocator *allocator)
{
	mprof_recorder *recorder = allocator_allocate_zeroed(allocator, sizeof(*recorder));
	recorder_shared *shared;
	recorder_drain *drain;

	if (recorder == NULL)
		return NULL;
	shared = &recorder->shared;
	drain = &recorder->drain;
	if (!recorder_init_locks(shared) || !known_types_init(&shared->types, allocator) ||
	    !known_clocks_init(&shared->clocks, allocator) ||
	    pthread_mutex_init(&recorder->control.dump_lock, NULL) != 0) {
		allocator_release(allocator, recorder, sizeof(*recorder));
		return NULL;
	}
	shared->allocator = *allocator;
	shared->overflow = options->overflow;
	shared->wake_buffers = options->max_buffers < 4 ? 1 : options->max_buffers / 4;
	shared->keys_are_ids = options->keys_are_ids != 0;
	shared->records_thread_times = options->thread_times != 0;
	atomic_init(&shared->enabled, !options->start_disabled);
	fork_guard_init(&shared->origin);
	counter_init(&shared->counter, options->counter, options->counter_user, options->machine_ticks != 0,
		     &recorder->drain.rate.start);
	counter_set_resolution(&shared->counter, options->resolution_ns, &recorder->drain.rate.start);
	recorder->output.counter_shift = shared->counter.log_shift;
	error_clear(&recorder->output.error);
	drain->shared = shared;
	drain->output = &recorder->output;
	drain->buffer_events = options->buffer_events;
	drain->interval_ms = options->drain_interval_ms;
	drain->failed = options->failed;
	drain->failed_user = options->failed_user;
	drain->thread_started = options->thread_started;
	drain->thread_ended = options->thread_ended;
	drain->thread_user = options->thread_user;
	drain->threads.wanted = options->drain_threads;
	drain->keys.resolve[SUBJECT_METHOD] = options->resolve_method;
	drain->keys.resolve[SUBJECT_CLASS] = options->resolve_class;
	drain->keys.resolve_user = options->resolve_user;
	drain->keys.functions = options->keys_are_functions ? &drain->stacks.code : NULL;
	event_collector_init(&drain->block.events, allocator);
	root_table_init(&drain->roots, allocator, &drain->keys);
	metric_table_init(&drain->metrics, allocator, &shared->messages.allocator, drain->output);
	written_types_init(&drain->types, allocator, &shared->messages.allocator, &drain->keys,
			   &drain->stacks.positions, drain->output, &shared->counter);
	stack_table_init(&drain->switched, allocator, sizeof(switched_stack));
	return recorder;
}

/* No overflow: the options limit the count. One more for a repeated switch. */
static size_t events_size(uint32_t buffer_events)
{
	return ((size_t)buffer_events + 1) * sizeof(mprof_event);
}

/* Wide events have two slots or more. */
static size_t details_size(uint32_t buffer_events)
{
	return (size_t)(buffer_events / 2) * sizeof(mprof_event_detail);
}

/*
 * The shared part is first, since the tables of the writer thread refer to it. release_recorder() frees what was
 * created, also after a failure.
 */
static int create_shared(recorder_shared *shared, const mprof_recorder_options *options)
{
	salvage_area *area = shared->salvage.header != NULL ? &shared->salvage.area : NULL;

	message_queue_init(&shared->messages, &shared->allocator, (size_t)options->max_message_bytes, area,
			   area != NULL ? &shared->salvage.header->message_sequence : NULL);
	return buffer_pool_init(&shared->pool, options->max_buffers, options->buffer_events, area) &&
	       sample_store_init(&shared->samples, options->max_sample_bytes, area) &&
	       heap_recording_init(&shared->heap, options->max_heap_bytes, area);
}

static int create_tables(recorder_drain *drain, const mprof_recorder_options *options)
{
	const mprof_allocator *allocator = &drain->shared->allocator;

	int has_keys = keys_init(&drain->keys, drain->shared, drain->output);

	if (drain->shared->salvage.header != NULL)
		salvage_journal_init(&drain->keys.journal, &drain->shared->salvage.area);

	/* Before anything can fail: destroying it frees the chunks of the shared part. */
	heap_drain_init(&drain->heap, drain->shared, &drain->keys, &drain->roots, options->track_objects != 0);
	drain->heap.types = &drain->types;
	drain->events = allocator_allocate(allocator, events_size(options->buffer_events));
	drain->details = allocator_allocate(allocator, details_size(options->buffer_events));
	return has_keys && drain->events != NULL && drain->details != NULL &&
	       stack_store_init(&drain->stacks, drain->shared, &drain->keys, &drain->types.texts, options);
}

static void release_messages(recorder_shared *shared)
{
	message *remaining = message_queue_take(&shared->messages);

	while (remaining != NULL) {
		message *next = remaining->next;

		message_queue_release(&shared->messages, remaining);
		remaining = next;
	}
}

static void release_threads(recorder_shared *shared)
{
	while (shared->threads != NULL) {
		mprof_thread *next = shared->threads->next;

		thread_release(shared->threads);
		shared->threads = next;
	}
}

static void release_drain(recorder_drain *drain)
{
	const mprof_allocator *allocator = &drain->shared->allocator;

	keys_destroy(&drain->keys);
	switches_destroy(&drain->switched);
	stack_order_destroy(drain);
	metric_table_destroy(&drain->metrics);
	written_types_destroy(&drain->types);
	root_table_destroy(&drain->roots);
	stack_store_destroy(&drain->stacks);
	heap_drain_destroy(&drain->heap);
	event_collector_destroy(&drain->block.events);
	drain_threads_destroy(&drain->threads, allocator);
	allocator_release(allocator, drain->events, events_size(drain->buffer_events));
	allocator_release(allocator, drain->details, details_size(drain->buffer_events));
}

static void release_recorder(mprof_recorder *recorder)
{
	recorder_shared *shared = &recorder->shared;
	mprof_allocator allocator = shared->allocator;

	release_messages(shared);
	release_threads(shared);
	mprof_writer_destroy(recorder->output.writer);
	release_drain(&recorder->drain);
	sample_store_destroy(&shared->samples);
	block_ring_destroy(recorder->control.ring);
	buffer_pool_destroy(&shared->pool);
	salvage_destroy(&shared->salvage, &allocator);
	fork_guard_destroy(&shared->origin);
	known_types_destroy(&shared->types);
	known_clocks_destroy(&shared->clocks);
	recorder_destroy_locks(shared);
	pthread_mutex_destroy(&recorder->control.dump_lock);
	allocator_release(&allocator, recorder, sizeof(*recorder));
}

/* The directive for call stacks of allocations. */
static mprof_directive stack_directive(uint64_t known)
{
	return (known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)) != 0
		       ? MPROF_DIRECTIVE_ALLOCATION_STACK_ID
		       : MPROF_DIRECTIVE_ALLOCATION_STACK;
}

/*
 * Whether other events than allocations have call stacks: in bytes of their own or in stack sections.
 */
static int has_stacks(uint64_t known, uint64_t declared)
{
	return (known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS)) != 0 ||
	       (declared & known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0;
}

/* Declares the directives that the recorder uses and the dialect supports. */
static void declare_own_directives(uint64_t known, mprof_writer_options *writer_options, int is_ring)
{
	writer_options->directives.bits[0] |= (OWN_DIRECTIVES & known) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	/* Implicit leaves depend on earlier events, which may be evicted. */
	if (is_ring)
		writer_options->directives.bits[0] &= ~MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE);
}

/*
 * Declares what allocations contain in addition to class and size. Returns the requested bits of
 * #mprof_allocation_detail that the dialect supports. Others are refused by the writer, or counted if it is lossy.
 */
static uint32_t declare_details(uint64_t known, uint32_t wanted, mprof_writer_options *writer_options)
{
	const struct {
		uint32_t detail;
		mprof_directive directive;
	} details[] = {
		{MPROF_ALLOCATION_DETAIL_CALLER, MPROF_DIRECTIVE_ALLOCATION_CALLER},
		{MPROF_ALLOCATION_DETAIL_STACK, stack_directive(known)},
		{MPROF_ALLOCATION_DETAIL_OBJECT, MPROF_DIRECTIVE_ALLOCATION_OBJECT},
	};
	uint32_t kept = 0;

	for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		if ((wanted & details[i].detail) == 0)
			continue;
		writer_options->directives.bits[0] |= MPROF_DIRECTIVE_BIT(details[i].directive);
		if ((known & MPROF_DIRECTIVE_BIT(details[i].directive)) != 0)
			kept |= details[i].detail;
	}
	return kept;
}

/* Like declare_details(), for call stacks of exceptions: returns DETAIL_EXCEPTION_STACKS or 0. */
static uint32_t declare_exception_stacks(uint64_t known, mprof_writer_options *writer_options)
{
	const uint64_t directive = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID);

	writer_options->directives.bits[0] |= directive;
	return (known & directive) != 0 ? DETAIL_EXCEPTION_STACKS : 0;
}

/* Like declare_details(), for offsets of references in heap snapshots: returns DETAIL_HEAP_OFFSETS or 0. */
static uint32_t declare_heap_offsets(uint64_t known, mprof_writer_options *writer_options)
{
	const uint64_t directive = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS);

	writer_options->directives.bits[0] |= directive;
	return (known & directive) != 0 ? DETAIL_HEAP_OFFSETS : 0;
}

/* Describes the log for the writer thread. */
static void describe_log(recorder_output *output, const dialect_rules *rules, uint64_t declared, int is_ring)
{
	output->repeats_switches = is_ring;
	output->methods_need_class = rules != NULL && rules->methods_need_class;
	output->numbers_snapshots_like_collections = rules != NULL && rules->numbers_snapshots_like_collections;
	output->has_session = rules != NULL && dialect_has_block(rules, MPROF_BLOCK_SESSION);
	output->has_positions = rules != NULL && dialect_has_block(rules, MPROF_BLOCK_POSITIONS);
	output->has_heap_blocks = rules != NULL && dialect_has_block(rules, MPROF_BLOCK_HEAP_DATA);
	output->has_heap_notes = rules != NULL && dialect_has_block(rules, MPROF_BLOCK_OBJECT_LABELS);
	output->implicit_leaves = (declared & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)) != 0;
}

static void choose_format(mprof_recorder *recorder, const mprof_recorder_options *options,
			  mprof_writer_options *writer_options, int is_ring)
{
	const dialect_rules *rules = dialect_get((mprof_dialect)writer_options->dialect);
	uint64_t known = rules != NULL ? rules->directives : 0;
	recorder_shared *shared = &recorder->shared;

	/* The recorder measures the rate, or has its own option for it. */
	writer_options->counters_per_second = 0;
	writer_options->has_columns = !options->event_rows && rules != NULL && rules->column_code != 0;
	/* An index has an entry for every block, and blocks of a ring are evicted. */
	writer_options->has_index =
		!options->without_index && !is_ring && rules != NULL && dialect_has_block(rules, MPROF_BLOCK_INDEX);
	recorder->output.has_index = writer_options->has_index != 0;
	declare_own_directives(known, writer_options, is_ring);
	shared->detail = declare_details(known, options->allocation_detail, writer_options);
	if (options->exception_stacks)
		shared->detail |= declare_exception_stacks(known, writer_options);
	if (options->exception_clauses) {
		writer_options->directives.bits[0] |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES);
		shared->detail |= DETAIL_EXCEPTION_CLAUSES;
	}
	if (options->heap_offsets)
		shared->detail |= declare_heap_offsets(known, writer_options);
	if (options->method_code) {
		writer_options->directives.bits[0] |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_CODE);
		shared->detail |= DETAIL_METHOD_CODE;
	}
	if (options->object_events) {
		writer_options->directives.bits[0] |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_OBJECT_EVENTS);
		shared->detail |= DETAIL_OBJECT_EVENTS;
	}
	if ((writer_options->directives.bits[0] & known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS)) != 0)
		shared->detail |= DETAIL_MONITOR_HOLDERS;
	if (has_stacks(known, writer_options->directives.bits[0]))
		shared->detail |= DETAIL_STACKS;
	shared->takes_switches =
		(known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES)) != 0 || writer_options->lossy;
	shared->takes_types = (known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS)) != 0 || writer_options->lossy;
	shared->takes_clocks = (rules != NULL && dialect_has_block(rules, MPROF_BLOCK_CLOCKS)) || writer_options->lossy;
	shared->records_thread_times &= rules != NULL && dialect_has_block(rules, MPROF_BLOCK_METRICS);
	describe_log(&recorder->output, rules, writer_options->directives.bits[0], is_ring);
}

/* Stores what recovery needs to continue the log. */
static void describe_salvage(mprof_recorder *recorder, const recorder_destination *where,
			     const mprof_writer_options *writer_options, const char *log_path)
{
	salvage_header *header = recorder->shared.salvage.header;

	if (header == NULL)
		return;
	if (where->ring != NULL) {
		block_ring_use_area(where->ring, &recorder->shared.salvage.area);
		header->ring_bytes = where->ring->max_bytes;
	}
	salvage_set_log_path(&recorder->shared.salvage, log_path != NULL ? log_path : where->path);
	header->directives = writer_options->directives.bits[0];
	header->detail = recorder->shared.detail;
	header->max_name_length = recorder->shared.max_name_length;
	header->file_mode = recorder->control.file_mode;
	header->gzip_level = writer_options->gzip_level;
}

static mprof_status open_new_writer(mprof_recorder *recorder, const recorder_destination *where,
				    mprof_writer_options *options, const char *log_path)
{
	options->allocator = &recorder->shared.allocator;
	recorder->control.file_mode = options->file_mode != 0 ? options->file_mode : LOG_FILE_MODE;
	recorder->shared.max_name_length =
		options->max_name_length != 0 ? options->max_name_length : DEFAULT_MAX_NAME_LENGTH;
	describe_salvage(recorder, where, options, log_path);
	/*
	 * The blocks in a ring are plain, since those with events are evicted by their kind. The file that they are
	 * written to is compressed.
	 */
	if (where->ring != NULL) {
		options->gzip_level = 0;
		options->codec = MPROF_CODEC_NONE;
		options->codec_level = 0;
	}
	if (where->path != NULL)
		return mprof_writer_open_path(where->path, options, &recorder->output.writer);
	recorder->control.sink_is_taken = where->sink != NULL;
	if (where->sink != NULL)
		return mprof_writer_open_sink(where->sink, options, &recorder->output.writer);
	return mprof_writer_open_fd(where->fd, options, &recorder->output.writer);
}

/* Uses the directives that the process that ended declared, not those of the options. */
static void choose_format_again(mprof_recorder *recorder, const salvage_header *resumed,
				mprof_writer_options *writer_options, int is_ring)
{
	const dialect_rules *rules = dialect_get((mprof_dialect)writer_options->dialect);

	writer_options->directives.bits[0] = resumed->directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	/* Declared before the first type, the first position and the first metric that needs it, if there is one. */
	if (salvage_current_progress(resumed)->writer.defined[MPROF_RECORD_TYPE] > 0)
		mprof_number_set_add(&writer_options->directives, MPROF_DIRECTIVE_TYPED_EVENTS);
	if (salvage_current_progress(resumed)->writer.defined[MPROF_RECORD_POSITION] > 0)
		mprof_number_set_add(&writer_options->directives, MPROF_DIRECTIVE_POSITIONS);
	if (salvage_current_progress(resumed)->writer.has_sized_metrics)
		mprof_number_set_add(&writer_options->directives, MPROF_DIRECTIVE_SIZED_METRICS);
	recorder->shared.detail = resumed->detail;
	recorder->output.counter_shift = resumed->counter_shift;
	recorder->shared.takes_switches = 1;
	describe_log(&recorder->output, rules, resumed->directives, is_ring);
}

static mprof_status open_resumed_writer(mprof_recorder *recorder, const recorder_destination *where,
					mprof_writer_options *options)
{
	const salvage_progress *progress = salvage_current_progress(where->resumed);

	options->allocator = &recorder->shared.allocator;
	recorder->control.file_mode = where->resumed->file_mode;
	recorder->shared.max_name_length = options->max_name_length;
	if (where->ring != NULL)
		return writer_open_resumed_sink(where->sink, options, &progress->writer, &recorder->output.writer);
	return writer_open_resumed_fd(where->fd, options, &progress->writer, &recorder->output.writer);
}

/* The first blocks of a compressed log are a member. Returns 0 if it cannot be written, which ends the log. */
static int begin_tail(mprof_recorder *recorder)
{
	salvage_tail *tail = &recorder->drain.tail;

	output_note_status(&recorder->output, writer_end_member(recorder->output.writer));
	if (recorder->output.status != MPROF_OK)
		return 0;
	tail->area = &recorder->shared.salvage.area;
	salvage_tail_begin(tail, writer_stored_length(recorder->output.writer));
	writer_observe(recorder->output.writer, salvage_tail_append, tail);
	return 1;
}

/* Recovery continues after the first blocks of the log, which were written. */
static void begin_salvage(mprof_recorder *recorder, const recorder_destination *where,
			  const mprof_writer_options *writer_options)
{
	salvage_header *header = recorder->shared.salvage.header;

	if (header == NULL)
		return;
	header->counter_shift = recorder->output.counter_shift;
	header->log_is_file = where->ring != NULL || writer_is_regular_file(recorder->output.writer);
	recorder_read_clock(&recorder->shared, &header->clock);
	/* Pipes cannot be continued. */
	if (!header->log_is_file) {
		salvage_finish(&recorder->shared.salvage);
		return;
	}
	if (where->ring == NULL && writer_options->gzip_level != 0 && !begin_tail(recorder)) {
		salvage_finish(&recorder->shared.salvage);
		return;
	}
	/* Done here, because the program may die before the writer thread has run. */
	native_code_follow_modules(&recorder->drain.stacks.code);
	salvage_commit(&recorder->drain);
	header->first_checksum = writer_first_checksum(recorder->output.writer);
	header->checksum = salvage_header_checksum(header);
	atomic_store_explicit(&header->state, SALVAGE_RECORDING, memory_order_release);
}

static mprof_status write_session(mprof_recorder *recorder, const mprof_recorder_options *options)
{
	/*
	 * Refused here, if at all, for a dialect that has no SESSION: it has no LOST either, and losses must be
	 * reported.
	 */
	mprof_status status = session_begin(&recorder->drain, options);

	if (status == MPROF_OK && options->property_count > 0)
		status = mprof_writer_write_session(recorder->output.writer, options->properties,
						    options->property_size, options->property_count);
	return status == MPROF_OK ? mprof_writer_flush(recorder->output.writer) : status;
}

/* A small part of a limited log or ring, since a block that does not fit is lost as a whole, and evicted as a whole. */
static uint32_t choose_block_events(uint64_t max_bytes)
{
	const uint64_t events = max_bytes / 64;

	return max_bytes == 0 || events > EVENT_COLUMNS_MAX_EVENTS ? EVENT_COLUMNS_MAX_EVENTS : (uint32_t)events;
}

/*
 * The clock of the writer. Pairs with the same counter have the same time, so that it does not matter which of them a
 * reader has seen.
 */
static void read_log_clock(void *user, mprof_clock *clock)
{
	mprof_recorder *recorder = user;
	mprof_clock *last = &recorder->output.last_clock;

	if (recorder->output.has_next_clock)
		*clock = recorder->output.next_clock;
	else
		recorder_read_clock(&recorder->shared, clock);
	recorder->output.has_next_clock = 0;
	if (clock->counter == last->counter && last->time != 0)
		clock->time = last->time;
	*last = *clock;
}

static mprof_status begin_log(mprof_recorder *recorder, const recorder_destination *where,
			      const mprof_recorder_options *options, mprof_writer_options *writer_options)
{
	mprof_status status;

	recorder->drain.block.most_events =
		choose_block_events(where->ring != NULL ? where->ring->max_bytes : options->max_log_bytes);
	if (where->resumed != NULL) {
		choose_format_again(recorder, where->resumed, writer_options, where->ring != NULL);
		status = open_resumed_writer(recorder, where, writer_options);
	} else {
		choose_format(recorder, options, writer_options, where->ring != NULL);
		writer_options->clock = read_log_clock;
		writer_options->clock_user = recorder;
		status = open_new_writer(recorder, where, writer_options, options->salvage_log_path);
		if (status == MPROF_OK)
			writer_let_index_end(recorder->output.writer);
	}
	if (status == MPROF_OK && where->ring == NULL)
		status = writer_set_limit(recorder->output.writer, options->max_log_bytes);
	if (status != MPROF_OK || where->resumed != NULL)
		return status;
	status = write_session(recorder, options);
	if (status == MPROF_OK)
		begin_salvage(recorder, where, writer_options);
	return status;
}

static mprof_status begin_recording(mprof_recorder *recorder, const recorder_destination *where,
				    const mprof_recorder_options *options, mprof_writer_options *writer_options,
				    mprof_error *error)
{
	mprof_status status = begin_log(recorder, where, options, writer_options);

	if (status != MPROF_OK && recorder->output.writer != NULL)
		mprof_writer_get_error(recorder->output.writer, error);
	else if (status != MPROF_OK)
		error_set(error, status, MPROF_SEVERITY_FATAL, mprof_status_get_text(status));
	else if (where->resumed == NULL && !writer_thread_start(&recorder->drain, &recorder->control.writer_thread))
		status = error_set(error, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, "cannot create the writer thread");
	return status;
}

/* Creates a recorder and begins its log. After an error the caller releases *created. */
static mprof_status make_recorder(const recorder_destination *where, const mprof_recorder_options *options,
				  mprof_writer_options *writer_options, mprof_recorder **created, mprof_error *failure)
{
	mprof_allocator allocator;
	mprof_status status;
	int error;

	if (!allocator_init(&allocator, options->allocator))
		return MPROF_ERR_ARGUMENT;
	status = error_set(failure, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL,
			   "out of memory for the recorder and its buffers");
	*created = create_recorder(options, &allocator);
	if (*created == NULL)
		return status;
	error = salvage_create(&(*created)->shared.salvage, options,
			       options->salvage_log_path != NULL ? options->salvage_log_path : where->path, &allocator);
	if (error != 0 && error != ENOMEM) {
		error_set(failure, MPROF_ERR_IO, MPROF_SEVERITY_FATAL, "cannot create the salvage file");
		failure->system_error = error;
		return MPROF_ERR_IO;
	}
	if (error == 0 && create_shared(&(*created)->shared, options) && create_tables(&(*created)->drain, options)) {
		(*created)->output.ring = where->ring;
		status = begin_recording(*created, where, options, writer_options, failure);
	}
	return status;
}

mprof_status lifecycle_open(const recorder_destination *where, const mprof_recorder_options *options,
			    mprof_recorder **recorder, mprof_error *error)
{
	WITHOUT_CANCELLATION;
	mprof_recorder_options copy;
	mprof_writer_options writer_options;
	mprof_recorder *created = NULL;
	mprof_error failure;
	mprof_status status = MPROF_ERR_ARGUMENT;
	int sink_is_taken = 0;

	error_set(&failure, status, MPROF_SEVERITY_FATAL,
		  "invalid options: a value is out of range or struct_size is not set");
	if (recorder != NULL && copy_options(&copy, &writer_options, options) == MPROF_OK)
		status = make_recorder(where, &copy, &writer_options, &created, &failure);
	if (created != NULL && status != MPROF_OK) {
		sink_is_taken = created->control.sink_is_taken;
		salvage_finish(&created->shared.salvage);
		release_recorder(created);
		created = NULL;
	}
	if (status != MPROF_OK && !sink_is_taken)
		sink_refuse_functions(where->sink);
	if (status != MPROF_OK && error != NULL)
		error_copy(&failure, error);
	if (recorder != NULL)
		*recorder = created;
	return status;
}

static mprof_status refuse_destination(mprof_recorder **recorder, mprof_error *error)
{
	mprof_error failure;

	error_set(&failure, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_FATAL, "the path or the sink is NULL");
	if (error != NULL)
		error_copy(&failure, error);
	if (recorder != NULL)
		*recorder = NULL;
	return MPROF_ERR_ARGUMENT;
}

mprof_status mprof_recorder_open_path(const char *path, const mprof_recorder_options *options,
				      mprof_recorder **recorder, mprof_error *error)
{
	recorder_destination where = {.path = path, .fd = -1};

	if (path == NULL)
		return refuse_destination(recorder, error);
	return lifecycle_open(&where, options, recorder, error);
}

mprof_status mprof_recorder_open_fd(int fd, const mprof_recorder_options *options, mprof_recorder **recorder,
				    mprof_error *error)
{
	recorder_destination where = {.fd = fd};

	return lifecycle_open(&where, options, recorder, error);
}

mprof_status mprof_recorder_open_sink(const mprof_sink *sink, const mprof_recorder_options *options,
				      mprof_recorder **recorder, mprof_error *error)
{
	recorder_destination where = {.fd = -1, .sink = sink};

	if (sink == NULL)
		return refuse_destination(recorder, error);
	return lifecycle_open(&where, options, recorder, error);
}

/* Smaller ring buffers would contain little more than one buffer of events. */
#define MIN_RING ((uint64_t)1 << 20)

static int ring_sink_write(void *user, const void *bytes, size_t length)
{
	return block_ring_add(user, bytes, length);
}

static block_ring *create_ring(const mprof_recorder_options *options, uint64_t bytes)
{
	const dialect_rules *rules;
	mprof_allocator allocator;
	uint32_t dialect = MPROF_DIALECT_DEFAULT;

	if (!allocator_init(&allocator, options != NULL ? options->allocator : NULL))
		return NULL;
	if (options != NULL && options->writer != NULL)
		dialect = options->writer->dialect;
	rules = dialect_get((mprof_dialect)dialect);
	return rules != NULL ? block_ring_create(&allocator, rules, bytes) : NULL;
}

mprof_status mprof_recorder_open_ring(uint64_t bytes, const mprof_recorder_options *options, mprof_recorder **recorder,
				      mprof_error *error)
{
	mprof_sink sink = {sizeof(mprof_sink), ring_sink_write, NULL, NULL, NULL};
	recorder_destination where = {.fd = -1, .sink = &sink};
	block_ring *ring;
	mprof_status status;

	if (recorder != NULL)
		*recorder = NULL;
	if (recorder == NULL || bytes < MIN_RING) {
		if (error != NULL)
			error_set(error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_FATAL,
				  "the ring buffer is smaller than 1 MiB");
		return MPROF_ERR_ARGUMENT;
	}
	ring = create_ring(options, bytes);
	if (ring == NULL) {
		if (error != NULL)
			error_set(error, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, "out of memory for the ring buffer");
		return MPROF_ERR_MEMORY;
	}
	sink.user = ring;
	where.ring = ring;
	status = lifecycle_open(&where, options, recorder, error);
	if (status == MPROF_OK)
		(*recorder)->control.ring = ring;
	else
		block_ring_destroy(ring);
	return status;
}

mprof_status mprof_recorder_close(mprof_recorder *recorder)
{
	WITHOUT_CANCELLATION;
	mprof_status status;
	int closed;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	if (recorder_in_child(&recorder->shared))
		return MPROF_OK;
	if (recorder_on_own_thread(&recorder->shared))
		return MPROF_ERR_STATE;
	pthread_mutex_lock(&recorder->shared.state_lock);
	closed = recorder->shared.closed;
	recorder->shared.closed = 1;
	pthread_mutex_unlock(&recorder->shared.state_lock);
	if (closed)
		return MPROF_ERR_STATE;
	writer_thread_finish(&recorder->shared, recorder->control.writer_thread);
	drain_threads_finish(&recorder->drain.threads);
	pthread_mutex_lock(&recorder->shared.state_lock);
	status = (mprof_status)recorder->shared.stats.status;
	pthread_mutex_unlock(&recorder->shared.state_lock);
	/* A ring buffer is in no file before it is written out. */
	if (recorder->control.ring == NULL)
		salvage_finish(&recorder->shared.salvage);
	return status;
}

/*
 * In a child the log is still the parent's: ending it here would write into it a second time. Other threads may have
 * left tables and locks in any state, so these are not used; the mappings and the descriptor can be released in any
 * case.
 */
static void give_up_in_child(mprof_recorder *recorder)
{
	writer_give_up(recorder->output.writer);
	buffer_pool_destroy(&recorder->shared.pool);
	sample_store_destroy(&recorder->shared.samples);
}

mprof_status mprof_recorder_destroy(mprof_recorder *recorder)
{
	WITHOUT_CANCELLATION;
	mprof_status status;

	if (recorder == NULL)
		return MPROF_OK;
	if (recorder_on_own_thread(&recorder->shared))
		return MPROF_ERR_STATE;
	if (recorder_in_child(&recorder->shared)) {
		give_up_in_child(recorder);
		return MPROF_OK;
	}
	status = mprof_recorder_close(recorder);
	salvage_finish(&recorder->shared.salvage);
	release_recorder(recorder);
	/* MPROF_ERR_STATE: it was closed before, and that call has returned what happened. */
	return status == MPROF_ERR_STATE ? MPROF_OK : status;
}
