/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/lifecycle.c
 * \brief Opening, closing and freeing a recorder.
 */
#include "recorder/recorder_internal.h"

#include "base/error.h"
#include "base/options.h"
#include "format/dialect.h"
#include "recorder/writer_thread.h"
#include "io/log_file.h"
#include "writer/parts.h"

#include <mprof/version.h>

#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_BUFFER_EVENTS 4096
#define DEFAULT_MAX_BUFFERS 512
#define DEFAULT_DRAIN_INTERVAL_MS 1000
#define DEFAULT_MAX_NAME_LENGTH (UINT64_C(1) << 20)
#define DEFAULT_MAX_SAMPLE_BYTES (UINT64_C(1) << 20)
#define DEFAULT_MAX_HEAP_BYTES (UINT64_C(512) << 20)

/* A wide event with the longest call chain fits twice over. */
#define LEAST_BUFFER_EVENTS 128

#define OWN_DIRECTIVES                                                                                                 \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ELEMENT_IDS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) |        \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_METHOD_FLAGS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) |     \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) |     \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |                                                        \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS) |                                                     \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES) |    \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SOURCE_LINES))

/* Where the log goes: one of the three. */
typedef struct destination {
	const char *path;
	int fd;
	const mprof_sink *sink;
	int is_ring; /**< What is old will be dropped: leaves must not rest on events before them. */
} destination;

