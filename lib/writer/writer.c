/* SPDX-License-Identifier: MIT */
/*
 * Opens, flushes, closes and frees writers, and returns their statistics. Ends a log after an error of the system, and
 * makes room for that.
 */
#include "writer/writer.h"

#include "base/caller_structs.h"
#include "base/error.h"
#include "format/values/clock_conversion.h"
#include "format/values/dialect.h"
#include "io/sink.h"
#include "io/system.h"
#include "writer/errors.h"
#include "writer/events.h"
#include "writer/heap.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <errno.h>
#include <string.h>

/*
 * Opening, also of a writer that continues a log.
 */

static void save_metrics(const mprof_writer *writer, writer_resume_state *state)
{
	uint32_t count = writer->defined[MPROF_RECORD_METRIC];

	for (uint32_t id = 1; id <= count && id < RESUME_METRICS; id++) {
		if (id_map_get(&writer->double_metrics, id) != 0)
			state->double_metrics[id / 8] |= (uint8_t)(1U << id % 8);
	}
}

mprof_status writer_save(mprof_writer *writer, writer_resume_state *state)
{
	mprof_status status = writer_put_definitions(writer);

	_Static_assert(sizeof(writer->defined) <= sizeof(state->defined), "all kinds of records fit");
	memset(state, 0, sizeof(*state));
	state->blocks = writer->stats.blocks;
	state->header_counter = writer->header_counter;
	memcpy(state->defined, writer->defined, sizeof(writer->defined));
	state->collection = writer->events.collection;
	state->last_number = writer->events.last_number;
	state->has_counted = writer->events.has_counted != 0;
	state->is_numbered = writer->events.is_numbered != 0;
	state->has_sized_metrics =
		(writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_SIZED_METRICS)) != 0;
	save_metrics(writer, state);
	return status;
}

/* Restores a state in a writer that has written nothing. */
static mprof_status writer_restore(mprof_writer *writer, const writer_resume_state *state)
{
	/* In other dialects, blocks depend on more: on base counters of threads, and on what was defined inline. */
	if (writer->encoding.rules->checksum_length == 0)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED, "logs of this dialect cannot be continued");
	/* The blocks before are not known, and an index covers all blocks. */
	writer->index.is_used = 0;
	writer->stats.blocks = state->blocks;
	writer->header_counter = state->header_counter;
	memcpy(writer->defined, state->defined, sizeof(writer->defined));
	writer->events.collection = state->collection;
	writer->events.last_number = state->last_number;
	writer->events.has_counted = state->has_counted;
	writer->events.is_numbered = state->is_numbered;
	for (uint32_t id = 1; id < RESUME_METRICS; id++) {
		if ((state->double_metrics[id / 8] >> id % 8 & 1) != 0 && !id_map_put(&writer->double_metrics, id, 1))
			return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for metrics");
	}
	return MPROF_OK;
}

int writer_is_regular_file(const mprof_writer *writer)
{
	return sink_bottom(&writer->sink)->fd_may_be_cut;
}

uint64_t writer_stored_length(const mprof_writer *writer)
{
	const log_sink *bottom = sink_bottom(&writer->sink);

	return bottom->fd_start + bottom->taken;
}

void writer_discard(mprof_writer *writer)
{
	writer->state = WRITER_CLOSED;
}

uint32_t writer_first_checksum(const mprof_writer *writer)
{
	return writer->first_checksum;
}

void writer_observe(mprof_writer *writer, sink_observer observer, void *user)
{
	writer->sink.observer = observer;
	writer->sink.observer_user = user;
}

mprof_status writer_end_member(mprof_writer *writer)
{
	return writer_check_sink(writer, sink_gzip_end_member(&writer->sink), "cannot write the log");
}

mprof_status writer_put_again(mprof_writer *writer, const void *blocks, size_t length)
{
	return writer_check_sink(writer, sink_write(&writer->sink, blocks, length), "cannot write the log");
}

