/* SPDX-License-Identifier: MIT */
/* Starts to record when Mono loads the module, and closes the log at the end. */
#include "allocations.h"
#include "async_stacks.h"
#include "classes.h"
#include "collector.h"
#include "control.h"
#include "control_commands.h"
#include "elements.h"
#include "exec_calls.h"
#include "handles.h"
#include "heap.h"
#include "jit_code.h"
#include "method_search.h"
#include "methods.h"
#include "metrics.h"
#include "monitors.h"
#include "native_frames.h"
#include "options.h"
#include "profiler.h"
#include "roots.h"
#include "samples.h"
#include "sampling_thread.h"
#include "selection.h"
#include "session.h"
#include "threads.h"
#include "unnamed_methods.h"

#include "shared/losses.h"
#include "shared/open_error.h"
#include "shared/salvage.h"

#include <mono/jit/jit.h>
#include <mprof/base.h>

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The thread ID of the collector in the log: larger than any of the system. */
#define COLLECTOR_ID 0x7fffffff

static const char recorder_name[] = "libmono-profiler-mprof " MPROF_VERSION_STRING;
static const char collector_name[] = "collector";

static MonoProfiler module;

void mono_profiler_init_mprof(const char *text) __attribute__((visibility("default")));
void mono_profiler_init_logging(const char *text) __attribute__((visibility("default")));

/*
 * Flags that are set in all logs of Mono 2: its decoder leaves out sections without them. It does not understand flags
 * above CLASSIC_INTRO_LAST.
 */
#define CLASSIC_INTRO_ALWAYS                                                                                           \
	(MPROF_INTRO_FLAG_CLASS | MPROF_INTRO_FLAG_JIT | MPROF_INTRO_FLAG_GC | MPROF_INTRO_FLAG_METHOD)
#define CLASSIC_INTRO_LAST MPROF_INTRO_FLAG_MONITOR

static uint64_t intro_flags(const module_options *options)
{
	uint32_t kinds = options->kinds;
	uint64_t flags = MPROF_INTRO_FLAG_DOMAIN | MPROF_INTRO_FLAG_ASSEMBLY | MPROF_INTRO_FLAG_MODULE;

	flags |= kinds & RECORD_CALLS ? MPROF_INTRO_FLAG_ENTER_LEAVE : 0;
	flags |= kinds & RECORD_ALLOCATIONS ? MPROF_INTRO_FLAG_ALLOCATION : 0;
	flags |= kinds & RECORD_JIT ? MPROF_INTRO_FLAG_JIT | MPROF_INTRO_FLAG_METHOD : 0;
	flags |= kinds & RECORD_COLLECTIONS ? MPROF_INTRO_FLAG_GC : 0;
	flags |= kinds & RECORD_EXCEPTIONS ? MPROF_INTRO_FLAG_EXCEPTION : 0;
	flags |= kinds & RECORD_THREADS ? MPROF_INTRO_FLAG_THREAD : 0;
	flags |= kinds & RECORD_CLASSES ? MPROF_INTRO_FLAG_CLASS : 0;
	flags |= kinds & RECORD_SAMPLES ? MPROF_INTRO_FLAG_STATISTICAL : 0;
	flags |= kinds & RECORD_MONITORS ? MPROF_INTRO_FLAG_MONITOR : 0;
	flags |= kinds & RECORD_HEAP ? MPROF_INTRO_FLAG_HEAP : 0;
	flags |= kinds & RECORD_HANDLES ? MPROF_INTRO_FLAG_HANDLE : 0;
	flags |= kinds & RECORD_FINALIZERS ? MPROF_INTRO_FLAG_FINALIZER : 0;
	flags |= kinds & RECORD_METRICS ? MPROF_INTRO_FLAG_METRIC : 0;
	if (options_are_classic(options))
		flags = (flags & (2 * CLASSIC_INTRO_LAST - 1)) | CLASSIC_INTRO_ALWAYS;
	return flags;
}

/*
 * Whether events have call stacks. In older formats, readers rebuild the stack from calls. There, a recorded call stack
 * replaces the rebuilt one, and frames beyond the methods entered would count as calls.
 */
static int has_stacks(const module_options *options)
{
	return !options_are_classic(options) || (options->kinds & RECORD_CALLS) == 0;
}

/* If there are stack sections, they contain the stacks of monitor events too, even if allocations have none. */
static int needs_sections(const module_options *options)
{
	mprof_dialect_info dialect = {.struct_size = sizeof(dialect)};

	return mprof_dialect_get_info(options->dialect, &dialect) == MPROF_OK && dialect.has_stack_sections &&
	       has_stacks(options) && (options->kinds & RECORD_MONITORS) != 0;
}