void mprof_recorder_options_init(mprof_recorder_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

void recorder_read_clock(void *user, mprof_clock *now)
{
	const mprof_recorder *recorder = user;
	struct timespec wall;

	now->counter = counter_read(&recorder->counter);
	clock_gettime(CLOCK_REALTIME, &wall);
	now->time = (uint64_t)wall.tv_sec * 1000000 + (uint64_t)wall.tv_nsec / 1000;
}

static int options_are_valid(const mprof_recorder_options *own)
{
	const uint32_t details =
		MPROF_ALLOCATION_DETAIL_CALLER | MPROF_ALLOCATION_DETAIL_STACK | MPROF_ALLOCATION_DETAIL_OBJECT;

	return own->buffer_events >= LEAST_BUFFER_EVENTS && own->buffer_events <= 1048576 && own->max_buffers >= 2 &&
	       own->max_buffers <= 65536 && own->overflow <= MPROF_OVERFLOW_DROP && own->keys_are_ids <= 1 &&
	       own->machine_ticks <= 1 && (own->property_count == 0 || own->properties != NULL) &&
	       (own->allocation_detail & ~details) == 0 && own->start_disabled <= 1 &&
	       own->max_sample_bytes >= UINT64_C(64) << 10 && own->max_sample_bytes <= UINT64_C(1) << 30 &&
	       own->max_heap_bytes >= UINT64_C(1) << 20 && own->track_objects <= 1 && own->without_symbols <= 1;
}

static mprof_status take_options(mprof_recorder_options *own, mprof_writer_options *writer,
				 const mprof_recorder_options *given)
{
	if (struct_copy_in(own, given, sizeof(*own)) != MPROF_OK ||
	    struct_copy_in(writer, own->writer, sizeof(*writer)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	if (own->buffer_events == 0)
		own->buffer_events = DEFAULT_BUFFER_EVENTS;
	if (own->max_buffers == 0)
		own->max_buffers = DEFAULT_MAX_BUFFERS;
	if (own->drain_interval_ms == 0)
		own->drain_interval_ms = DEFAULT_DRAIN_INTERVAL_MS;
	if (own->max_sample_bytes == 0)
		own->max_sample_bytes = DEFAULT_MAX_SAMPLE_BYTES;
	if (own->max_heap_bytes == 0)
		own->max_heap_bytes = DEFAULT_MAX_HEAP_BYTES;
	return options_are_valid(own) ? MPROF_OK : MPROF_ERR_ARGUMENT;
}

static int init_locks(mprof_recorder *recorder)
{
	return sem_init(&recorder->work, 0, 0) == 0 && pthread_mutex_init(&recorder->wait_lock, NULL) == 0 &&
	       pthread_cond_init(&recorder->buffers_free, NULL) == 0 &&
	       pthread_mutex_init(&recorder->threads_lock, NULL) == 0 &&
	       pthread_mutex_init(&recorder->state_lock, NULL) == 0 &&
	       pthread_cond_init(&recorder->drained, NULL) == 0 && pthread_mutex_init(&recorder->dump_lock, NULL) == 0;
}

static void destroy_locks(mprof_recorder *recorder)
{
	sem_destroy(&recorder->work);
	pthread_mutex_destroy(&recorder->wait_lock);
	pthread_cond_destroy(&recorder->buffers_free);
	pthread_mutex_destroy(&recorder->threads_lock);
	pthread_mutex_destroy(&recorder->state_lock);
	pthread_cond_destroy(&recorder->drained);
	pthread_mutex_destroy(&recorder->dump_lock);
}

/* All that needs no I/O. What was made is given back by release_all(), also after a failure. */
static mprof_recorder *create(const mprof_recorder_options *options, const mprof_allocator *allocator)
{
	mprof_recorder *recorder = allocator_allocate_zeroed(allocator, sizeof(*recorder));

	if (recorder == NULL)
		return NULL;
	if (!init_locks(recorder)) {
		allocator_release(allocator, recorder, sizeof(*recorder));
		return NULL;
	}
	recorder->allocator = *allocator;
	recorder->overflow = options->overflow;
	recorder->buffer_events = options->buffer_events;
	recorder->drain_interval_ms = options->drain_interval_ms;
	recorder->resolve[0] = options->resolve_method;
	recorder->resolve[1] = options->resolve_class;
	recorder->resolve_user = options->resolve_user;
	recorder->thread_started = options->thread_started;
	recorder->thread_ended = options->thread_ended;
	recorder->thread_user = options->thread_user;
	recorder->keys_are_ids = options->keys_are_ids != 0;
	atomic_init(&recorder->enabled, !options->start_disabled);
	fork_guard_init(&recorder->origin);
	error_clear(&recorder->error);
	counter_init(&recorder->counter, options->counter, options->counter_user, options->machine_ticks != 0);
	hash_map_init(&recorder->elements, allocator);
	stack_table_init(&recorder->switched, allocator, sizeof(switched_stack));
	return recorder;
}

/* One that fits: options bound the count. One more for a switch that is repeated. */
static size_t events_size(uint32_t buffer_events)
{
	return ((size_t)buffer_events + 1) * sizeof(mprof_event);
}

/* Wide events have two slots or more. */
static size_t details_size(uint32_t buffer_events)
{
	return (size_t)(buffer_events / 2) * sizeof(mprof_event_detail);
}

static int create_tables(mprof_recorder *recorder, const mprof_recorder_options *options)
{
	const mprof_allocator *allocator = &recorder->allocator;

	recorder->events = allocator_allocate(allocator, events_size(options->buffer_events));
	recorder->details = allocator_allocate(allocator, details_size(options->buffer_events));
	return recorder->events != NULL && recorder->details != NULL &&
	       buffer_pool_init(&recorder->pool, options->max_buffers, options->buffer_events) &&
	       key_table_init(&recorder->keys[0], &recorder->allocator, options->keys_are_ids != 0) &&
	       key_table_init(&recorder->keys[1], &recorder->allocator, options->keys_are_ids != 0) &&
	       sample_store_init(&recorder->samples, options->max_sample_bytes) &&
	       stack_store_init(&recorder->stacks, allocator, !options->without_symbols) &&
	       heap_store_init(&recorder->heap, allocator, options->max_heap_bytes, options->track_objects != 0);
}

static void release_all(mprof_recorder *recorder)
{
	mprof_allocator allocator = recorder->allocator;
	message *left = message_queue_take(&recorder->messages);

	while (left != NULL) {
		message *next = left->next;

		message_release(&allocator, left);
		left = next;
	}
	while (recorder->threads != NULL) {
		mprof_thread *next = recorder->threads->next;

		thread_release(recorder, recorder->threads);
		recorder->threads = next;
	}
	mprof_writer_destroy(recorder->writer);
	key_table_destroy(&recorder->keys[0]);
	key_table_destroy(&recorder->keys[1]);
	hash_map_destroy(&recorder->elements);
	switches_destroy(&recorder->switched);
	stack_order_destroy(recorder);
	metric_table_destroy(&recorder->metrics, &allocator);
	root_table_destroy(&recorder->roots, &allocator);
	sample_store_destroy(&recorder->samples);
	stack_store_destroy(&recorder->stacks);
	heap_store_destroy(&recorder->heap);
	recorder_release_ring(recorder->ring);
	allocator_release(&allocator, recorder->events, events_size(recorder->buffer_events));
	allocator_release(&allocator, recorder->details, details_size(recorder->buffer_events));
	buffer_pool_destroy(&recorder->pool);
	fork_guard_destroy(&recorder->origin);
	destroy_locks(recorder);
	allocator_release(&allocator, recorder, sizeof(*recorder));
}

/* What says that allocations have call chains. */
static mprof_directive stack_directive(uint64_t known)
{
	return (known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)) != 0
		       ? MPROF_DIRECTIVE_ALLOCATION_STACK_ID
		       : MPROF_DIRECTIVE_ALLOCATION_STACK;
}

/*
 * Whether other events than allocations have call chains: that is where their own bytes, or stack sections, say them.
 */
static int has_stacks(uint64_t known, uint64_t declared)
{
	return (known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS)) != 0 ||
	       (declared & known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0;
}

/* Declares what the recorder uses. What was asked for and the dialect lacks is refused, or counted when lossy. */
static void choose_directives(mprof_recorder *recorder, const mprof_recorder_options *options,
			      mprof_writer_options *writer_options, int is_ring)
{
	const dialect_rules *rules = dialect_get((mprof_dialect)writer_options->dialect);
	uint64_t known = rules != NULL ? rules->directives : 0;
	const struct {
		uint32_t detail;
		mprof_directive directive;
	} details[] = {
		{MPROF_ALLOCATION_DETAIL_CALLER, MPROF_DIRECTIVE_ALLOCATION_CALLER},
		{MPROF_ALLOCATION_DETAIL_STACK, stack_directive(known)},
		{MPROF_ALLOCATION_DETAIL_OBJECT, MPROF_DIRECTIVE_ALLOCATION_OBJECT},
	};

	writer_options->directives |= OWN_DIRECTIVES & known;
	if (is_ring)
		writer_options->directives &= ~MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE);
	for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
		if ((options->allocation_detail & details[i].detail) == 0)
			continue;
		writer_options->directives |= MPROF_DIRECTIVE_BIT(details[i].directive);
		if ((known & MPROF_DIRECTIVE_BIT(details[i].directive)) != 0)
			recorder->detail |= details[i].detail;
	}
	if (has_stacks(known, writer_options->directives))
		recorder->detail |= DETAIL_STACKS;
	recorder->takes_switches =
		(known & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_STACK_SWITCHES)) != 0 || writer_options->lossy;
	recorder->repeats_switches = is_ring;
	recorder->methods_need_class = rules != NULL && rules->methods_need_class;
	recorder->numbers_shots_like_collections = rules != NULL && rules->numbers_shots_like_collections;
	recorder->has_heap_blocks = rules != NULL && dialect_has_block(rules, MPROF_BLOCK_HEAP_DATA);
	recorder->implicit_leaves =
		(writer_options->directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)) != 0;
}

