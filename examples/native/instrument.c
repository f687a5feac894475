/* SPDX-License-Identifier: MIT */
/*
 * Records native programs. The module is preloaded into the program. If that is built with -finstrument-functions, the
 * compiler makes each function call the two functions at the end of this file. Any program can be sampled.
 */
#include "bounded_call.h"
#include "call_events.h"
#include "call_gate.h"
#include "control.h"
#include "control_kinds.h"
#include "demangler.h"
#include "exec_calls.h"
#include "function_filter.h"
#include "instrument_options.h"
#include "libraries.h"
#include "own_memory.h"
#include "process_log.h"
#include "program_end.h"
#include "sampler.h"
#include "system_calls.h"
#include "thread_names.h"
#include "thread_starts.h"
#include "unloads.h"
#include "unwinding_thread.h"

#include "shared/dialects.h"
#include "shared/late_log.h"
#include "shared/loader.h"
#include "shared/log_loss.h"
#include "shared/open_error.h"
#include "shared/own_thread.h"
#include "shared/program_name.h"
#include "shared/salvage.h"
#include "shared/sample_events.h"
#include "shared/sample_totals.h"

#include <mprof/base.h>
#include <mprof/recorder.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* With any compiler options, these functions are exported and not instrumented themselves. */
#define CALLED_BY_COMPILER __attribute__((no_instrument_function, visibility("default")))

void __cyg_profile_func_enter(void *function, void *call_site) CALLED_BY_COMPILER;
void __cyg_profile_func_exit(void *function, void *call_site) CALLED_BY_COMPILER;

/*
 * Busy: inside the recorder. A call made then is that of a signal handler, and counts as lost. Inside: this module
 * calls functions that may be instrumented themselves, with all signals blocked; their calls are not the program's.
 * Abandoned: a signal handler has left the recorder by longjmp(), which may not be called again on this thread.
 */
typedef enum thread_state {
	THREAD_NEW = 0,
	THREAD_RECORDING,
	THREAD_BUSY,
	THREAD_INSIDE,
	THREAD_ABANDONED,
	THREAD_OFF
} thread_state;

/*
 * The module is loaded at program start, so its thread-local variables can use the initial-exec model, which needs no
 * call.
 */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))

PER_THREAD volatile thread_state state;
PER_THREAD thread_state state_outside; /* Before enter_own(). */
PER_THREAD mprof_thread *handle;
PER_THREAD uint32_t known_gate;       /* The state of the call gate when the number below was compared last. */
PER_THREAD uint32_t known_opening;    /* The number of the recorder that the handle belongs to. */
PER_THREAD uintptr_t outermost_frame; /* Frame address of the function that called the thread's first function. */

static pthread_once_t opening = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static mprof_recorder *recorder;  /* NULL if nothing is recorded, as in a child of fork(). */
static pid_t process;             /* The process that opened it: a child of vfork() has the same memory. */
static _Atomic uint32_t openings; /* Number of recorders opened. Relaxed: the call gate makes a change visible. */
static _Atomic uint64_t unrecorded_children; /* Made by fork(). Relaxed: a sum that nothing else depends on. */
static _Atomic int is_ending;                /* The log is being closed, or is closed. */

/* How long a process that ends at once waits until its log is complete. The salvage file completes it otherwise. */
#define END_WAIT_MS 5000

/* Written before the recorder is opened, and constant from then on. */
static uint64_t ring_bytes; /* Size of the ring buffer, which is written at the end; 0 for none. */
static uint32_t ring_gzip;  /* Compression of a log that is written from the ring buffer. */
static char log_path[INSTRUMENT_PATH_SIZE];
static int has_children; /* Processes that fork() makes are recorded, each to a log of its own. */
static int has_samples;
static int has_calls = 1;
static int is_current;                           /* The log is not in an older format. */
static int is_salvaged;                          /* Another process can complete the log. */
static char collector_path[COLLECTOR_PATH_SIZE]; /* Of "mprof record"; empty if that did not start this. */

static void begin_sampled_thread(uintptr_t frame);

/*
 * Called only on the writer thread, so static data needs no lock. The recorder has named the function as the linker
 * does, and readers of the log show the name of the source. Those of older formats do not.
 */
static int resolve_method(void *user, mprof_key key, mprof_description *description)
{
	static char *demangled;
	static char unnamed[32];

	(void)user;
	free(demangled);
	demangled = description->name != NULL && !is_current ? demangler_read(description->name) : NULL;
	snprintf(unnamed, sizeof(unnamed), "0x%" PRIx64, key);
	if (demangled != NULL || description->name == NULL)
		description->name = demangled != NULL ? demangled : unnamed;
	description->name_length = strlen(description->name);
	return 0;
}