/* The size of the log file. With a ring buffer, the file contains only the latest part of all bytes. */
static uint64_t log_size(const mprof_recorder_stats *stats)
{
	struct stat file;

	return module.options.ring_bytes != 0 && stat(module.path, &file) == 0 ? (uint64_t)file.st_size : stats->bytes;
}

static void print_closed(const mprof_recorder_stats *stats)
{
	mprof_writer_stats written = {.struct_size = sizeof(written)};

	fprintf(stderr, "mprof: %s: %" PRIu64 " bytes, %" PRIu64 " events, %" PRIu64 " lost\n", module.path,
		log_size(stats), stats->events, stats->lost_events);
	if (mprof_recorder_get_writer_stats(module.recorder, &written) == MPROF_OK)
		losses_print(&written, module.path, (mprof_dialect)module.options.dialect);
	if (stats->incomplete_shots != 0)
		fprintf(stderr,
			"mprof: %s: incomplete heap snapshots: %" PRIu64
			"; heap-memory=BYTES allows more memory for them\n",
			module.path, stats->incomplete_shots);
	if (stats->unresolved_keys != 0)
		fprintf(stderr, "mprof: %s: methods and classes without a name: %" PRIu64 "\n", module.path,
			stats->unresolved_keys);
}

/* Lets "mprof record" know, which cannot read a log in a pipe, that a log is not whole. */
static void note_failure(void)
{
	int fd = module.options.failures != NULL ? open(module.options.failures, O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;

	if (fd < 0)
		return;
	if (write(fd, "", 1) != 1)
		perror("mprof");
	close(fd);
}

static void print_failed(const mprof_recorder_stats *stats)
{
	const char *why = stats->system_error != 0 ? strerror(stats->system_error)
						   : mprof_status_get_text((mprof_status)stats->status);

	fprintf(stderr,
		"mprof: cannot write %s: %s; %" PRIu64 " bytes with %" PRIu64 " events were saved, %" PRIu64 " lost\n",
		module.path, why, stats->bytes, stats->events, stats->lost_events);
}

/* Writes the ring buffer to a log file. */
static void write_ring(void)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status =
		mprof_recorder_dump_path(module.recorder, module.full_path, module.options.gzip_level, &error);

	if (status != MPROF_OK)
		fprintf(stderr, "mprof: cannot write %s: %s\n", module.path, open_error_text(&error, status));
}

/* Records what is due at the end, apart from what threads record. */
static void record_end(void)
{
	jit_code_end();
	samples_end(&module);
	if (atomic_load(&module.collector_used))
		(void)mprof_recorder_set_thread_name(module.recorder, COLLECTOR_ID, collector_name,
						     sizeof(collector_name) - 1);
}

static void end_recording(void)
{
	mprof_recorder_stats stats;

	heap_end();
	control_stop();
	elements_end(&module);
	/*
	 * Other threads may still run. Names are not recorded any more, so their events would refer to undefined IDs.
	 */
	(void)mprof_recorder_set_enabled(module.recorder, 0);
	atomic_store(&module.ended, 1);
	record_end();
	(void)mprof_recorder_close(module.recorder);
	if (module.options.ring_bytes != 0)
		write_ring();
	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	if (mprof_recorder_get_stats(module.recorder, &stats) != MPROF_OK)
		return;
	if (stats.status != MPROF_OK)
		note_failure();
	/* "mprof record", which asks for quiet, finds in the log what it lacks. */
	if (module.options.quiet)
		return;
	if (stats.status != MPROF_OK)
		print_failed(&stats);
	else
		print_closed(&stats);
}

/*
 * Closes the log, once. Other threads may still run; their events are left out from now on. The recorder is not freed,
 * since such a thread may be executing its code. A second thread that ends the process waits here until the log is
 * complete.
 */
static void close_log(void)
{
	static pthread_mutex_t closing = PTHREAD_MUTEX_INITIALIZER;

	if (getpid() != module.process)
		return;
	pthread_mutex_lock(&closing);
	if (!atomic_load(&module.ended))
		end_recording();
	pthread_mutex_unlock(&closing);
}

/* Other threads run until the process is gone. What they do after the log was closed is not in it, which it states. */
static void state_running_threads(unsigned count)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", count);
	if (!options_are_classic(&module.options))
		(void)mprof_recorder_set_property(module.recorder, "running_threads_at_end", text);
	if (!module.options.quiet)
		fprintf(stderr,
			"mprof: %s: %u other threads still ran at the end of recording: what they did after it, until "
			"the process ended, is not in the log\n",
			module.path, count);
}

/*
 * Called by exit(). If the runtime has not shut down, as after an unhandled exception, the other threads of the program
 * continue until the process is gone.
 */
