/* SPDX-License-Identifier: MIT */
/*
 * Remembers compiled methods that have no name in the log.
 *
 * Naming a method takes about as long as loading it from precompiled code, so names are not made in case samples are
 * taken later. Methods on the list are freed only with an image or a domain. They are named before that: the thread
 * that unloads waits for a thread that is naming them.
 */
#include "unnamed_methods.h"

#include "names.h"

#include <mono/metadata/loader.h>

#include <pthread.h>
#include <stdlib.h>

#define FIRST_METHODS 1024

/* Guarded by list_lock, which is held only while the list changes: threads that add methods hold runtime locks. */
static struct {
	MonoMethod **methods;
	size_t count;
	size_t room;
	int is_closed;
} list;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* Held while methods that were taken from the list are named. */
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static int reserve_method(void)
{
	size_t room = list.room == 0 ? FIRST_METHODS : 2 * list.room;
	MonoMethod **methods;

	if (list.count < list.room)
		return 1;
	methods = realloc(list.methods, room * sizeof(MonoMethod *));
	if (methods == NULL)
		return 0;
	list.methods = methods;
	list.room = room;
	return 1;
}

int unnamed_methods_add(MonoMethod *method)
{
	int is_added;

	/* Methods that the program or the runtime generates have no token. The program's may be freed at any time. */
	if (mono_method_get_token(method) == 0)
		return 0;
	pthread_mutex_lock(&list_lock);
	is_added = !list.is_closed && reserve_method();
	if (is_added)
		list.methods[list.count++] = method;
	pthread_mutex_unlock(&list_lock);
	return is_added;
}

/* Takes the methods, which the caller frees, from the list. */
static MonoMethod **take_methods(size_t *count)
{
	MonoMethod **methods;

	pthread_mutex_lock(&list_lock);
	methods = list.methods;
	*count = list.count;
	list.methods = NULL;
	list.count = 0;
	list.room = 0;
	pthread_mutex_unlock(&list_lock);
	return methods;
}

void unnamed_methods_define(MonoProfiler *profiler)
{
	MonoMethod **methods;
	size_t count;

	pthread_mutex_lock(&naming);
	methods = take_methods(&count);
	for (size_t i = 0; i < count; i++)
		(void)names_define_method_once(profiler, methods[i]);
	free(methods);
	pthread_mutex_unlock(&naming);
}

void unnamed_methods_close(void)
{
	pthread_mutex_lock(&list_lock);
	list.is_closed = 1;
	pthread_mutex_unlock(&list_lock);
}

void unnamed_methods_discard(void)
{
	size_t count;

	free(take_methods(&count));
}