static void end_thread(void *value)
{
	state = THREAD_OFF;
	if (system_calls_are_restricted())
		return;
	sampler_end_thread();
	call_events_end_thread();
	thread_names_end();
	function_filter_end_thread();
	handle = NULL;
	if (recorder != NULL)
		mprof_thread_detach(value);
	program_end_note();
}

/*
 * The log belongs to the parent. The data about modules is abandoned: another thread may have been changing it.
 */
static void leave_child(void)
{
	static const pthread_once_t not_opened = PTHREAD_ONCE_INIT;
	const int saved = errno;

	if (recorder != NULL)
		native_control_forget();
	sampler_forget();
	thread_names_forget();
	program_end_begin_child();
	loader_begin_child();
	/*
	 * Closes what the child has inherited: otherwise it would hold the lock on the log of a parent that has ended.
	 */
	mprof_recorder_destroy(recorder);
	recorder = NULL;
	handle = NULL;
	state = THREAD_OFF;
	errno = saved;
	if (!has_children)
		return;
	pthread_setspecific(thread_end, NULL);
	own_memory_forget();
	libraries_begin_child();
	function_filter_begin_child();
	opening = not_opened;
	atomic_store(&openings, 0);
	call_events_begin_child();
	state = THREAD_NEW;
	errno = saved;
}

/* The log of a child is opened here, if it is sampled: handlers of fork() may not start threads. */
static void begin_child(void)
{
	int saved = errno;

	if (has_samples && has_children && state == THREAD_NEW)
		begin_sampled_thread(outermost_frame);
	errno = saved;
}

/* In the parent. */
static void count_child(void)
{
	sampler_continue();
	if (recorder != NULL && !has_children)
		atomic_fetch_add_explicit(&unrecorded_children, 1, memory_order_relaxed);
}

/* Returns 0 if out of memory. */
static int install_handlers(void)
{
	static int is_installed;

	/* A child inherits the handlers. */
	if (!is_installed)
		is_installed = pthread_key_create(&thread_end, end_thread) == 0 &&
			       pthread_atfork(sampler_prepare_fork, count_child, leave_child) == 0;
	return is_installed;
}

static void begin_own_thread(void *user)
{
	(void)user;
	own_thread_enter();
}

static void end_own_thread(void *user)
{
	(void)user;
	own_thread_leave();
}

static mprof_status open_recorder(mprof_error *error)
{
	const char *words = getenv("MPROF_INSTRUMENT_OPTIONS");
	char process[24];
	const mprof_property properties[] = {
		{"program", program_name()},
		{"pid", process},
		{"recorder", "libmprof-instrument " MPROF_VERSION_STRING},
	};
	mprof_writer_options writer;
	mprof_recorder_options options;

	snprintf(process, sizeof(process), "%ld", (long)getpid());
	mprof_writer_options_init(&writer, sizeof(writer));
	writer.runtime = "native";
	mprof_recorder_options_init(&options, sizeof(options));
	/* "mprof record", which asks for quiet, has checked them. */
	if (!instrument_options_has(words, "quiet"))
		instrument_options_print_problems(words, RECORD_OF_NATIVE);
	instrument_options_read(words, RECORD_OF_NATIVE, &writer, &options);
	call_events_set_depth((uint32_t)instrument_options_number(words, RECORD_OF_NATIVE, "depth"));
	ring_bytes = instrument_options_number(words, RECORD_OF_NATIVE, "ring");
	ring_gzip = writer.gzip_level;
	options.start_disabled = (uint32_t)instrument_options_has(words, "start-disabled");
	/* The decoder of Mono 2 prints calls only if the flag of methods is set. */
	writer.intro_flags = (has_calls ? MPROF_INTRO_FLAG_ENTER_LEAVE : 0) |
			     (has_samples ? MPROF_INTRO_FLAG_STATISTICAL : 0) |
			     (writer.lossy ? MPROF_INTRO_FLAG_METHOD : 0);
	is_current = !dialects_is_older((mprof_dialect)writer.dialect);
	options.writer = &writer;
	options.resolve_method = resolve_method;
	options.keys_are_functions = 1;
	options.properties = properties;
	options.property_size = sizeof(mprof_property);
	options.property_count = sizeof(properties) / sizeof(properties[0]);
	options.thread_times = 1;
	options.allocator = &own_memory;
	options.thread_started = begin_own_thread;
	options.thread_ended = end_own_thread;
	return salvage_open(options.salvage_path, log_path, ring_bytes, &options, &recorder, &is_salvaged, error);
}