/* Applies the declared directives to events. allows_undefined: events may use any ID. */
static void writer_apply_directives(mprof_writer *writer, int allows_undefined)
{
	const event_definitions defined = {{NULL, &writer->method_ids, &writer->class_ids},
					   &writer->object_sizes,
					   &writer->defined[MPROF_RECORD_STACK],
					   &writer->defined[MPROF_RECORD_TYPE],
					   allows_undefined};

	writer->has_sections =
		(writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0;
	event_checker_init(&writer->events.checker, writer->encoding.rules, writer->encoding.directives, writer->lossy,
			   &defined, &writer->stats);
}

/* Writes a DIRECTIVES block. */
static mprof_status writer_put_directives(mprof_writer *writer)
{
	mprof_clock clock;

	writer_read_clock(writer, &clock);
	block_encode_directives(&writer->block, &writer->encoding, &clock, &clock);
	return writer_put_block(writer);
}

mprof_status writer_declare_more(mprof_writer *writer, uint64_t directives)
{
	const uint64_t more = directives & writer->encoding.rules->directives & ~writer->encoding.directives;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK && more != 0)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK || more == 0)
		return status;
	writer->encoding.directives |= more;
	writer_apply_directives(writer, writer->events.checker.defined.any);
	return writer_put_directives(writer);
}

#define DEFAULT_MAX_NAME_LENGTH ((uint64_t)1 << 20)
/* Names of this length still leave room in a block for the rest of its content. */
#define HIGHEST_MAX_NAME_LENGTH ((uint64_t)1 << 29)
#define MAX_GZIP_LEVEL 9
/* By default readers refuse blocks of more than 64 MiB. The difference is for the references of the last object. */
#define DEFAULT_MAX_SNAPSHOT_MEMORY ((uint64_t)56 << 20)

/* The destination of a log: one of path, functions, is_memory and fd. */
typedef struct writer_destination {
	const char *path;
	const mprof_sink *functions;
	int is_memory;
	int fd;
	const writer_resume_state *resumed; /* NULL: a new log. */
} writer_destination;

void mprof_writer_options_init(mprof_writer_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

/* A level of a codec that this build does not have is refused later, with the codec. */
static int codec_is_valid(const mprof_writer_options *options)
{
	const uint32_t max_level = codec_max_level(options->codec);

	if (options->codec == MPROF_CODEC_NONE)
		return options->codec_level == 0;
	return codec_is_defined(options->codec) && (max_level == 0 || options->codec_level <= max_level);
}

static int options_are_valid(mprof_writer_options *options, const mprof_writer_options *input)
{
	if (struct_copy_in(options, input, sizeof(*options)) != MPROF_OK)
		return 0;
	if (options->max_name_length == 0)
		options->max_name_length = DEFAULT_MAX_NAME_LENGTH;
	if (options->max_shot_memory == 0)
		options->max_shot_memory = DEFAULT_MAX_SNAPSHOT_MEMORY;
	if (options->file_mode == 0)
		options->file_mode = LOG_FILE_MODE;
	if (options->clock == NULL)
		options->clock = clock_read_system;
	return options->lossy <= 1 && options->has_columns <= 1 && options->has_index <= 1 && codec_is_valid(options) &&
	       options->allow_undefined_ids <= 1 && options->gzip_level <= MAX_GZIP_LEVEL &&
	       options->file_mode <= 0777 && options->max_name_length <= HIGHEST_MAX_NAME_LENGTH &&
	       (options->counters_per_second == 0 || rate_is_valid(options->counters_per_second)) &&
	       dialect_get((mprof_dialect)options->dialect) != NULL &&
	       (options->intro_flags & ~DIALECT_INTRO_FLAGS) == 0 &&
	       (options->runtime == NULL || strlen(options->runtime) <= options->max_name_length);
}

static mprof_status leave_out_directive(mprof_writer *writer, uint32_t directive)
{
	const directive_row *row = directive_find(directive);

	if (!writer->lossy)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED,
				     row != NULL ? row->missing : "the dialect does not have one of the directives");
	writer->stats.left_out++;
	return MPROF_OK;
}

/* \p wanted: the directives to declare; empty: all that the dialect has. */
static mprof_status declare_directives(mprof_writer *writer, const mprof_number_set *wanted)
{
	const dialect_rules *rules = writer->encoding.rules;
	int is_empty = !mprof_number_set_has(wanted, MPROF_DIRECTIVE_NONE);

	for (uint32_t directive = MPROF_DIRECTIVE_NONE + 1; directive < 256; directive++) {
		mprof_status status = MPROF_OK;

		if (!mprof_number_set_has(wanted, directive))
			continue;
		is_empty = 0;
		if (!dialect_has_directive(rules, directive))
			status = leave_out_directive(writer, directive);
		if (status != MPROF_OK)
			return status;
	}
	writer->encoding.directives = (is_empty ? UINT64_MAX : wanted->bits[0]) & rules->directives;
	return MPROF_OK;
}

