/* SPDX-License-Identifier: MIT */
/*
 * Samples threads. Each thread has a timer of its own, with a signal to that thread. The handler takes no lock and
 * allocates nothing: it walks the stack by rules that it has learned or by frame pointers, or copies the stack for the
 * thread that unwinds.
 */
#include "sampler.h"

#include "frame_pointers.h"
#include "instrument_options.h"
#include "stack_copies.h"
#include "thread_timers.h"
#include "unwinding_thread.h"

#include "shared/learned_rules.h"
#include "shared/sample_properties.h"
#include "shared/sample_rate.h"
#include "shared/sample_time.h"
#include "shared/sample_timer.h"
#include "shared/sample_totals.h"
#include "shared/sampled_stack.h"
#include "shared/unwind_registers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define DEFAULT_HZ 1000
#define DEFAULT_DEPTH 128
#define NS_PER_SECOND UINT64_C(1000000000)

/* The module is loaded at program start, so thread-local variables are reached without a call. */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))

typedef enum stack_method { STACK_AUTO, STACK_FRAME_POINTERS, STACK_COPY } stack_method;

/* Written before a thread is sampled, and constant from then on. */
static stack_method method;
static size_t depth;
static int signal_number; /* 0 if there is no sampling. */
static pid_t process;     /* The sampled process. */
static uint32_t tick_hz;
static uint32_t start_hz; /* The requested rate. */

/* Written by the control thread. */
static _Atomic uint32_t present_hz;

/* Written by the threads that start and end sampling; a handler that reads it late records nothing. */
static mprof_recorder *_Atomic recorder;

/* Relaxed: sums that nothing else depends on. */
static _Atomic uint64_t walked;   /* Stacks that the handler walked. */
static _Atomic uint64_t uncopied; /* Stacks for which all memory for copies was in use. */

/* Used on their own thread and in its signal handler. */
PER_THREAD sampled_stack stack;
PER_THREAD uint64_t thread_id;
PER_THREAD volatile sig_atomic_t is_sampled;

/*
 * Copies the stack from the stack pointer on. On a stack that is not that of the thread, such as that of a coroutine,
 * the system copies what can be read.
 */
static void copy_stack(stack_copy *copy)
{
	const uintptr_t first = (uintptr_t)copy->registers[REGISTER_STACK];
	struct iovec to = {copy->bytes, STACK_COPY_SIZE};
	struct iovec from = {(void *)first, STACK_COPY_SIZE}; // NOLINT(performance-no-int-to-ptr)
	ssize_t got;

	copy->start = first;
	if (first >= stack.start && first < stack.end) {
		copy->length = stack.end - first < STACK_COPY_SIZE ? stack.end - first : STACK_COPY_SIZE;
		memcpy(copy->bytes, from.iov_base, copy->length);
		return;
	}
	got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	copy->length = got > 0 ? (uint64_t)got : 0;
}

static void record_stack(mprof_recorder *into, const ucontext_t *context)
{
	uint64_t registers[REGISTER_COUNT];
	mprof_frame frames[MPROF_STACK_MAX];
	size_t count = 0;
	stack_copy *copy;

	unwind_registers_read(context, registers);
	if (method == STACK_FRAME_POINTERS)
		count = frame_pointers_walk(registers, &stack, frames, depth);
	else if (method == STACK_AUTO)
		count = learned_rules_walk(registers, &stack, frames, depth);
	if (count > 0) {
		atomic_fetch_add_explicit(&walked, 1, memory_order_relaxed);
		(void)mprof_recorder_record_sample(into, thread_id, frames, count);
		return;
	}
	copy = stack_copies_claim();
	if (copy == NULL) {
		frames[0] = mprof_frame_make_native(registers[REGISTER_ADDRESS]);
		frames[1] = MPROF_FRAME_TRUNCATED;
		atomic_fetch_add_explicit(&uncopied, 1, memory_order_relaxed);
		(void)mprof_recorder_record_sample(into, thread_id, frames, 2);
		return;
	}
	copy->thread = thread_id;
	copy->outermost = stack.outermost;
	memcpy(copy->registers, registers, sizeof(registers));
	copy_stack(copy);
	stack_copies_publish(copy);
	unwinding_thread_wake();
}

