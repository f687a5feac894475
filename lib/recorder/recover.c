/* SPDX-License-Identifier: MIT */
/* Completes the log of a process that died. */
#include "recorder/recorder_internal.h"

#include "base/error.h"
#include "base/options.h"
#include "recorder/drain.h"
#include "recorder/lifecycle.h"
#include "recorder/recovered_log.h"
#include "recorder/recovery.h"
#include "recorder/salvage_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Counters have 64 bits. */
#define MAX_COUNTER_SHIFT 64

/* Of a time: 2^63, which a conversion to an integer can represent. */
#define MAX_MICROSECONDS 9223372036854775808.0

/* The state of one recovery. */
typedef struct recovery_job {
	const char *salvage_path;
	mprof_recovery_options options;
	const char *log_path;
	int is_log_named; /* < By the caller. */
	salvage_area area;
	const salvage_header *header;
	mprof_clock clock; /**< Of the end of the log. */
	mprof_recorder *recorder;
	block_ring *ring;
	recovered_log log; /* < If there is no ring. */
	progress going;    /* < Steps are bytes of the log. */
	int has_begun;     /* < Something may have been written. */
	mprof_recovery result;
	journal_damage damage; /**< What could not be used. */
	mprof_error error;
} recovery_job;

static mprof_status recovery_fail(recovery_job *job, mprof_status status, int system_error, const char *what)
{
	error_set(&job->error, status, MPROF_SEVERITY_FATAL, what);
	job->error.system_error = system_error;
	return status;
}

/* Stops, as the caller wants, before anything is changed. */
static mprof_status recovery_stop(recovery_job *job)
{
	return error_set(&job->error, MPROF_ERR_INTERRUPTED, MPROF_SEVERITY_NONE,
			 "recovery was stopped, so nothing was changed");
}

/* Refuses a damaged salvage file, before anything is changed. */
static mprof_status refuse_damage(recovery_job *job)
{
	if (job->damage.places == 0)
		return MPROF_OK;
	recovery_fail(job, MPROF_ERR_MALFORMED, 0, "the salvage file is damaged, so nothing was changed");
	job->error.offset = job->damage.offset;
	return MPROF_ERR_MALFORMED;
}

static mprof_status open_area(recovery_job *job)
{
	int error = salvage_area_open(&job->area, job->salvage_path, sizeof(*job->header));

	if (error == ENODATA)
		return recovery_fail(job, MPROF_ERR_TRUNCATED, 0, "the process died before its log had begun");
	if (error == EINVAL)
		return recovery_fail(job, MPROF_ERR_NOT_MPROF, 0, "not a salvage file");
	if (error != 0)
		return recovery_fail(job, MPROF_ERR_IO, error, "cannot read the salvage file");
	job->header = salvage_area_header(&job->area);
	if (memcmp(job->header->magic, SALVAGE_MAGIC, sizeof(job->header->magic)) != 0)
		return recovery_fail(job, MPROF_ERR_NOT_MPROF, 0, "not a salvage file");
	if (job->header->layout != salvage_layout())
		return recovery_fail(
			job, MPROF_ERR_NOT_MPROF, 0,
			"the salvage file is of another version of the library or of another architecture");
	job->result.process = job->header->process;
	job->is_log_named = job->log_path != NULL;
	return MPROF_OK;
}

/* Also what has a valid checksum must be in range: this library may not have written it. */
static int header_is_valid(const salvage_header *header)
{
	const uint32_t current = atomic_load_explicit(&header->current, memory_order_relaxed);

	return header->checksum == salvage_header_checksum(header) && current <= 1 &&
	       header->counter_shift < MAX_COUNTER_SHIFT && header->gzip_level <= 9 &&
	       memchr(header->log_path, '\0', SALVAGE_PATH_SIZE) != NULL;
}

/* Verifies what everything else depends on. What is damaged is refused, so that nothing is changed. */
static mprof_status check_area(recovery_job *job)
{
	const salvage_progress *progress = salvage_current_progress(job->header);
	uint64_t offset;

	if (!header_is_valid(job->header))
		journal_note_damage(&job->damage, &job->area, job->header);
	else if (progress->checksum != salvage_progress_checksum(progress))
		journal_note_damage(&job->damage, &job->area, progress);
	else if (!salvage_area_check(&job->area, &offset))
		journal_note_damage(&job->damage, &job->area, job->area.base + offset);
	return refuse_damage(job);
}