static void leave_thread_out(void)
{
	state = THREAD_OFF;
	thread_starts_set_own(1);
}

static void start_control(void)
{
	const controlled_recording recording = {recorder, log_path, ring_bytes, ring_gzip,
						control_kinds_begin(recorder, has_calls, is_current, leave_thread_out)};
	const char *words = getenv("MPROF_INSTRUMENT_OPTIONS");
	char path[128];

	if (instrument_options_has(words, "no-control"))
		return;
	native_control_start(&recording, instrument_options_text(words, "control", path, sizeof(path)) ? path : NULL);
}

static void open_log(void)
{
	const char *pattern = getenv("MPROF_INSTRUMENT_OUTPUT");
	const char *words = getenv("MPROF_INSTRUMENT_OPTIONS");
	mprof_error error;
	mprof_status status;
	int lock;

	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	error.what = "";
	if (!install_handlers())
		return;
	/* Further logs of a process, after one that is complete, do not replace it. */
	if (!process_log_path(pattern, words, atomic_fetch_add(&openings, 1) > 0, log_path, &lock)) {
		late_log_unlock(lock);
		return;
	}
	(void)process_log_collector(words, collector_path);
	process = getpid();
	atomic_store(&is_ending, 0);
	atomic_store(&unrecorded_children, 0);
	/* Without the process ID in the name, a child would write to the log of the parent. */
	has_children = pattern != NULL && strstr(pattern, "%p") != NULL && instrument_options_has(words, "children");
	/* The threads that are started here belong to this module. */
	thread_starts_set_own(1);
	libraries_begin_log();
	status = function_filter_begin_log(words) ? open_recorder(&error) : MPROF_ERR_MEMORY;
	late_log_unlock(lock);
	if (status == MPROF_OK) {
		start_control();
		has_samples = has_samples && sampler_start(recorder, words, leave_thread_out);
	}
	thread_starts_set_own(0);
	if (status == MPROF_OK)
		return;
	recorder = NULL;
	fprintf(stderr, "mprof: cannot write %s: %s; the program runs unrecorded\n", log_path,
		open_error_text(&error, status));
}

/* Begins to call functions that may be instrumented. Signals wait: calls of handlers could not be distinguished. */
static thread_state begin_inside(sigset_t *mask)
{
	const thread_state before = state;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, mask);
	state = THREAD_INSIDE;
	return before;
}