static void close_at_exit(void)
{
	unsigned running;

	if (getpid() != module.process || atomic_load(&module.ended))
		return;
	running = threads_count_others();
	if (running != 0)
		state_running_threads(running);
	close_log();
}

/*
 * The last callback of the runtime. It is not called when an unhandled exception or native code ends the process by
 * exit().
 */
static void close_at_runtime_end(MonoProfiler *profiler)
{
	(void)profiler;
	close_log();
}

/* The details of allocations that are requested by options, or needed by other options. */
static uint32_t allocation_detail(const module_options *options)
{
	uint32_t detail = 0;

	detail |= options->allocation.has_callers ? MPROF_ALLOCATION_DETAIL_CALLER : 0;
	detail |= options->allocation.has_stacks && has_stacks(options) ? MPROF_ALLOCATION_DETAIL_STACK : 0;
	/* Freed objects are identified by address. */
	detail |= options->allocation.has_objects || options->kinds & (RECORD_FREED | RECORD_SUMMARIES)
			  ? MPROF_ALLOCATION_DETAIL_OBJECT
			  : 0;
	return detail;
}

static void set_recorder_options(mprof_recorder_options *options, const mprof_writer_options *writer)
{
	const module_options *requested = &module.options;

	mprof_recorder_options_init(options, sizeof(*options));
	options->writer = writer;
	options->buffer_events = requested->buffer_events;
	options->max_buffers = requested->max_buffers;
	options->overflow = requested->drop ? MPROF_OVERFLOW_DROP : MPROF_OVERFLOW_WAIT;
	options->drain_interval_ms = requested->drain_interval_ms;
	options->resolution_ns = requested->resolution_ns;
	options->drain_threads = requested->drain_threads;
	options->allocation_detail = module.allocation_detail;
	options->exception_stacks =
		(uint32_t)(requested->kinds & RECORD_EXCEPTIONS && requested->exceptions.has_stacks);
	options->exception_clauses =
		(uint32_t)(requested->kinds & RECORD_EXCEPTIONS && requested->exceptions.has_clauses);
	options->method_code = (uint32_t)jit_code_is_recorded(requested);
	options->heap_offsets = (uint32_t)object_fields_are_recorded(&module);
	options->start_disabled = (uint32_t)requested->start_disabled;
	atomic_store_explicit(&module.is_stopped, requested->start_disabled, memory_order_relaxed);
	options->max_log_bytes = requested->max_bytes;
	options->max_heap_bytes = requested->heap_bytes;
	options->thread_times = 1;
	options->track_objects = (requested->kinds & (RECORD_FREED | RECORD_SUMMARIES)) != 0;
}

/* Whether only some allocations have a call stack. */
static int samples_allocations(void)
{
	return module.options.allocation.interval != 0 && (module.options.kinds & RECORD_ALLOCATIONS) != 0 &&
	       (module.allocation_detail & MPROF_ALLOCATION_DETAIL_STACK) != 0;
}

static mprof_status open_recorder(const session_info *session, const char *text, mprof_error *error)
{
	char process[16];
	char interval[24];
	char *runtime = mono_get_runtime_build_info();
	const mprof_property properties[] = {
		{"program", session->program},
		{"arguments", session->arguments == NULL ? "" : session->arguments},
		{"pid", process},
		{"options", text == NULL ? "" : text},
		{"recorder", recorder_name},
		{"runtime", runtime == NULL ? "" : runtime},
		{"alloc_sample_bytes", interval},
	};
	const size_t property_count = sizeof(properties) / sizeof(properties[0]);
	mprof_writer_options writer;
	mprof_recorder_options options;
	mprof_status status;

	snprintf(process, sizeof(process), "%ld", (long)getpid());
	snprintf(interval, sizeof(interval), "%" PRIu64, module.options.allocation.interval);
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.dialect = module.options.dialect;
	writer.intro_flags = intro_flags(&module.options);
	writer.runtime = "mono";
	writer.gzip_level = module.options.gzip_level;
	writer.codec = module.options.codec;
	writer.codec_level = module.options.codec_level;
	/* Older formats cannot represent much of what is recorded; the writer counts what it leaves out. */
	writer.lossy = options_are_classic(&module.options);
	if (needs_sections(&module.options))
		mprof_number_set_add(&writer.directives, MPROF_DIRECTIVE_ALLOCATION_STACK);
	if (!options_are_classic(&module.options) && (module.options.kinds & RECORD_MONITORS) != 0)
		mprof_number_set_add(&writer.directives, MPROF_DIRECTIVE_MONITOR_HOLDERS);
	module.allocation_detail = allocation_detail(&module.options);
	set_recorder_options(&options, &writer);
	options.properties = properties;
	options.property_size = sizeof(mprof_property);
	/* The last property is present only if allocations are sampled. */
	options.property_count = samples_allocations() ? property_count : property_count - 1;
	status = salvage_open(module.options.salvage, module.full_path, module.options.ring_bytes, &options,
			      &module.recorder, NULL, error);
	mono_free(runtime);
	return status;
}