static mprof_status check_features(mprof_writer *writer, const mprof_writer_options *options)
{
	if (!writer->encoding.rules->can_write)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED,
				     "the dialect can only be read: choose another one to write");
	if (options->gzip_level > 0 && !sink_gzip_is_available())
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED,
				     "this build of the library cannot compress: set gzip_level to 0");
	if (options->has_columns && writer->encoding.rules->column_code == 0)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED, "the dialect cannot store events in columns");
	if (options->has_index && !dialect_has_block(writer->encoding.rules, MPROF_BLOCK_INDEX))
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED, "the dialect cannot store an index");
	if (options->codec != MPROF_CODEC_NONE && writer->encoding.rules->compressed_code == 0)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED, "the dialect has no compressed blocks");
	if (options->codec != MPROF_CODEC_NONE && codec_max_level(options->codec) == 0)
		return writer_refuse(writer, MPROF_ERR_UNSUPPORTED,
				     options->codec == MPROF_CODEC_ZSTD
					     ? "this build of the library cannot compress with zstd"
					     : "this build of the library cannot compress with deflate");
	return declare_directives(writer, &options->directives);
}

static mprof_writer *create_writer(const mprof_allocator *allocator, const mprof_writer_options *options)
{
	mprof_writer *writer = allocator_allocate_zeroed(allocator, sizeof(*writer));

	if (writer == NULL)
		return NULL;
	writer->allocator = *allocator;
	writer->encoding.rules = dialect_get((mprof_dialect)options->dialect);
	writer->clock = options->clock;
	writer->clock_user = options->clock_user;
	writer->max_name_length = options->max_name_length;
	writer->lossy = options->lossy != 0;
	writer->encoding.has_columns = options->has_columns != 0;
	writer->stats.struct_size = sizeof(writer->stats);
	encode_buffer_init(&writer->block, allocator, SIZE_MAX);
	codec_packer_init(&writer->packer, allocator, options->codec, options->codec_level);
	encode_buffer_init(&writer->packed, allocator, SIZE_MAX);
	event_columns_init(&writer->columns, allocator);
	log_index_init(&writer->index, allocator);
	writer->index.is_used = options->has_index != 0;
	encode_buffer_init(&writer->classes, allocator, SIZE_MAX);
	encode_buffer_init(&writer->methods, allocator, SIZE_MAX);
	statistical_encoder_init(&writer->statistical, &writer->block, writer->encoding.rules);
	writer_limit_blocks(writer, UINT32_MAX);
	id_set_init(&writer->class_ids, allocator);
	id_set_init(&writer->method_ids, allocator);
	source_files_init(&writer->sources, allocator);
	id_map_init(&writer->object_sizes, allocator);
	id_map_init(&writer->double_metrics, allocator);
	type_shapes_init(&writer->shapes, allocator);
	id_map_init(&writer->function_numbers, allocator);
	writer_heap_init(writer);
	writer->max_snapshot_length = options->max_shot_memory < SIZE_MAX ? (size_t)options->max_shot_memory : SIZE_MAX;
	memory_budget_init(&writer->code_budget, allocator, UINT64_MAX);
	name_table_init(&writer->code_names, &writer->code_budget);
	definition_table_init(&writer->code, &writer->code_names);
	writer_events_init(writer);
	error_clear(&writer->error);
	return writer;
}

static mprof_status open_destination(mprof_writer *writer, const writer_destination *where,
				     const mprof_writer_options *options)
{
	const char *what = "cannot write to the descriptor";
	int error = 0;

	if (where->path != NULL) {
		what = "cannot create the file";
		error = sink_descriptor_open_path(&writer->sink, &writer->allocator, where->path, options->file_mode);
		if (error == EBUSY)
			what = "the file is in use by another writer";
		else if (error == ELOOP)
			what = "the file is a symbolic link that belongs to another user";
		else if (error == EPERM)
			what = "the file belongs to another user, or cannot be changed";
		else if (error == EMLINK)
			what = "the file has another name (a hard link)";
	} else if (where->is_memory) {
		sink_open_memory(&writer->sink, &writer->allocator);
	} else if (where->functions == NULL) {
		error = sink_descriptor_open(&writer->sink, &writer->allocator, where->fd);
	}
	if (error != 0) {
		writer_fail(writer, MPROF_ERR_IO, what);
		writer->error.system_error = error;
		return MPROF_ERR_IO;
	}
	if (options->gzip_level > 0 && sink_gzip_add(&writer->sink, options->gzip_level) != 0)
		return writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for the state of gzip");
	return MPROF_OK;
}