static void handle_signal(int number, siginfo_t *info, void *context)
{
	mprof_recorder *into = atomic_load_explicit(&recorder, memory_order_acquire);
	int saved = errno;
	uint64_t ran = 0;

	(void)number;
	(void)info;
	if (!is_sampled || into == NULL)
		return;
	if (mprof_recorder_is_enabled(into)) {
		ran = sample_time_run();
		if (ran != 0 && thread_timers_is_exact(ran) && sample_time_is_due())
			record_stack(into, context);
	}
	/* The time of this handler does not count as time of the program. */
	sample_time_skip();
	thread_timers_continue(ran);
	errno = saved;
}

/* Searches from the highest real-time signals, as programs number theirs from the lowest. Returns 0 if all are used. */
static int find_signal(void)
{
	for (int number = SIGRTMAX - 2; number > SIGRTMIN; number--) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 &&
		    action.sa_handler == SIG_DFL)
			return number;
	}
	return 0;
}

static int install_handler(void)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handle_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&action.sa_mask, faults[i]);
	signal_number = signal_number != 0 ? signal_number : find_signal();
	return signal_number != 0 && sigaction(signal_number, &action, NULL) == 0;
}

int sampler_is_requested(const char *words)
{
	return !instrument_options_has(words, "no-samples") &&
	       (instrument_options_has(words, "sample") || instrument_options_number(words, "sample") != 0);
}

static void read_options(const char *words, sample_source *best)
{
	char text[16];
	uint64_t hz = instrument_options_number(words, "sample");
	uint64_t frames = instrument_options_number(words, "sample-depth");

	start_hz = hz == 0 || hz > MAX_SAMPLE_HZ ? DEFAULT_HZ : (uint32_t)hz;
	depth = frames == 0 || frames >= MPROF_STACK_MAX ? DEFAULT_DEPTH : (size_t)frames;
	*best = instrument_options_text(words, "sample-source", text, sizeof(text)) ? sample_source_find(text)
										    : SAMPLE_SOURCE_PERF;
	method = STACK_AUTO;
	if (instrument_options_text(words, "sample-stack", text, sizeof(text)) && strcmp(text, "auto") != 0)
		method = strcmp(text, "fp") == 0 ? STACK_FRAME_POINTERS : STACK_COPY;
}

static const char *method_name(void)
{
	return method == STACK_AUTO ? "auto" : method == STACK_COPY ? "copy" : "fp";
}

/* Called before the program executes another one. */
static void write_all(mprof_recorder *into)
{
	sample_totals_state(into, SAMPLE_SOURCE_NONE);
	(void)mprof_recorder_drain(into);
}

int sampler_start(mprof_recorder *into, const char *words, void (*begin_thread)(void))
{
	sample_source best;

	if (!UNWIND_IS_SUPPORTED) {
		fprintf(stderr, "mprof: no samples are recorded: native programs are sampled only on x86-64\n");
		return 0;
	}
	read_options(words, &best);
	tick_hz = sample_timer_tick_hz();
	if (method != STACK_FRAME_POINTERS &&
	    (!stack_copies_init() || unwinding_thread_start(into, depth, begin_thread, write_all) != 0))
		method = STACK_FRAME_POINTERS;
	if (!install_handler()) {
		fprintf(stderr, "mprof: no samples are recorded: the program uses all real-time signals\n");
		unwinding_thread_stop();
		return 0;
	}
	process = getpid();
	sample_timer_set_period(NS_PER_SECOND / start_hz);
	sample_timer_set(signal_number, tick_hz, best, 0);
	sample_time_set(CLOCK_THREAD_CPUTIME_ID, NS_PER_SECOND / start_hz);
	atomic_store_explicit(&present_hz, start_hz, memory_order_relaxed);
	atomic_store_explicit(&recorder, into, memory_order_release);
	sample_properties_set_request(into, start_hz, 0, tick_hz);
	(void)mprof_recorder_set_property(into, "sample_stack", method_name());
	sample_totals_start(into, SAMPLE_SOURCE_NONE, begin_thread);
	return 1;
}