static mprof_status open_writer(mprof_recorder *recorder, const destination *where, mprof_writer_options *options)
{
	options->clock = recorder_read_clock;
	options->clock_user = recorder;
	options->allocator = &recorder->allocator;
	recorder->file_mode = options->file_mode != 0 ? options->file_mode : LOG_FILE_MODE;
	if (where->is_ring)
		options->gzip_level = 0;
	recorder->max_name_length = options->max_name_length != 0 ? options->max_name_length : DEFAULT_MAX_NAME_LENGTH;
	if (where->path != NULL)
		return mprof_writer_open_path(where->path, options, &recorder->writer);
	if (where->sink != NULL)
		return mprof_writer_open_sink(where->sink, options, &recorder->writer);
	return mprof_writer_open_fd(where->fd, options, &recorder->writer);
}

static mprof_status write_session(mprof_recorder *recorder, const mprof_recorder_options *options)
{
	mprof_property own[2];
	char counter[64];
	mprof_status status;

	counter_describe(&recorder->counter, counter, sizeof(counter));
	own[0] = (mprof_property){"recorder", "libmprof " MPROF_VERSION_STRING};
	own[1] = (mprof_property){"counter", counter};
	/*
	 * Refused here, if at all, for a dialect that has no SESSION: it has no LOST either, and losses must be told.
	 */
	status = mprof_writer_write_session(recorder->writer, own, sizeof(*own), 2);
	if (status == MPROF_OK && options->property_count > 0)
		status = mprof_writer_write_session(recorder->writer, options->properties, options->property_size,
						    options->property_count);
	return status == MPROF_OK ? mprof_writer_flush(recorder->writer) : status;
}