static mprof_status write_first_blocks(mprof_writer *writer, const mprof_writer_options *options)
{
	const char *runtime = options->runtime;
	mprof_clock clock;
	mprof_status status;

	if (runtime == NULL)
		runtime = writer->encoding.rules->default_runtime;
	writer_read_clock(writer, &clock);
	block_encode_intro(&writer->block, &writer->encoding, runtime, options->intro_flags, &clock);
	status = writer_put_block(writer);
	/* In logs of Mono, a DIRECTIVES block also implies that collections have numbers, so it is always written. */
	if (status != MPROF_OK || (writer->encoding.directives == 0 && !block_header_has_delta(writer->encoding.rules)))
		return status;
	return writer_put_directives(writer);
}

/* States the frequency of the clock. It is checked and applies to a log that is begun, not to one that is continued. */
static mprof_status write_rate(mprof_writer *writer, const mprof_writer_options *options)
{
	char text[RATE_TEXT_SIZE];
	const mprof_property rate = {RATE_KEY, text};

	if (options->counters_per_second == 0)
		return MPROF_OK;
	rate_text_format(options->counters_per_second, text, sizeof(text));
	return mprof_writer_write_session(writer, &rate, sizeof(rate), 1);
}

static mprof_status begin_log(mprof_writer *writer, const mprof_writer_options *options)
{
	const mprof_status status = write_first_blocks(writer, options);

	return status == MPROF_OK ? write_rate(writer, options) : status;
}

static mprof_status open_checked(mprof_writer *writer, const writer_destination *where,
				 const mprof_writer_options *options)
{
	mprof_status status;

	/* Done first, so that the sink is closed with the writer in every case. */
	if (where->functions != NULL)
		sink_open_functions(&writer->sink, &writer->allocator, where->functions);
	status = check_features(writer, options);
	if (status == MPROF_OK)
		status = open_destination(writer, where, options);
	if (status != MPROF_OK)
		return status;
	writer_apply_directives(writer, options->allow_undefined_ids != 0 || where->resumed != NULL);
	return where->resumed != NULL ? writer_restore(writer, where->resumed) : begin_log(writer, options);
}

/* Closes the sink, as a writer would have done. */
static mprof_status refuse_sink(const writer_destination *where, mprof_status status)
{
	sink_refuse_functions(where->functions);
	return status;
}

static mprof_status open_writer(const writer_destination *where, const mprof_writer_options *input,
				mprof_writer **writer)
{
	mprof_writer_options options;
	mprof_allocator allocator;
	mprof_status status;

	if (writer == NULL)
		return refuse_sink(where, MPROF_ERR_ARGUMENT);
	*writer = NULL;
	if (!options_are_valid(&options, input) || !allocator_init(&allocator, options.allocator))
		return refuse_sink(where, MPROF_ERR_ARGUMENT);
	*writer = create_writer(&allocator, &options);
	if (*writer == NULL)
		return refuse_sink(where, MPROF_ERR_MEMORY);
	status = open_checked(*writer, where, &options);
	if (status == MPROF_OK)
		return status;
	/* A log without its first blocks cannot be continued. */
	(*writer)->error.severity = MPROF_SEVERITY_FATAL;
	if (status == MPROF_ERR_MEMORY) {
		mprof_writer_destroy(*writer);
		*writer = NULL;
	}
	return status;
}

mprof_status mprof_writer_open_path(const char *path, const mprof_writer_options *options, mprof_writer **writer)
{
	writer_destination where = {.path = path, .fd = -1};

	if (path == NULL) {
		if (writer != NULL)
			*writer = NULL;
		return MPROF_ERR_ARGUMENT;
	}
	return open_writer(&where, options, writer);
}

mprof_status mprof_writer_open_fd(int fd, const mprof_writer_options *options, mprof_writer **writer)
{
	writer_destination where = {.fd = fd};

	return open_writer(&where, options, writer);
}

mprof_status mprof_writer_open_memory(const mprof_writer_options *options, mprof_writer **writer)
{
	writer_destination where = {.is_memory = 1, .fd = -1};

	return open_writer(&where, options, writer);
}