static void end_inside(thread_state next, const sigset_t *mask)
{
	state = next;
	pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* The first call of a thread. Returns 1 if it is recorded. */
static int begin_thread(void)
{
	const int saved = errno;
	sigset_t mask;
	int is_begun;

	if (system_calls_are_restricted()) {
		state = THREAD_OFF;
		return 0;
	}
	(void)begin_inside(&mask);
	pthread_once(&opening, open_log);
	is_begun = recorder != NULL && mprof_recorder_attach(recorder, 0, &handle) == MPROF_OK;
	if (is_begun) {
		pthread_setspecific(thread_end, handle);
		thread_names_begin(recorder, mprof_thread_get_id(handle));
		known_opening = atomic_load_explicit(&openings, memory_order_relaxed);
		call_events_begin_thread(handle);
	}
	end_inside(is_begun ? THREAD_RECORDING : THREAD_OFF, &mask);
	errno = saved;
	return is_begun;
}

static void begin_sampled_thread(uintptr_t frame)
{
	outermost_frame = frame;
	if (state == THREAD_NEW)
		(void)begin_thread();
	if (handle != NULL)
		sampler_begin_thread(mprof_thread_get_id(handle), frame);
}

/* Mono is recorded by a module of its own. */
static int is_mono(void)
{
	return dlsym(RTLD_DEFAULT, "mono_jit_init") != NULL;
}

/* The log of samples is opened before main(), that of calls alone at the first call. */
__attribute__((constructor)) static void begin_recording(void)
{
	const char *words = getenv("MPROF_INSTRUMENT_OPTIONS");

	if (!sampler_is_requested(words))
		return;
	has_calls = instrument_options_has(words, "calls") || instrument_options_has(words, "all");
	if (!has_calls)
		call_gate_begin_closed();
	has_samples = !is_mono() && process_log_is_wanted(words);
	if (!has_samples)
		return;
	thread_starts_set(begin_sampled_thread);
	thread_starts_set_child(begin_child);
}

static void note_children(void)
{
	const uint64_t children = atomic_load_explicit(&unrecorded_children, memory_order_relaxed);

	if (children > 0)
		sample_properties_set_number(recorder, "unrecorded_children", children);
}

static void end_log(void)
{
	const char *words = getenv("MPROF_INSTRUMENT_OPTIONS");
	mprof_recorder *closed = recorder;

	native_control_stop();
	sampler_stop();
	note_children();
	mprof_recorder_close(closed);
	if (ring_bytes != 0)
		process_log_write_ring(closed, log_path, ring_gzip);
	if (!instrument_options_has(words, "quiet"))
		log_loss_print(closed, log_path);
	process_log_name(getenv("MPROF_INSTRUMENT_OUTPUT"), words, log_path);
}

/*
 * Whether this thread ends the log. Another one may have begun to, and a child of vfork() has the log of its parent.
 * No system call after the log has ended, when the program may not allow any.
 */
static int may_end(void)
{
	return recorder != NULL && !atomic_load(&is_ending) && getpid() == process && !atomic_exchange(&is_ending, 1);
}

__attribute__((destructor)) static void close_log(void)
{
	state = THREAD_OFF;
	if (may_end())
		end_log();
}

/*
 * Whether "mprof record" completes the log when this process has ended, with what other threads do until then: their
 * calls while this one would close the log, in a time that the program does not know, would be lost. The samples of a
 * log that is closed have complete totals.
 */
static int is_completed_by_parent(void)
{
	return is_salvaged && !has_samples && recorder != NULL && getpid() == process &&
	       late_log_is_awaited(collector_path);
}

/* What no other process could add to the log. */
static void note_end(void)
{
	note_children();
	(void)mprof_recorder_drain(recorder);
}

/*
 * Before the process ends at once or executes another program. Not if this thread was interrupted in the recorder,
 * whose locks it may hold.
 */
static int end_early(int executes)
{
	if (system_calls_are_restricted())
		return 0;
	/* Samples are in the log then; mprof record completes it. */
	if (executes && has_samples)
		return sampler_prepare_exec();
	if (state == THREAD_BUSY || state == THREAD_INSIDE || state == THREAD_ABANDONED)
		return 0;
	if (is_completed_by_parent()) {
		const thread_state before = state;

		state = THREAD_OFF;
		(void)bounded_call(note_end, END_WAIT_MS);
		state = before;
		return 0;
	}
	if (!may_end())
		return 0;
	state = THREAD_OFF;
	return bounded_call(end_log, END_WAIT_MS);
}

/* The program was not executed, so this one goes on, with a new log unless samples are recorded. */
static void begin_next_log(void)
{
	static const pthread_once_t not_opened = PTHREAD_ONCE_INIT;

	if (has_samples) {
		sampler_cancel_exec();
		return;
	}
	recorder = NULL;
	handle = NULL;
	opening = not_opened;
	state = THREAD_NEW;
	(void)begin_thread();
	call_gate_renew();
}

/* The program restricts its system calls. */
static void end_before_restriction(void)
{
	if (state == THREAD_BUSY || state == THREAD_INSIDE || state == THREAD_ABANDONED || !may_end())
		return;
	state = THREAD_OFF;
	(void)mprof_recorder_set_property(recorder, "recording_ended", RECORDING_ENDED_RESTRICTED);
	end_log();
	sample_events_end();
}

static void count_other_child(void)
{
	if (recorder != NULL)
		atomic_fetch_add_explicit(&unrecorded_children, 1, memory_order_relaxed);
}

/* A child that fork() has not made is never recorded: nothing can be started in it. */
static void leave_other_child(void)
{
	has_children = 0;
	leave_child();
}

static void begin_close(void)
{
	sigset_t mask;
	const thread_state before = begin_inside(&mask);

	libraries_begin_close();
	unwinding_thread_wait();
	if (recorder != NULL)
		(void)mprof_recorder_update_modules(recorder);
	end_inside(before, &mask);
}

static void end_close(void)
{
	const int saved = errno;
	sigset_t mask;
	const thread_state before = begin_inside(&mask);

	libraries_end_close();
	if (recorder != NULL)
		(void)mprof_recorder_update_modules(recorder);
	end_inside(before, &mask);
	errno = saved;
}

static int get_jump_target(jump_target *here)
{
	if (state != THREAD_RECORDING)
		return 0;
	*here = call_events_get_target();
	return 1;
}

static void leave_calls(const jump_target *target)
{
	if (state == THREAD_BUSY)
		state = THREAD_ABANDONED;
	if (state != THREAD_RECORDING || target == NULL)
		return;
	state = THREAD_BUSY;
	call_events_jump(target);
	state = THREAD_RECORDING;
}

static int pause_for_context(void)
{
	const thread_state before = state;

	if (before == THREAD_RECORDING || before == THREAD_NEW)
		state = THREAD_INSIDE;
	return (int)before;
}

static void resume_after_context(int before)
{
	state = (thread_state)before;
}

static void change_stack(uintptr_t stack_pointer)
{
	if (state != THREAD_RECORDING)
		return;
	state = THREAD_BUSY;
	call_events_change_stack(stack_pointer);
	state = THREAD_RECORDING;
}

__attribute__((constructor)) static void prepare_calls(void)
{
	static const context_client client = {pause_for_context, resume_after_context, call_events_end_stack,
					      change_stack};
	static const system_calls_client calls = {end_before_restriction, count_other_child, leave_other_child};

	demangler_find();
	system_calls_set(&calls);
	unloads_set(begin_close, end_close);
	jumps_set(get_jump_target, leave_calls);
	contexts_set(&client);
	exec_calls_set(end_early, begin_next_log);
}

/* While the module starts the thread that waits for the end, and on it. */
static void enter_own(void)
{
	state_outside = state;
	leave_thread_out();
}

static void leave_own(void)
{
	state = state_outside;
	thread_starts_set_own(0);
}

__attribute__((constructor)) static void prepare_end(void)
{
	program_end_prepare(enter_own, leave_own);
}

/*
 * The first time, a function is looked up, by functions that may be instrumented, as malloc() is in some programs. Not
 * inlined: its mask would be on the stack of every call.
 */
__attribute__((noinline)) static int look_up_key(void *function, mprof_key *key)
{
	int is_admitted = 1;
	sigset_t mask;

	(void)begin_inside(&mask);
	*key = libraries_key(recorder, (uintptr_t)function);
	if (atomic_load_explicit(&function_filter_has_patterns, memory_order_relaxed))
		is_admitted = function_filter_look_up(recorder, *key);
	end_inside(THREAD_RECORDING, &mask);
	return is_admitted;
}

/* Returns 0 if the function is left out. */
static int find_key(void *function, mprof_key *key)
{
	int is_admitted = 1;

	*key = (mprof_key)(uintptr_t)function;
	if (libraries_find_known_key(key) &&
	    (!atomic_load_explicit(&function_filter_has_patterns, memory_order_relaxed) ||
	     function_filter_find_known(*key, &is_admitted)))
		return is_admitted;
	return look_up_key(function, key);
}

/* Returns 0 if calls are not recorded at this time. */
static int is_open(uint32_t *gate)
{
	/* Acquire: pairs with the release in change_gate(). */
	*gate = atomic_load_explicit(&call_gate, memory_order_acquire);
	if (*gate != known_gate) {
		known_gate = *gate;
		/* The handle belongs to a log that has been closed, before a call of exec that failed. */
		if (known_opening != atomic_load_explicit(&openings, memory_order_relaxed) && state == THREAD_RECORDING)
			state = THREAD_NEW;
	}
	return (*gate & CALL_GATE_CLOSED) == 0;
}

/* A call that cannot be recorded, since the thread is in the recorder. */
static void lose_event(void)
{
	uint32_t gate;

	if ((state == THREAD_BUSY || state == THREAD_ABANDONED) && is_open(&gate))
		mprof_thread_record_lost(handle, MPROF_LOSS_NO_BUFFER, 1);
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	mprof_key key;
	uint32_t gate;

	(void)call_site;
	if (state != THREAD_RECORDING && state != THREAD_NEW) {
		lose_event();
		return;
	}
	if (!is_open(&gate) || (state == THREAD_NEW && !begin_thread()) || !find_key(function, &key))
		return;
	state = THREAD_BUSY;
	call_events_enter(key, frame, gate);
	state = THREAD_RECORDING;
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	mprof_key key;
	uint32_t gate;

	(void)call_site;
	/* A function that was entered before the thread was recorded has no enter to match. */
	if (state != THREAD_RECORDING) {
		lose_event();
		return;
	}
	if (!is_open(&gate) || state != THREAD_RECORDING || !find_key(function, &key))
		return;
	state = THREAD_BUSY;
	call_events_leave(key, frame, gate);
	state = THREAD_RECORDING;
}
