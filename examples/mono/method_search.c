/* SPDX-License-Identifier: MIT */
/* Looks up methods for the filters of samples. */
#include "method_search.h"

#include "names.h"
#include "noted_methods.h"
#include "selection.h"

#include "shared/hash.h"
#include "shared/own_thread.h"

#include <mono/metadata/appdomain.h>
#include <mono/metadata/threads.h>

#include <semaphore.h>
#include <stdlib.h>

void method_search_update(MonoProfiler *profiler)
{
	size_t count = 0;
	uintptr_t *keys = key_set_list(&profiler->methods, &count);

	for (size_t i = 0; i < count; i++) {
		const void *method = (const void *)keys[i];
		uint8_t flags;

		/* A method is removed with the lock held, before it is freed. */
		noted_methods_lock();
		flags = key_set_get(&profiler->methods, method);
		if (flags != 0)
			noted_methods_add((MonoMethod *)keys[i], (flags & METHOD_WRAPPER) != 0);
		noted_methods_unlock();
	}
	free(keys);
}

/*
 * Code to look up. A handler claims a free request, stores the domain, and then the code with release; the thread frees
 * the request. If a request is in use, another sample of the code will find it free.
 */
#define REQUESTS 64
#define CODE_CLAIMED 1

static struct {
	MonoProfiler *profiler;
	sem_t attached; /* The thread is attached to the runtime. */
	sem_t posted;
	_Atomic int is_started;
	struct {
		_Atomic uintptr_t code; /* 0 if free. */
		_Atomic uintptr_t domain;
	} requests[REQUESTS];
} search;

void method_search_request(MonoDomain *domain, const void *code)
{
	const size_t index = hash_key((uintptr_t)code) & (REQUESTS - 1);
	uintptr_t none = 0;

	if (!atomic_load_explicit(&search.is_started, memory_order_acquire) ||
	    !atomic_compare_exchange_strong(&search.requests[index].code, &none, CODE_CLAIMED))
		return;
	atomic_store_explicit(&search.requests[index].domain, (uintptr_t)domain, memory_order_relaxed);
	atomic_store_explicit(&search.requests[index].code, (uintptr_t)code, memory_order_release);
	sem_post(&search.posted);
}

/* Called with the lock held, so that the domain is not freed. */
static void look_up(MonoDomain *domain, void *code)
{
	MonoJitInfo *info = mono_jit_info_table_find(domain, code);
	MonoMethod *method = info == NULL ? NULL : mono_jit_info_get_method(info);
	unsigned flags = 0;

	/* From now on, the runtime finds the method itself. */
	if (method != NULL)
		flags = (names_define_method_once(search.profiler, method) & METHOD_WRAPPER) != 0
				? FRAME_WRAPPER
				: selection_of_method(method);
	noted_methods_put(code, flags);
}

static void look_up_requests(void)
{
	for (size_t i = 0; i < REQUESTS; i++) {
		uintptr_t code = atomic_load_explicit(&search.requests[i].code, memory_order_acquire);
		uintptr_t domain = atomic_load_explicit(&search.requests[i].domain, memory_order_relaxed);

		if (code <= CODE_CLAIMED)
			continue;
		look_up((MonoDomain *)domain, (void *)code);
		atomic_store_explicit(&search.requests[i].code, 0, memory_order_release);
	}
}

static void *run_search(void *unused)
{
	(void)unused;
	mono_threads_attach_tools_thread();
	sem_post(&search.attached);
	for (;;) {
		while (sem_wait(&search.posted) != 0)
			continue;
		noted_methods_lock();
		look_up_requests();
		noted_methods_unlock();
	}
	return NULL;
}

/* No collection may begin while the thread attaches itself, see helper_start(): this thread waits for it. */
void method_search_start(MonoProfiler *profiler)
{
	search.profiler = profiler;
	if (sem_init(&search.posted, 0, 0) != 0 || sem_init(&search.attached, 0, 0) != 0 ||
	    own_thread_start("mprof filters", 0, run_search, NULL) != 0)
		return;
	while (sem_wait(&search.attached) != 0)
		continue;
	atomic_store_explicit(&search.is_started, 1, memory_order_release);
}

void method_search_cancel(const MonoDomain *domain)
{
	noted_methods_lock();
	if (domain == NULL)
		atomic_store(&search.is_started, 0);
	for (size_t i = 0; i < REQUESTS; i++) {
		uintptr_t code = atomic_load_explicit(&search.requests[i].code, memory_order_acquire);
		uintptr_t of = atomic_load_explicit(&search.requests[i].domain, memory_order_relaxed);

		if (code > CODE_CLAIMED && (domain == NULL || of == (uintptr_t)domain))
			atomic_store_explicit(&search.requests[i].code, 0, memory_order_release);
	}
	noted_methods_unlock();
}