mprof_status mprof_writer_open_sink(const mprof_sink *functions, const mprof_writer_options *options,
				    mprof_writer **writer)
{
	mprof_sink copy;
	writer_destination where = {.functions = &copy, .fd = -1};

	if (functions == NULL || struct_copy_in(&copy, functions, sizeof(copy)) != MPROF_OK || copy.write == NULL) {
		if (writer != NULL)
			*writer = NULL;
		sink_refuse_functions(functions);
		return MPROF_ERR_ARGUMENT;
	}
	return open_writer(&where, options, writer);
}

mprof_status writer_open_resumed_fd(int fd, const mprof_writer_options *options, const writer_resume_state *state,
				    mprof_writer **writer)
{
	const writer_destination where = {.fd = fd, .resumed = state};

	return open_writer(&where, options, writer);
}

mprof_status writer_open_resumed_sink(const mprof_sink *sink, const mprof_writer_options *options,
				      const writer_resume_state *state, mprof_writer **writer)
{
	mprof_sink copy;
	writer_destination where = {.functions = &copy, .fd = -1, .resumed = state};

	if (struct_copy_in(&copy, sink, sizeof(copy)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	return open_writer(&where, options, writer);
}

mprof_status mprof_writer_flush(mprof_writer *writer)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status == MPROF_OK)
		status = writer_check_sink(writer, sink_flush(&writer->sink), "cannot flush the log");
	return status;
}

mprof_status mprof_writer_close(mprof_writer *writer)
{
	mprof_clock clock;
	uint64_t distance;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	status = writer_put_definitions(writer);
	if (status == MPROF_OK || writer->is_full)
		status = writer_end_snapshot(writer);
	/* Even if the log is full, there is room for END. */
	if (status != MPROF_OK && !writer->is_full)
		return status;
	writer_read_clock(writer, &clock);
	status = writer_put_last_index(writer, &distance);
	if (status != MPROF_OK)
		return status;
	block_encode_end_of_log(&writer->block, &writer->encoding, &clock, distance);
	writer->kept_bytes = 0;
	status = writer_put_last_block(writer);
	if (status != MPROF_OK)
		return status;
	writer->state = WRITER_CLOSED;
	status = writer_check_sink(writer, sink_finish(&writer->sink), "cannot finish the log");
	if (status == MPROF_OK)
		status = writer_check_sink(writer, sink_flush(&writer->sink), "cannot flush the log");
	return status;
}

/* The first blocks describe the log, and stay. */
#define BLOCKS_KEPT 3

static int can_be_ended(const mprof_writer *writer)
{
	return writer->error.severity == MPROF_SEVERITY_FATAL && writer->error.status == MPROF_ERR_IO &&
	       writer->state != WRITER_CLOSED && writer->sink.inner == NULL && writer->sink.fd_may_be_cut &&
	       writer_has_block(writer, MPROF_BLOCK_LOST) && writer_has_block(writer, MPROF_BLOCK_SESSION);
}

/* The writer is between blocks, and the file ends with a whole block: both follow from how a write fails. */
static mprof_status write_end(mprof_writer *writer, const mprof_property *cause, const uint64_t *counts, size_t count)
{
	mprof_status status;

	error_clear(&writer->error);
	writer->is_full = 0;
	status = mprof_writer_write_session(writer, cause, sizeof(*cause), 1);
	/* No other block follows. */
	writer->is_full = 1;
	if (status == MPROF_OK)
		status = mprof_writer_write_losses(writer, 0, counts, count);
	return status == MPROF_OK ? mprof_writer_close(writer) : status;
}

/* Removes the last block, and what was written after it. Returns 0 if there is none that may be removed. */
static int remove_last_block(mprof_writer *writer)
{
	const writer_mark *mark;

	while (writer->mark_count > 0 && writer->marks[writer->mark_count - 1].bytes >= writer->stats.bytes)
		writer->mark_count--;
	if (writer->mark_count == 0)
		return 0;
	mark = &writer->marks[--writer->mark_count];
	if (mark->blocks < BLOCKS_KEPT || sink_descriptor_cut(&writer->sink, mark->bytes) != 0)
		return 0;
	writer->stats.events = mark->events;
	writer->stats.blocks = mark->blocks;
	writer->stats.bytes = mark->bytes;
	return 1;
}

/* Like write_end(), but nothing stays of an end that does not fit. */
static mprof_status try_end(mprof_writer *writer, const mprof_property *cause, const uint64_t *counts, size_t count)
{
	const uint64_t bytes = writer->stats.bytes;
	const uint64_t blocks = writer->stats.blocks;
	mprof_status status = write_end(writer, cause, counts, count);

	if (status == MPROF_OK || writer->stats.bytes == bytes)
		return status;
	if (sink_descriptor_cut(&writer->sink, bytes) != 0)
		return MPROF_ERR_STATE;
	writer->stats.bytes = bytes;
	writer->stats.blocks = blocks;
	return status;
}

