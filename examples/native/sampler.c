/* SPDX-License-Identifier: MIT */
/*
 * Samples threads. Each thread has a timer of its own, with a signal to that thread. The handler takes no lock and
 * allocates nothing: it walks the stack by rules that it has learned or by frame pointers, or copies the stack for the
 * thread that unwinds.
 */
#include "sampler.h"

#include "frame_pointers.h"
#include "instrument_options.h"
#include "learned_rules.h"
#include "sampled_stack.h"
#include "stack_copies.h"
#include "unwinding_thread.h"

#include "shared/sample_properties.h"
#include "shared/sample_time.h"
#include "shared/sample_timer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define DEFAULT_HZ 100
#define DEFAULT_DEPTH 128
#define NS_PER_SECOND UINT64_C(1000000000)

/* The module is loaded at program start, so thread-local variables are reached without a call. */
#define PER_THREAD static __thread __attribute__((tls_model("initial-exec")))

typedef enum stack_method { STACK_AUTO, STACK_FRAME_POINTERS, STACK_COPY } stack_method;

/* Written before a thread is sampled, and constant from then on. */
static stack_method method;
static size_t depth;
static int signal_number; /* 0 if there is no sampling. */

/* Written by the threads that start and end sampling; a handler that reads it late records nothing. */
static mprof_recorder *_Atomic recorder;

/* Relaxed: sums that nothing else depends on. */
static _Atomic uint64_t walked;   /* Stacks that the handler walked. */
static _Atomic uint64_t uncopied; /* Stacks for which all memory for copies was in use. */

/* Used on their own thread and in its signal handler. */
PER_THREAD sample_timer timer;
PER_THREAD sampled_stack stack;
PER_THREAD uint64_t thread_id;
PER_THREAD volatile sig_atomic_t is_sampled;

#if defined(__x86_64__)
#define IS_SUPPORTED 1

/* The registers by their numbers in DWARF. */
static void read_registers(const ucontext_t *context, uint64_t registers[REGISTER_COUNT])
{
	static const int numbers[REGISTER_COUNT] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
						    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
						    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

	for (int i = 0; i < REGISTER_COUNT; i++)
		registers[i] = (uint64_t)context->uc_mcontext.gregs[numbers[i]];
}
#else
#define IS_SUPPORTED 0

static void read_registers(const ucontext_t *context, uint64_t registers[REGISTER_COUNT])
{
	(void)context;
	memset(registers, 0, REGISTER_COUNT * sizeof(registers[0]));
}
#endif

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

	read_registers(context, registers);
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
	int has_run = 0;

	(void)number;
	(void)info;
	if (!is_sampled || into == NULL)
		return;
	if (mprof_recorder_is_enabled(into) && sample_time_is_due(&has_run))
		record_stack(into, context);
	/* The time of this handler does not count as time of the program. */
	sample_time_skip();
	sample_timer_continue(&timer, has_run);
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

static void read_options(const char *words, uint64_t *hz, sample_source *best)
{
	char text[16];
	uint64_t frames = instrument_options_number(words, "sample-depth");

	*hz = instrument_options_number(words, "sample");
	if (*hz == 0)
		*hz = DEFAULT_HZ;
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

int sampler_start(mprof_recorder *into, const char *words, void (*begin_thread)(void))
{
	uint32_t tick_hz = sample_timer_tick_hz();
	sample_source best;
	uint64_t hz;

	if (!IS_SUPPORTED) {
		fprintf(stderr, "mprof: no samples are recorded: native programs are sampled only on x86-64\n");
		return 0;
	}
	read_options(words, &hz, &best);
	if (method != STACK_FRAME_POINTERS &&
	    (!stack_copies_init() || unwinding_thread_start(into, depth, begin_thread) != 0))
		method = STACK_FRAME_POINTERS;
	if (!install_handler()) {
		fprintf(stderr, "mprof: no samples are recorded: the program uses all real-time signals\n");
		unwinding_thread_stop();
		return 0;
	}
	sample_timer_set_period(NS_PER_SECOND / hz);
	sample_timer_set(signal_number, tick_hz, best);
	sample_time_set(CLOCK_THREAD_CPUTIME_ID, NS_PER_SECOND / hz);
	atomic_store_explicit(&recorder, into, memory_order_release);
	sample_properties_set_request(into, hz, 0, tick_hz);
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
	sample_time_begin();
	is_sampled = 1;
	sample_timer_start(&timer, (pid_t)syscall(SYS_gettid));
}

void sampler_end_thread(void)
{
	if (!is_sampled)
		return;
	sample_timer_stop(&timer);
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
	counts = unwinding_thread_counts();
	sample_properties_set_totals(into, sample_timer_source());
	sample_properties_set_number(into, "sample_stacks_walked", atomic_load_explicit(&walked, memory_order_relaxed));
	sample_properties_set_number(into, "sample_stacks_copied", counts.copied);
	sample_properties_set_number(into, "sample_copied_bytes", counts.bytes);
	sample_properties_set_number(into, "sample_stacks_truncated",
				     counts.truncated + atomic_load_explicit(&uncopied, memory_order_relaxed));
}

void sampler_prepare_fork(void)
{
	if (atomic_load_explicit(&recorder, memory_order_acquire) != NULL && method != STACK_FRAME_POINTERS)
		unwinding_thread_prepare_fork();
}

void sampler_continue(void)
{
	unwinding_thread_continue();
}

void sampler_forget(void)
{
	if (atomic_load_explicit(&recorder, memory_order_acquire) == NULL)
		return;
	atomic_store_explicit(&recorder, NULL, memory_order_release);
	unwinding_thread_forget();
	if (!is_sampled)
		return;
	is_sampled = 0;
	sample_timer_forget(&timer);
	sample_time_end();
	sample_time_reset();
	atomic_store_explicit(&walked, 0, memory_order_relaxed);
	atomic_store_explicit(&uncopied, 0, memory_order_relaxed);
}