/* Returns 1 if the log is open; 0 after a message. */
static int open_log(const char *text)
{
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_status status = MPROF_ERR_MEMORY;
	session_info session;

	session_read(&session);
	module.path = session_log_path(&session, module.options.output);
	module.full_path = module.path == NULL ? NULL : session_full_path(module.path);
	if (module.full_path != NULL)
		status = open_recorder(&session, text, &error);
	session_release(&session);
	if (status == MPROF_OK)
		return 1;
	note_failure();
	fprintf(stderr, "mprof: cannot write %s: %s; the program runs unprofiled\n",
		module.path == NULL ? "the log" : module.path, open_error_text(&error, status));
	return 0;
}

static void print_opened(void)
{
	char kinds[OPTIONS_KINDS_SIZE];

	options_describe_kinds(module.options.kinds, kinds, sizeof(kinds));
	fprintf(stderr, "mprof: recording %s to %s (pid %ld)\n", kinds, module.path, (long)getpid());
}

static void runtime_initialized(MonoProfiler *profiler)
{
	runtime_controls_define(profiler);
	control_runtime_is_ready();
	heap_begin();
	monitors_runtime_is_ready(profiler);
	metrics_start(profiler);
	if (selection_is_filtered())
		method_search_start(profiler);
	sampling_thread_await();
}

static void runtime_shutdown_begin(MonoProfiler *profiler)
{
	method_search_cancel(NULL);
	samples_shut_down();
	unnamed_methods_discard();
	heap_end();
	/* Not in a child made by fork(): it lacks the thread that records counters, which may have held a lock. */
	if (profiler_has_ended(profiler))
		return;
	heap_note_shutdown(profiler);
	metrics_end(profiler);
}

static void install_callbacks(void)
{
	module.handle = mono_profiler_create(&module);
	mono_profiler_set_runtime_initialized_callback(module.handle, runtime_initialized);
	mono_profiler_set_runtime_shutdown_begin_callback(module.handle, runtime_shutdown_begin);
	mono_profiler_set_cleanup_callback(module.handle, close_at_runtime_end);
	threads_install(&module);
	selection_begin(&module);
	elements_install(&module);
	classes_install(&module);
	async_stacks_install(&module);
	allocations_install(&module);
	methods_install(&module);
	collector_install(&module);
	roots_install(&module);
	handles_install(&module);
	monitors_install(&module);
	finalizers_install(&module);
	samples_install(&module);
	throw_code_install(&module);
	exec_calls_install(&module);
	jit_code_install(&module);
}

/* If out of memory, collections on threads of the collector itself are not recorded. */
static void attach_collector(void)
{
	atomic_flag_clear(&module.collector_busy);
	if (mprof_recorder_attach(module.recorder, COLLECTOR_ID, &module.collector) != MPROF_OK)
		module.collector = NULL;
}

/* A parser of the options' text, such as options_parse(). */
typedef int (*parse_function)(const char *text, module_options *options, char message[RECORD_MESSAGE_SIZE]);

static void start_recording(const char *text, parse_function parse)
{
	char message[RECORD_MESSAGE_SIZE];

	if (module.recorder != NULL) {
		fprintf(stderr, "mprof: already recording to %s; one --profile=mprof is enough\n", module.path);
		return;
	}
	if (!parse(text, &module.options, message)) {
		fprintf(stderr,
			"mprof: %s; the program runs unprofiled (mono --profile=mprof:help x.exe lists the options)\n",
			message);
		options_release(&module.options);
		return;
	}
	if (module.options.help) {
		options_print_help(stdout);
		exit(0);
	}
	if (!open_log(text)) {
		options_release(&module.options);
		return;
	}
	module.process = (int)getpid();
	key_set_init(&module.methods);
	key_set_init(&module.classes);
	key_set_init(&module.compiled);
	attach_collector();
	/* The runtime announces the start of the first thread only after it has loaded its own assemblies. */
	(void)threads_attach(&module);
	install_callbacks();
	atexit(close_at_exit);
	if (!module.options.quiet && !module.options.quiet_start)
		print_opened();
	control_start(&module);
}

void mono_profiler_init_mprof(const char *text)
{
	start_recording(text, options_parse);
}

/* The entry point under the module's other name, that of the profiler of Mono 2. */
void mono_profiler_init_logging(const char *text)
{
	start_recording(text, options_parse_classic);
}
