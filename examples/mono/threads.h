/* SPDX-License-Identifier: MIT */
/**
 * \file threads.h
 * \brief The program's threads: each has a handle of the recorder and a little state of the module.
 */
#ifndef THREADS_H
#define THREADS_H

#include "module.h"

/** What is nested deeper than this is not followed. */
#define MAX_COMPILATIONS 64
#define MAX_LOADS 32

/** Sizes of the memories below; powers of two. */
#define KNOWN_METHODS 256
#define KNOWN_VTABLES 128

/** A method whose compilation has begun and not ended. */
typedef struct compilation {
	MonoMethod *method;
	uintptr_t caller; /**< Where in code that runs it was needed; 0 if not there, or if no stacks are recorded. */
	int compiled;     /**< 1 once the filter was asked about it, which precompiled code does without. */
} compilation;

/** An element whose loading or unloading has begun and not ended. */
typedef struct pending_load {
	const void *key;
	uint64_t start_counter;
	char *name; /**< Of one that is unloaded, since it cannot be asked when it is gone. */
} pending_load;

/** What is known of a method that has a name, as long as nothing is unloaded. */
typedef struct known_method {
	MonoMethod *method;
	unsigned unloads; /**< MonoProfiler::unloads at that time. */
	int is_wrapper;
} known_method;

/** What is known of the objects that have a vtable, as long as nothing is unloaded. */
typedef struct known_vtable {
	MonoVTable *vtable;
	mprof_key class_key;
	uint32_t size; /**< 0 if they differ. */
	unsigned unloads;
} known_vtable;

/** Owned by its thread; the links are guarded by the lock of threads.c. */
typedef struct thread_state {
	mprof_thread *recording;
	uint64_t id;           /**< As the log knows it. */
	uintptr_t runtime_id;  /**< As the runtime's callbacks know it. */
	uint32_t call_depth;   /**< See call_depth.h. */
	unsigned compilations; /**< How many are in compiling. */
	unsigned loads;        /**< How many are in loading. */
	known_vtable known_vtables[KNOWN_VTABLES];
	known_method known_methods[KNOWN_METHODS];
	compilation compiling[MAX_COMPILATIONS];
	pending_load loading[MAX_LOADS];
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

/** The calling thread's state, attached if need be; NULL as above. */
static inline thread_state *threads_state(MonoProfiler *profiler)
{
	threads_recording(profiler);
	return current_state;
}

/** The log's ID of a thread that the runtime names by its pthread_t; 0 if it is not attached. */
uint64_t threads_id_of(uintptr_t runtime_id);

/** The log's ID of the calling thread. For signal handlers. */
uint64_t threads_current_id(void);

#endif