/* Checks whether the log can and must be completed. */
static mprof_status check_state(recovery_job *job, int *is_done)
{
	uint32_t state = atomic_load_explicit(&job->header->state, memory_order_relaxed);

	*is_done = 0;
	if (state == SALVAGE_CLOSED) {
		job->result.was_complete = 1;
		*is_done = 1;
		return MPROF_OK;
	}
	if (salvage_is_recording(job->header)) {
		job->result.is_recording = 1;
		return recovery_fail(job, MPROF_ERR_STATE, 0, "the process is still recording");
	}
	if (state == SALVAGE_OPENING)
		return recovery_fail(job, MPROF_ERR_TRUNCATED, 0, "the process died before its log had begun");
	if (state != SALVAGE_RECORDING) {
		journal_note_damage(&job->damage, &job->area, &job->header->state);
		return refuse_damage(job);
	}
	return check_area(job);
}

/* Finds the path of the log. */
static mprof_status find_log(recovery_job *job)
{
	if (job->log_path == NULL && job->header->log_path[0] != '\0')
		job->log_path = job->header->log_path;
	if (job->log_path == NULL)
		return recovery_fail(job, MPROF_ERR_ARGUMENT, 0,
				     "the salvage file does not contain the path of the log: specify it");
	if (!job->header->log_is_file)
		return recovery_fail(job, MPROF_ERR_UNSUPPORTED, 0,
				     "the log is not a regular file, so it cannot be continued");
	return MPROF_OK;
}

static int add_to_ring(void *user, const void *bytes, size_t length)
{
	return block_ring_add(user, bytes, length);
}

static mprof_status open_ring(recovery_job *job)
{
	mprof_allocator allocator;

	(void)allocator_init(&allocator, NULL);
	job->ring = block_ring_create(&allocator, dialect_get(MPROF_DIALECT_DEFAULT), job->header->ring_bytes);
	if (job->ring == NULL || !recovery_fill_ring(job->ring, &job->area, job->header, &job->damage))
		return recovery_fail(job, MPROF_ERR_MEMORY, 0, "out of memory for the ring buffer");
	return recovered_log_check_place(job->log_path, job->is_log_named, &job->area, &job->error);
}

static mprof_status open_log(recovery_job *job)
{
	job->log.path = job->log_path;
	job->log.going = &job->going;
	return recovered_log_open(&job->log, &job->area, job->header, &job->error);
}

static void read_clock(void *user, mprof_clock *now)
{
	const recovery_job *job = user;

	*now = job->clock;
}

static uint64_t read_counter(void *user)
{
	const recovery_job *job = user;

	return job->clock.counter << job->header->counter_shift;
}

static native_module *find_recovered_module(recovery_job *job, uint64_t address)
{
	int is_final;

	return native_modules_find(&job->recorder->drain.stacks.code.modules, address, 0, &is_final);
}

/* A key without a definition may be the address of a function, which the process would have looked up itself. */
static int resolve_method(void *user, mprof_key key, mprof_description *description)
{
	recovery_job *job = user;
	native_module *module = find_recovered_module(job, key);
	const elf_symbol *symbol = NULL;

	if (module != NULL)
		symbol = native_modules_function(&job->recorder->drain.stacks.code.modules, module, key);
	if (symbol == NULL)
		return -1;
	description->name = elf_symbols_name(&module->symbols, symbol);
	description->name_length = strlen(description->name);
	description->class_key = module->start;
	return 0;
}

/* The module of such a function is used as its class. */
static int resolve_class(void *user, mprof_key key, mprof_description *description)
{
	const native_module *module = find_recovered_module(user, key);
	const char *slash = module != NULL ? strrchr(module->file, '/') : NULL;

	if (module == NULL || module->start != key)
		return -1;
	description->name = slash != NULL ? slash + 1 : module->file;
	description->name_length = strlen(description->name);
	return 0;
}

/* The log ends with its last event, whose time follows from the rate of the counter until the last commit. */
static void end_clock(recovery_job *job, uint64_t counter)
{
	const mprof_clock *first = &job->header->clock;
	const mprof_clock *last = &salvage_current_progress(job->header)->clock;
	double since;

	if (counter <= last->counter || last->counter <= first->counter || last->time <= first->time)
		return;
	since = (double)(counter - last->counter) * (double)(last->time - first->time) /
		(double)(last->counter - first->counter);
	/* A damaged counter may be any time after the last commit. */
	if (since >= MAX_MICROSECONDS)
		return;
	job->clock.counter = counter;
	job->clock.time = last->time + (uint64_t)since;
}