static mprof_status begin(mprof_recorder *recorder, const destination *where, const mprof_recorder_options *options,
			  mprof_writer_options *writer_options, mprof_error *error)
{
	mprof_status status;

	choose_directives(recorder, options, writer_options, where->is_ring);
	status = open_writer(recorder, where, writer_options);
	if (status == MPROF_OK && !where->is_ring)
		status = writer_set_limit(recorder->writer, options->max_log_bytes);
	if (status == MPROF_OK)
		status = write_session(recorder, options);
	if (status != MPROF_OK && recorder->writer != NULL)
		mprof_writer_get_error(recorder->writer, error);
	else if (status != MPROF_OK)
		error_set(error, status, MPROF_SEVERITY_FATAL, mprof_status_get_text(status));
	else if (!writer_thread_start(recorder))
		status = error_set(error, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, "the writer thread cannot be made");
	return status;
}

static mprof_status open_destination(const destination *where, const mprof_recorder_options *options,
				     mprof_recorder **recorder, mprof_error *error)
{
	mprof_recorder_options own;
	mprof_writer_options writer_options;
	mprof_allocator allocator;
	mprof_recorder *created = NULL;
	mprof_error failure;
	mprof_status status = MPROF_ERR_ARGUMENT;

	error_set(&failure, status, MPROF_SEVERITY_FATAL, "invalid options");
	if (recorder != NULL && take_options(&own, &writer_options, options) == MPROF_OK &&
	    allocator_init(&allocator, own.allocator)) {
		status = error_set(&failure, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, "no memory for a recorder");
		created = create(&own, &allocator);
		if (created != NULL && create_tables(created, &own))
			status = begin(created, where, &own, &writer_options, &failure);
	}
	if (created != NULL && status != MPROF_OK) {
		release_all(created);
		created = NULL;
	}
	if (status != MPROF_OK && error != NULL)
		error_copy(&failure, error);
	if (recorder != NULL)
		*recorder = created;
	return status;
}

mprof_status mprof_recorder_open_path(const char *path, const mprof_recorder_options *options,
				      mprof_recorder **recorder, mprof_error *error)
{
	destination where = {path, -1, NULL, 0};

	return open_destination(&where, options, path != NULL ? recorder : NULL, error);
}

mprof_status mprof_recorder_open_fd(int fd, const mprof_recorder_options *options, mprof_recorder **recorder,
				    mprof_error *error)
{
	destination where = {NULL, fd, NULL, 0};

	return open_destination(&where, options, recorder, error);
}

mprof_status mprof_recorder_open_sink(const mprof_sink *sink, const mprof_recorder_options *options,
				      mprof_recorder **recorder, mprof_error *error)
{
	destination where = {NULL, -1, sink, 0};

	return open_destination(&where, options, sink != NULL ? recorder : NULL, error);
}

mprof_status recorder_open_to_ring(const mprof_sink *sink, const mprof_recorder_options *options,
				   mprof_recorder **recorder, mprof_error *error)
{
	destination where = {NULL, -1, sink, 1};

	return open_destination(&where, options, recorder, error);
}

mprof_status mprof_recorder_close(mprof_recorder *recorder)
{
	mprof_status status;
	int closed;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	if (recorder_in_child(recorder))
		return MPROF_OK;
	if (recorder_on_writer_thread(recorder))
		return MPROF_ERR_STATE;
	pthread_mutex_lock(&recorder->state_lock);
	closed = recorder->closed;
	recorder->closed = 1;
	pthread_mutex_unlock(&recorder->state_lock);
	if (closed)
		return MPROF_ERR_STATE;
	writer_thread_finish(recorder);
	pthread_mutex_lock(&recorder->state_lock);
	status = (mprof_status)recorder->stats.status;
	pthread_mutex_unlock(&recorder->state_lock);
	return status;
}

/*
 * In a child the log is still the parent's: ending it here would write into it a second time. The tables and the locks are
 * as other threads left them in the middle of whatever they did, and are not looked at; but mappings and the descriptor
 * are known in all cases.
 */
static void give_up_in_child(mprof_recorder *recorder)
{
	writer_give_up(recorder->writer);
	buffer_pool_destroy(&recorder->pool);
	sample_store_destroy(&recorder->samples);
}

void mprof_recorder_destroy(mprof_recorder *recorder)
{
	if (recorder == NULL || recorder_on_writer_thread(recorder))
		return;
	if (recorder_in_child(recorder)) {
		give_up_in_child(recorder);
		return;
	}
	mprof_recorder_close(recorder);
	release_all(recorder);
}