static void find_stack(void)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;

	stack.start = stack.end = 0;
	if (pthread_getattr_np(pthread_self(), &attributes) != 0)
		return;
	if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
		stack.start = (uintptr_t)start;
		stack.end = stack.start + size;
	}
	pthread_attr_destroy(&attributes);
}

void sampler_begin_thread(uint64_t thread, uintptr_t outermost)
{
	if (atomic_load_explicit(&recorder, memory_order_acquire) == NULL)
		return;
	thread_id = thread;
	find_stack();
	stack.outermost = outermost;
	sample_time_begin();
	is_sampled = 1;
	thread_timers_begin();
}

void sampler_end_thread(void)
{
	if (!is_sampled)
		return;
	thread_timers_end();
	is_sampled = 0;
	sample_time_end();
}

void sampler_stop(void)
{
	mprof_recorder *into = atomic_exchange(&recorder, NULL);
	unwinding_counts counts;

	if (into == NULL)
		return;
	/* The calling thread ends the program. The time that other threads ran since their last sample is left out. */
	sampler_end_thread();
	sample_timer_set_period(0);
	unwinding_thread_stop();
	sample_totals_end();
	counts = unwinding_thread_counts();
	sample_totals_state(into, SAMPLE_SOURCE_NONE);
	sample_properties_set_number(into, "sample_stacks_walked", atomic_load_explicit(&walked, memory_order_relaxed));
	sample_properties_set_number(into, "sample_stacks_copied", counts.copied);
	sample_properties_set_number(into, "sample_copied_bytes", counts.bytes);
	sample_properties_set_number(into, "sample_stacks_truncated",
				     counts.truncated + atomic_load_explicit(&uncopied, memory_order_relaxed));
}

void sampler_set_rate(uint32_t hz)
{
	mprof_recorder *into = atomic_load_explicit(&recorder, memory_order_acquire);
	uint64_t period = hz != 0 ? NS_PER_SECOND / hz : 0;

	if (into == NULL)
		return;
	atomic_store_explicit(&present_hz, hz, memory_order_relaxed);
	thread_timers_change(period);
	/* Also when sampling stops: no sample represents the time until it resumes. */
	sample_time_change(period);
	if (hz != 0)
		sample_properties_set_request(into, hz, 0, tick_hz);
}

uint32_t sampler_start_rate(void)
{
	return atomic_load_explicit(&recorder, memory_order_acquire) != NULL ? start_hz : 0;
}

uint32_t sampler_rate(void)
{
	return atomic_load_explicit(&present_hz, memory_order_relaxed);
}

int sampler_prepare_exec(void)
{
	/* A child of vfork() shares these variables with its parent, which is the thread that is sampled. */
	if (!is_sampled || atomic_load_explicit(&recorder, memory_order_acquire) == NULL || getpid() != process)
		return 0;
	thread_timers_pause(signal_number);
	sample_time_end();
	unwinding_thread_finish();
	return 1;
}

void sampler_cancel_exec(void)
{
	sample_time_begin();
	thread_timers_resume();
}

void sampler_prepare_fork(void)
{
	if (atomic_load_explicit(&recorder, memory_order_acquire) == NULL)
		return;
	if (method != STACK_FRAME_POINTERS)
		unwinding_thread_prepare_fork();
	thread_timers_lock();
}

void sampler_continue(void)
{
	thread_timers_unlock();
	unwinding_thread_continue();
}

void sampler_forget(void)
{
	if (atomic_load_explicit(&recorder, memory_order_acquire) == NULL)
		return;
	atomic_store_explicit(&recorder, NULL, memory_order_release);
	unwinding_thread_forget();
	sample_totals_forget();
	thread_timers_forget();
	sample_time_reset();
	atomic_store_explicit(&walked, 0, memory_order_relaxed);
	atomic_store_explicit(&uncopied, 0, memory_order_relaxed);
	if (!is_sampled)
		return;
	is_sampled = 0;
	sample_time_end();
	sample_time_reset();
}