static mprof_status open_recovering_recorder(recovery_job *job)
{
	const mprof_sink sink = {sizeof(mprof_sink), add_to_ring, NULL, NULL, job->ring};
	const recorder_destination where = {
		.fd = job->log.fd, .sink = job->ring != NULL ? &sink : NULL, .ring = job->ring, .resumed = job->header};
	const salvage_progress *progress = salvage_current_progress(job->header);
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_status status;

	mprof_writer_options_init(&writer, sizeof(writer));
	mprof_recorder_options_init(&options, sizeof(options));
	writer.clock = read_clock;
	writer.clock_user = job;
	writer.max_name_length = job->header->max_name_length;
	writer.gzip_level = job->ring == NULL ? job->header->gzip_level : 0;
	options.writer = &writer;
	options.buffer_events = job->header->buffer_events;
	options.max_buffers = 65536;
	options.keys_are_ids = job->header->keys_are_ids;
	options.counter = read_counter;
	options.counter_user = job;
	options.max_sample_bytes = UINT64_C(1) << 30;
	options.resolve_method = resolve_method;
	options.resolve_class = resolve_class;
	options.resolve_user = job;
	if (job->header->max_log_bytes > progress->log_length)
		options.max_log_bytes = job->header->max_log_bytes - progress->log_length;
	status = lifecycle_open(&where, &options, &job->recorder, &job->error);
	if (status != MPROF_OK)
		return status;
	job->recorder->control.ring = job->ring;
	/* Recovery has no writer thread: functions that would wait for it return. */
	job->recorder->shared.closed = 1;
	return MPROF_OK;
}

static int put_again(void *user, const void *blocks, size_t length)
{
	recorder_output *output = user;

	output_note_status(output, writer_put_again(output->writer, blocks, length));
	return output->status == MPROF_OK;
}

static int walk_tail(void *user, const void *blocks, size_t length)
{
	return log_walk_feed(user, blocks, length) == MPROF_OK;
}

/* Verifies what followed the last complete member of a compressed log, which will be cut off. */
static void check_tail(recovery_job *job)
{
	const salvage_progress *progress = salvage_current_progress(job->header);
	log_walk walk = {.is_continued = 1};

	if (job->ring != NULL || job->header->gzip_level == 0)
		return;
	if (salvage_tail_visit(&job->area, progress->tail_member, progress->tail_length, walk_tail, &walk) !=
		    progress->tail_length ||
	    !log_walk_is_whole(&walk))
		journal_note_damage(&job->damage, &job->area, &progress->tail_member);
}

/* Writes it again. */
static mprof_status restore_tail(recovery_job *job)
{
	const salvage_progress *progress = salvage_current_progress(job->header);
	recorder_output *output = &job->recorder->output;

	if (job->ring != NULL || job->header->gzip_level == 0)
		return MPROF_OK;
	(void)salvage_tail_visit(&job->area, progress->tail_member, progress->tail_length, put_again, output);
	if (output->status != MPROF_OK)
		job->error = output->error;
	return output->status;
}

/* Writes what was found, and a SESSION block that describes the recovery. */
static mprof_status write_rest(recovery_job *job)
{
	recorder_drain *drain = &job->recorder->drain;
	recorder_output *output = drain->output;
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	char events[32];
	const mprof_property property = {"recovered-events", events};

	drain_round(drain, 1, 1);
	end_clock(job, output_counter(output, drain->latest_counter));
	mprof_writer_get_stats(output->writer, &stats);
	job->result.events = stats.events;
	snprintf(events, sizeof(events), "%" PRIu64, job->result.events);
	if (output_is_writing(output))
		output_note_status(output, mprof_writer_write_session(output->writer, &property, sizeof(property), 1));
	output_close(output);
	/* Counted again: making room for the end of the log may have cost events. */
	job->result.lost_events = 0;
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		job->result.lost_events += output->lost[cause];
	if (output->status != MPROF_OK)
		job->error = output->error;
	return output->status;
}

static void note_length(recovery_job *job)
{
	struct stat status;

	if (stat(job->log_path, &status) == 0)
		job->result.log_bytes = (uint64_t)status.st_size;
}

