/* SPDX-License-Identifier: MIT */
/* Keeps what the runtime does for each thread. */
#include "runtime_work.h"

#include <string.h>

/* As THREAD_LOCAL in threads.h: an access must not allocate. */
#define OWN __thread __attribute__((tls_model("initial-exec")))

/* Stored for work that no managed code caused. No code is at this address. */
#define NO_CALLER 1

/*
 * The state of the thread. Owner: the thread; its signal handlers read it, so each field is changed by one store.
 * 0: the runtime does not do that for the thread; otherwise the address in managed code that caused it, or NO_CALLER.
 */
static OWN volatile uintptr_t collecting;
static OWN volatile uintptr_t compiling;
static OWN volatile uintptr_t locking;

/* The addresses of the names are the keys by which the frames are recorded: they differ from those of all methods. */
static const char gc_name[] = "[GC]";
static const char jit_name[] = "[JIT]";
static const char lock_name[] = "[waiting for lock]";
/* Its address is the key of the class of these frames. */
static const char class_name[] = "";

static uintptr_t stored(int is_active, uintptr_t caller)
{
	if (!is_active)
		return 0;
	return caller != 0 ? caller : NO_CALLER;
}

void runtime_work_set_collecting(int is_collecting)
{
	collecting = stored(is_collecting, 0);
}

void runtime_work_set_compiling(int is_compiling, uintptr_t caller)
{
	compiling = stored(is_compiling, caller);
}

void runtime_work_set_locking(int is_locking, uintptr_t caller)
{
	locking = stored(is_locking, caller);
}

mprof_frame runtime_work_frame(uintptr_t innermost)
{
	const uintptr_t caller = stored(1, innermost);

	/* No managed code of the thread runs while it collects. */
	if (collecting != 0)
		return key_of(gc_name);
	if (locking == caller)
		return key_of(lock_name);
	return compiling == caller ? key_of(jit_name) : 0;
}

void runtime_work_define(MonoProfiler *profiler)
{
	const char *const names[] = {gc_name, jit_name, lock_name};
	mprof_description description;

	/* A class without a name: decoders of Mono 2 reject methods without a class. */
	mprof_description_init(&description, sizeof(description));
	description.name = class_name;
	(void)mprof_recorder_define_class(profiler->recorder, key_of(class_name), &description);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		mprof_description_init(&description, sizeof(description));
		description.name = names[i];
		description.name_length = strlen(names[i]);
		description.flags = MPROF_METHOD_FLAG_RUNTIME;
		description.class_key = key_of(class_name);
		(void)mprof_recorder_define_method(profiler->recorder, key_of(names[i]), &description);
	}
}
