/* SPDX-License-Identifier: MIT */
/**
 * \file threads.h
 * \brief The program's threads: each has a handle of the recorder and some state of the module.
 */
#ifndef MONO_THREADS_H
#define MONO_THREADS_H

#include "profiler.h"
#include "stack_steps.h"

#include "shared/sampled_stack.h"
#include "shared/sampled_threads.h"

/** Maximum nesting of compilations and loads that is tracked. */
#define MAX_COMPILATIONS 64
#define MAX_LOADS 32

/** Sizes of the caches below; powers of two. */
#define KNOWN_METHODS 256
#define KNOWN_VTABLES 128

/** A method whose compilation has begun and not ended. */
typedef struct compilation {
	MonoMethod *method;
	uintptr_t caller;    /**< Address in running code that needed the method; 0 if none, or without stacks. */
	uint32_t code_bytes; /**< Size of the code that was compiled; 0 so far, and if code was found instead. */
	int compiled; /**< 1 once the runtime called the filter for it, which it does not for precompiled code. */
} compilation;

/** A code unit whose loading or unloading has begun and not ended. */
typedef struct pending_load {
	const void *key;
	uint64_t start_counter;
	char *name; /**< Name of a code unit being unloaded, since it is not available after the end. */
} pending_load;

/** Cached properties of a named method, valid until something is unloaded. */
typedef struct known_method {
	MonoMethod *method;
	unsigned unloads; /**< MonoProfiler::unloads when the entry was filled. */
	unsigned flags;   /**< Of #frame_flag. */
} known_method;

/** Whether calls of a method are recorded, see call_gate.h; valid until something is unloaded or the gate changes. */
typedef struct known_gate {
	MonoMethod *method;
	unsigned unloads;
	unsigned changes;
	int is_admitted;
} known_gate;

/** Cached class and object size of a vtable, valid until something is unloaded. */
typedef struct known_vtable {
	MonoVTable *vtable;
	mprof_key class_key;
	uint32_t size; /**< 0 if object sizes differ. */
	unsigned unloads;
} known_vtable;

/** Owned by its thread; the links are guarded by the lock of threads.c. */
typedef struct thread_state {
	mprof_thread *recording;
	uint64_t id;              /**< The thread's ID in the log. */
	uintptr_t runtime_id;     /**< The thread's ID in the runtime's callbacks. */
	int is_of_runtime;        /**< It runs no code of the program of its own. Guarded by the lock of threads.c. */
	uint32_t call_depth;      /**< See call_depth.h. */
	unsigned gate_changes;    /**< The number of the last change of the call gate that the thread has seen. */
	unsigned compilations;    /**< Entries used in compiling. */
	unsigned loads;           /**< Entries used in loading. */
	uint64_t bytes_to_sample; /**< See allocations.h; valid for the interval below. */
	uint64_t sample_interval; /**< Interval from which bytes_to_sample was drawn; 0 before the first. */
	uint64_t sample_random;   /**< State of the generator for bytes_to_sample. */
	sampled_stack stack;      /**< Constant. */
	sampled_thread sampled;   /**< The signal handler on this thread uses it. */
	known_vtable known_vtables[KNOWN_VTABLES];
	known_method known_methods[KNOWN_METHODS];
	known_gate known_gates[KNOWN_METHODS];
	compilation compiling[MAX_COMPILATIONS];
	stack_steps *stack_steps; /**< For stacks_here(); NULL before the first call. */
	pending_load loading[MAX_LOADS];
	struct async_calls *async; /**< One block of memory, see async_stacks.c; NULL before the first call. */
	struct thread_state *next;
	struct thread_state *previous;
} thread_state;

/*
 * Initial-exec: a module loaded at run time would otherwise get its thread-local storage from malloc at first use,
 * which may be in the middle of a collection.
 */
#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec"), visibility("hidden")))

/** The calling thread's handle, the same as in its state; NULL if it has none. */
extern THREAD_LOCAL mprof_thread *current_recording;

/** The calling thread's state, or NULL. */
extern THREAD_LOCAL thread_state *current_state;

/** Attaches the calling thread. Returns its handle, or NULL if it has ended or there is no memory. */
mprof_thread *threads_attach(MonoProfiler *profiler);

/** The calling thread's handle; attaches a thread whose start was not announced. Not for callbacks of a collection. */
static inline mprof_thread *threads_recording(MonoProfiler *profiler)
{
	mprof_thread *recording = current_recording;

	return __builtin_expect(recording != NULL, 1) ? recording : threads_attach(profiler);
}

/**
 * The calling thread's state; attaches a thread whose start was not announced. NULL if the thread has ended or out of
 * memory.
 */
static inline thread_state *threads_state(MonoProfiler *profiler)
{
	threads_recording(profiler);
	return current_state;
}

/**
 * The log's ID of a thread, given the pthread_t by which the runtime identifies it; 0 if the thread is not attached.
 */
uint64_t threads_id_of(uintptr_t runtime_id);

/** The number of threads of the program, other than the calling one. */
unsigned threads_count_others(void);

/** The log's ID of the calling thread. Async-signal-safe. */
uint64_t threads_current_id(void);

/** Installs the callbacks that the options need. */
void threads_install(MonoProfiler *profiler);

#endif
