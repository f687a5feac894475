/* SPDX-License-Identifier: MIT */
/* Takes samples. */
#include "sampler.h"

#include "compiled_code.h"
#include "instrument_options.h"
#include "program_signals.h"
#include "shared/learned_rules.h"
#include "shared/record_options.h"
#include "shared/sample_source.h"
#include "shared/sample_timer.h"
#include "shared/sample_totals.h"
#include "shared/sampled_threads.h"
#include "shared/unwind_registers.h"
#include "stack_copies.h"
#include "unwinding_thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/*
 * Stores at most limit frames, and MPROF_FRAME_TRUNCATED if there are more or the walk ended before the outermost
 * frame. Returns their number. Reads only memory between the stack pointer and the end of the stack. Async-signal-safe.
 */
/*
 * A frame starts with the address of the caller's frame and the return address. Frames of callers are at higher
 * addresses.
 */
static size_t frame_pointers_walk(const uint64_t registers[REGISTER_COUNT], const sampled_stack *stack,
				  mprof_frame *frames, size_t limit)
{
	uintptr_t lowest = (uintptr_t)registers[REGISTER_STACK];
	uintptr_t frame = (uintptr_t)registers[REGISTER_FRAME];
	size_t count = 0;

	frames[count++] = mprof_frame_make_native(registers[REGISTER_ADDRESS]);
	/* On a stack that is not that of the thread, nothing is known about the memory. */
	if (lowest < stack->start || lowest >= stack->end)
		lowest = stack->end;
	while (frame >= lowest && frame < stack->end && stack->end - frame >= 2 * sizeof(uintptr_t) &&
	       frame % sizeof(uintptr_t) == 0) {
		const uintptr_t *saved = (const uintptr_t *)frame; // NOLINT(performance-no-int-to-ptr)

		/* The return address leads to this module. */
		if (saved[0] == stack->outermost && stack->outermost != 0)
			return count;
		if (saved[1] == 0 || count == limit)
			break;
		frames[count++] = mprof_frame_make_return(saved[1]);
		lowest = frame + 2 * sizeof(uintptr_t);
		frame = saved[0];
	}
	frames[count++] = MPROF_FRAME_TRUNCATED;
	return count;
}

#define DEFAULT_HZ 1000
#define DEFAULT_DEPTH 128

/* The module is loaded at program start, so thread-local variables are reached without a call. */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))

/*
 * Samples threads, each by its own processor time, with a signal to that thread. The handler takes no lock and
 * allocates nothing: it walks the stack by rules that it has learned or by frame pointers, or copies the stack for the
 * thread that unwinds.
 */

typedef enum stack_method { STACK_AUTO, STACK_FRAME_POINTERS, STACK_COPY } stack_method;

/* Written before a thread is sampled, and constant from then on. */
static stack_method method;
static size_t depth;
static int signal_number; /* That interrupts threads; 0 if there is no sampling. */
static pid_t process;     /* The sampled process. */
static uint32_t tick_hz;
static uint32_t start_hz; /* The requested rate. */

/* Written by the control thread. */
static _Atomic uint32_t present_hz;
static _Atomic int is_taking; /* Samples are taken: the rate is not 0, and the recorder is enabled. */

/* Written by the threads that start and end sampling; a handler that reads it late records nothing. */
static mprof_recorder *_Atomic recorder;

/* Relaxed: sums that nothing else depends on. */
static _Atomic uint64_t walked;   /* Stacks that the handler walked. */
static _Atomic uint64_t uncopied; /* Stacks for which all memory for copies was in use. */

/* Used on their own thread and in its signal handler. */
PER_THREAD sampled_stack stack;
PER_THREAD sampled_thread self;
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

static void take_sample(const ucontext_t *context)
{
	mprof_recorder *into = atomic_load_explicit(&recorder, memory_order_acquire);

	if (into == NULL || !is_sampled || !atomic_load_explicit(&is_taking, memory_order_relaxed) ||
	    !sample_source_takes())
		return;
	sampled_threads_hit(&self);
	record_stack(into, context);
}