/* Reads everything from the salvage file, and refuses it if something is damaged. Nothing is written. */
static mprof_status read_salvage(recovery_job *job)
{
	const uint64_t length = job->header->ring_bytes != 0 ? 0 : salvage_current_progress(job->header)->log_length;
	mprof_status status;

	progress_init(&job->going, job->options.progress, job->options.progress_user, length);
	if (!progress_begin(&job->going, length))
		return recovery_stop(job);
	status = job->header->ring_bytes != 0 ? open_ring(job) : open_log(job);
	if (status == MPROF_OK)
		status = open_recovering_recorder(job);
	if (status != MPROF_OK)
		return status;
	if (!recovery_fill(&job->recorder->drain, &job->area, job->header, &job->damage))
		return recovery_fail(job, MPROF_ERR_MEMORY, 0, "out of memory for the events in the salvage file");
	check_tail(job);
	status = refuse_damage(job);
	return status == MPROF_OK && !progress_end(&job->going) ? recovery_stop(job) : status;
}

static mprof_status write_log(recovery_job *job)
{
	mprof_status status = job->ring == NULL ? recovered_log_cut(&job->log, &job->error) : MPROF_OK;

	job->has_begun = status == MPROF_OK;
	if (status == MPROF_OK)
		status = restore_tail(job);
	if (status == MPROF_OK)
		status = write_rest(job);
	if (status == MPROF_OK && job->ring != NULL)
		status = mprof_recorder_dump_path(job->recorder, job->log_path, job->header->gzip_level, &job->error);
	return status;
}

/* The salvage file is removed only after this. */
static mprof_status verify_log(recovery_job *job)
{
	return job->ring == NULL ? recovered_log_verify(&job->log, &job->error)
				 : recovered_log_verify_ring(job->log_path, job->header->gzip_level, &job->error);
}

static mprof_status complete_log(recovery_job *job)
{
	mprof_status status = find_log(job);

	job->clock = salvage_current_progress(job->header)->clock;
	if (status == MPROF_OK)
		status = read_salvage(job);
	if (status == MPROF_OK)
		status = write_log(job);
	if (status == MPROF_OK)
		status = verify_log(job);
	if (status == MPROF_OK)
		note_length(job);
	return status;
}

static mprof_status recover_log(recovery_job *job)
{
	int is_done;
	mprof_status status = open_area(job);

	if (status == MPROF_OK)
		status = check_state(job, &is_done);
	if (status == MPROF_OK && !is_done)
		status = complete_log(job);
	if (status == MPROF_OK && salvage_path_is_name(job->salvage_path))
		(void)salvage_area_remove(&job->area, job->salvage_path);
	return status;
}

static void release_job(recovery_job *job)
{
	if (job->recorder != NULL && !job->has_begun)
		writer_discard(job->recorder->output.writer);
	if (job->recorder != NULL)
		mprof_recorder_destroy(job->recorder);
	else
		block_ring_destroy(job->ring);
	recovered_log_close(&job->log);
	if (salvage_area_exists(&job->area))
		salvage_area_close(&job->area);
}

void mprof_recovery_options_init(mprof_recovery_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_recorder_recover(const char *salvage_path, const mprof_recovery_options *options,
				    mprof_recovery *recovery, mprof_error *error)
{
	recovery_job job = {.salvage_path = salvage_path, .log = {.fd = -1}};
	int saved_errno = errno;
	mprof_status status;

	error_clear(&job.error);
	if (salvage_path == NULL)
		status = recovery_fail(&job, MPROF_ERR_ARGUMENT, 0, "salvage_path is NULL");
	else if (struct_copy_in(&job.options, options, sizeof(job.options)) != MPROF_OK)
		status = recovery_fail(&job, MPROF_ERR_ARGUMENT, 0, "the options have fields that this version lacks");
	else {
		job.log_path = job.options.log_path;
		status = recover_log(&job);
	}
	release_job(&job);
	if (recovery != NULL && status != MPROF_ERR_ARGUMENT &&
	    struct_copy_out(recovery, &job.result, sizeof(job.result)) != MPROF_OK)
		status = MPROF_ERR_ARGUMENT;
	if (status != MPROF_OK && error != NULL)
		error_copy(&job.error, error);
	errno = saved_errno;
	return status;
}