mprof_status writer_end_after_error(mprof_writer *writer, const mprof_property *cause, uint64_t *counts, size_t count,
				    mprof_loss_cause failed, uint64_t *removed)
{
	const mprof_error error = writer->error;
	const uint64_t events = writer->stats.events;
	mprof_status status;

	*removed = 0;
	if (!can_be_ended(writer))
		return MPROF_ERR_UNSUPPORTED;
	writer_drop_definitions(writer);
	log_index_end(&writer->index);
	writer->max_bytes = 0;
	do {
		counts[failed] += events - writer->stats.events - *removed;
		*removed = events - writer->stats.events;
		status = try_end(writer, cause, counts, count);
	} while (status == MPROF_ERR_IO && remove_last_block(writer));
	writer->error = error;
	return status;
}

mprof_status mprof_writer_destroy(mprof_writer *writer)
{
	mprof_allocator allocator;
	mprof_status status = MPROF_OK;
	int error = 0;

	if (writer == NULL)
		return MPROF_OK;
	if (writer->error.severity == MPROF_SEVERITY_FATAL)
		status = (mprof_status)writer->error.status;
	else if (writer->state != WRITER_CLOSED)
		error = sink_finish(&writer->sink);
	if (error == 0)
		error = sink_close(&writer->sink);
	else
		sink_close(&writer->sink);
	if (status == MPROF_OK && error != 0)
		status = MPROF_ERR_IO;
	encode_buffer_destroy(&writer->block);
	codec_packer_destroy(&writer->packer);
	encode_buffer_destroy(&writer->packed);
	event_columns_destroy(&writer->columns);
	encode_buffer_destroy(&writer->classes);
	encode_buffer_destroy(&writer->methods);
	id_set_destroy(&writer->class_ids);
	id_set_destroy(&writer->method_ids);
	source_files_destroy(&writer->sources);
	id_map_destroy(&writer->object_sizes);
	id_map_destroy(&writer->double_metrics);
	type_shapes_destroy(&writer->shapes);
	id_map_destroy(&writer->function_numbers);
	writer_heap_destroy(writer);
	writer_events_destroy(writer);
	log_index_destroy(&writer->index);
	definition_table_destroy(&writer->code);
	name_table_destroy(&writer->code_names);
	allocator = writer->allocator;
	allocator_release(&allocator, writer, sizeof(*writer));
	return status;
}

void writer_give_up(mprof_writer *writer)
{
	sink_descriptor_abandon(&writer->sink);
}

mprof_status mprof_writer_get_memory(const mprof_writer *writer, const uint8_t **bytes, size_t *length)
{
	const log_sink *bottom;

	if (writer == NULL || bytes == NULL || length == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!sink_is_memory(&writer->sink))
		return MPROF_ERR_STATE;
	bottom = sink_bottom(&writer->sink);
	*bytes = bottom->memory;
	*length = bottom->memory_length;
	return MPROF_OK;
}

mprof_status mprof_writer_get_stats(const mprof_writer *writer, mprof_writer_stats *stats)
{
	mprof_status status;

	if (writer == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	/* Not through a copy, which would need as much of the stack as all of the struct. */
	status = struct_copy_out(stats, &writer->stats, sizeof(writer->stats));
	if (status == MPROF_OK && stats->struct_size >= SIZE_UP_TO(mprof_writer_stats, sink_bytes))
		stats->sink_bytes = sink_bottom(&writer->sink)->taken;
	return status;
}

mprof_status mprof_writer_get_error(const mprof_writer *writer, mprof_error *error)
{
	if (writer == NULL || error == NULL)
		return MPROF_ERR_ARGUMENT;
	return error_copy(&writer->error, error);
}

int writer_has_class(const mprof_writer *writer, uint32_t id)
{
	return id_set_has(&writer->class_ids, id);
}

int writer_has_method(const mprof_writer *writer, uint32_t id)
{
	return id_set_has(&writer->method_ids, id);
}

size_t writer_block_length(const mprof_writer *writer)
{
	return writer->block.length;
}

mprof_writer_stats *writer_losses(mprof_writer *writer)
{
	return &writer->stats;
}