/* The handler of SIGTRAP, with which events of the kernel interrupt threads. */
static void handle_event(int number, siginfo_t *info, void *context)
{
	const int saved = errno;

	switch (sample_events_classify(info)) {
	case SAMPLE_HIT_VALID:
		take_sample(context);
		break;
	case SAMPLE_HIT_VOID:
		sampled_threads_ignore();
		break;
	default:
		program_signals_forward(number, info, context);
		break;
	}
	errno = saved;
}

/* The handler of the signal of timers. */
static void handle_timer(int number, siginfo_t *info, void *context)
{
	const int saved = errno;

	if (sample_timer_sent(info))
		take_sample(context);
	else
		program_signals_forward(number, info, context);
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

static int is_of_event(const siginfo_t *info)
{
	return sample_events_classify(info) != SAMPLE_HIT_FOREIGN;
}

/* Opens the best source up to \p most. Returns 0 if the signal that it needs is not available. */
static int open_source(sample_source most)
{
	if (most == SAMPLE_SOURCE_PERF) {
		signal_number = SIGTRAP;
		if (program_signals_keep(signal_number, handle_event, is_of_event) &&
		    sample_source_open(most, start_hz, 1) == SAMPLE_SOURCE_PERF)
			return 1;
		program_signals_release();
	}
	signal_number = find_signal();
	return signal_number != 0 && program_signals_keep(signal_number, handle_timer, sample_timer_sent) &&
	       sample_source_open(SAMPLE_SOURCE_TIMER, start_hz, 1) == SAMPLE_SOURCE_TIMER;
}

int sampler_is_requested(const char *words)
{
	return !instrument_options_has(words, "no-samples") && instrument_options_has(words, "sample");
}

static void read_options(const char *words, sample_source *best)
{
	char text[16];
	uint64_t hz = instrument_options_number(words, RECORD_OF_NATIVE, "sample");
	uint64_t frames = instrument_options_number(words, RECORD_OF_NATIVE, "sample-depth");

	start_hz = hz == 0 ? DEFAULT_HZ : (uint32_t)hz;
	depth = frames == 0 ? DEFAULT_DEPTH : (size_t)frames;
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
	compiled_code_read();
	sample_properties_set_totals(into);
	(void)mprof_recorder_drain(into);
}

int sampler_start(mprof_recorder *into, const char *words, void (*begin_thread)(void))
{
	sample_source best;
	int is_on;

	if (!UNWIND_IS_SUPPORTED) {
		fprintf(stderr, "mprof: no samples are recorded: native programs are sampled only on x86-64\n");
		return 0;
	}
	read_options(words, &best);
	tick_hz = sample_timer_tick_hz();
	compiled_code_begin(into);
	if (method != STACK_FRAME_POINTERS &&
	    (!stack_copies_init() || unwinding_thread_start(into, depth, begin_thread, write_all) != 0))
		method = STACK_FRAME_POINTERS;
	/* Its thread is started before events are opened, which it would inherit. */
	sample_totals_start(into, begin_thread);
	if (!open_source(best)) {
		fprintf(stderr, "mprof: no samples are recorded: the program uses all real-time signals\n");
		sample_totals_end();
		unwinding_thread_stop();
		return 0;
	}
	process = getpid();
	is_on = mprof_recorder_is_enabled(into);
	sampled_threads_set(0, !is_on);
	sampled_threads_set_signal(signal_number);
	sampled_threads_set_timers(sample_source_used() == SAMPLE_SOURCE_TIMER);
	atomic_store_explicit(&present_hz, start_hz, memory_order_relaxed);
	atomic_store_explicit(&is_taking, is_on, memory_order_relaxed);
	atomic_store_explicit(&recorder, into, memory_order_release);
	sample_properties_set_request(into, start_hz, 0, tick_hz);
	sample_properties_set_period(into, 0);
	(void)mprof_recorder_set_property(into, "sample_stack", method_name());
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
	program_signals_begin_thread();
	is_sampled = 1;
	sampled_threads_add(&self);
}

void sampler_end_thread(void)
{
	if (!is_sampled)
		return;
	is_sampled = 0;
	sampled_threads_remove(&self);
	program_signals_end_thread();
}

void sampler_stop(void)
{
	mprof_recorder *into = atomic_exchange(&recorder, NULL);
	unwinding_counts counts;

	if (into == NULL)
		return;
	/* The calling thread ends the program. */
	sampler_end_thread();
	sample_source_change(0);
	sampled_threads_pause(1);
	unwinding_thread_stop();
	sample_totals_end();
	compiled_code_read();
	counts = unwinding_thread_counts();
	sample_properties_set_totals(into);
	sample_properties_set_number(into, "sample_stacks_walked", atomic_load_explicit(&walked, memory_order_relaxed));
	sample_properties_set_number(into, "sample_stacks_copied", counts.copied);
	sample_properties_set_number(into, "sample_copied_bytes", counts.bytes);
	sample_properties_set_number(into, "sample_stacks_truncated",
				     counts.truncated + atomic_load_explicit(&uncopied, memory_order_relaxed));
}

/* Gives all samples that were taken to the writer: readers weigh those that follow by another period. */
static void write_taken(mprof_recorder *into)
{
	if (method != STACK_FRAME_POINTERS)
		unwinding_thread_finish();
	else
		write_all(into);
}

/* Samples are taken at the present rate, if the recorder is enabled. Called on the control thread. */
static void update(mprof_recorder *into)
{
	const uint32_t hz = atomic_load_explicit(&present_hz, memory_order_relaxed);
	const int is_on = hz != 0 && mprof_recorder_is_enabled(into);

	if (is_on) {
		sample_source_change(hz);
		sample_properties_set_period(into, 0);
		(void)mprof_recorder_drain(into);
	}
	sampled_threads_pause(!is_on);
	atomic_store_explicit(&is_taking, is_on, memory_order_relaxed);
}

static void stop_taking(mprof_recorder *into)
{
	atomic_store_explicit(&is_taking, 0, memory_order_relaxed);
	sample_source_change(0);
	sampled_threads_pause(1);
	write_taken(into);
}

void sampler_set_rate(uint32_t hz)
{
	mprof_recorder *into = atomic_load_explicit(&recorder, memory_order_acquire);

	if (into == NULL)
		return;
	stop_taking(into);
	atomic_store_explicit(&present_hz, hz, memory_order_relaxed);
	if (hz != 0)
		sample_properties_set_request(into, hz, 0, tick_hz);
	update(into);
}

void sampler_enable(int is_enabled)
{
	mprof_recorder *into = atomic_load_explicit(&recorder, memory_order_acquire);

	if (into == NULL)
		return;
	if (is_enabled)
		update(into);
	else
		stop_taking(into);
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
	if (atomic_load_explicit(&recorder, memory_order_acquire) == NULL)
		return 0;
	/* A child of vfork() shares the memory of its parent, which is still sampled, but not actions and mask. */
	if (getpid() != process) {
		program_signals_prepare_exec();
		return 0;
	}
	/* An event that counts the kernel would interrupt the call that replaces the program. */
	if (sample_source_scope() == SAMPLE_SCOPE_ALL)
		sample_events_disable();
	if (is_sampled)
		sampled_threads_stop_timer(&self);
	program_signals_take_pending();
	unwinding_thread_finish();
	program_signals_prepare_exec();
	return 1;
}

void sampler_cancel_exec(void)
{
	program_signals_cancel_exec();
	if (is_sampled)
		sampled_threads_continue_timer(&self);
	if (sample_source_scope() == SAMPLE_SCOPE_ALL && atomic_load_explicit(&is_taking, memory_order_relaxed))
		sample_events_enable();
}

void sampler_prepare_fork(void)
{
	if (atomic_load_explicit(&recorder, memory_order_acquire) == NULL)
		return;
	if (method != STACK_FRAME_POINTERS)
		unwinding_thread_prepare_fork();
	sampled_threads_lock();
}

void sampler_continue(void)
{
	sampled_threads_unlock();
	unwinding_thread_continue();
}

void sampler_forget(void)
{
	if (atomic_load_explicit(&recorder, memory_order_acquire) == NULL)
		return;
	atomic_store_explicit(&recorder, NULL, memory_order_release);
	unwinding_thread_forget();
	sample_totals_forget();
	program_signals_release();
	sample_source_forget();
	sampled_threads_forget(&self);
	atomic_store_explicit(&walked, 0, memory_order_relaxed);
	atomic_store_explicit(&uncopied, 0, memory_order_relaxed);
	is_sampled = 0;
}
