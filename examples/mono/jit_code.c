/* SPDX-License-Identifier: MIT */
/**
 * \file jit_code.c
 * \brief Hears from the runtime about code that it makes, and passes it on with a name.
 *
 * It has callbacks of its own, beside those that record. Their threads are in the runtime's care, so none is stopped
 * while it holds the lock.
 */
#include "jit_code.h"

#include "jit_dump.h"
#include "oprofile_agent.h"
#include "perf_map.h"

#include <mono/metadata/debug-helpers.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that the runtime makes code in. Precompiled code, which has names in its file, is not there. */
typedef struct chunk {
	const unsigned char *start;
	size_t size;
	const void **told; /* Code in it that was told of. While the chunk is there, its memory is not used again. */
	size_t told_count;
	size_t told_room;
	struct chunk *next;
} chunk;

static struct {
	pid_t process;
	pthread_mutex_t lock; /* Guards all that follows, and the outputs. */
	int active;
	chunk *chunks;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* 1 with the lock held, if there is still something to write to. */
static int enter(void)
{
	/* A child made by fork() shares the files, but is not the process that they are about. */
	if (state.process != getpid())
		return 0;
	pthread_mutex_lock(&state.lock);
	if (state.active)
		return 1;
	pthread_mutex_unlock(&state.lock);
	return 0;
}

static void leave(void)
{
	pthread_mutex_unlock(&state.lock);
}

static chunk *find_chunk(const void *code)
{
	const unsigned char *address = code;

	for (chunk *place = state.chunks; place != NULL; place = place->next)
		if (address >= place->start && (size_t)(address - place->start) < place->size)
			return place;
	return NULL;
}

/*
 * 1 if this code was not told of before. The code between managed and native code comes up again for each method that
 * it belongs to. Without memory to note it, code may be told of twice.
 */
static int note_told(chunk *place, const void *code)
{
	for (size_t i = place->told_count; i > 0; i--)
		if (place->told[i - 1] == code)
			return 0;
	if (place->told_count == place->told_room) {
		size_t room = place->told_room == 0 ? 16 : place->told_room * 2;
		const void **larger = realloc(place->told, room * sizeof(*larger));

		if (larger == NULL)
			return 1;
		place->told = larger;
		place->told_room = room;
	}
	place->told[place->told_count++] = code;
	return 1;
}

static void tell(const void *code, size_t size, const char *name)
{
	chunk *place;

	if (size == 0 || !enter())
		return;
	place = find_chunk(code);
	if (place != NULL && note_told(place, code)) {
		jit_dump_code(code, size, name);
		perf_map_code(code, size, name);
		oprofile_agent_code(code, size, name);
	}
	leave();
}

static void jit_done(MonoProfiler *profiler, MonoMethod *method, MonoJitInfo *code)
{
	char *name;

	(void)profiler;
	if (code == NULL)
		return;
	name = mono_method_full_name(method, 1);
	tell(mono_jit_info_get_code_start(code), (size_t)mono_jit_info_get_code_size(code), name == NULL ? "" : name);
	mono_free(name);
}

static const char *buffer_name(MonoProfilerCodeBufferType type, const void *data)
{
	switch (type) {
	case MONO_PROFILER_CODE_BUFFER_UNBOX_TRAMPOLINE:
		return "(unbox trampoline)";
	case MONO_PROFILER_CODE_BUFFER_IMT_TRAMPOLINE:
		return "(interface trampoline)";
	case MONO_PROFILER_CODE_BUFFER_GENERICS_TRAMPOLINE:
		return "(generics trampoline)";
	case MONO_PROFILER_CODE_BUFFER_SPECIFIC_TRAMPOLINE:
		return data == NULL ? "(specific trampoline)" : data;
	case MONO_PROFILER_CODE_BUFFER_HELPER:
		return "(helper)";
	case MONO_PROFILER_CODE_BUFFER_DELEGATE_INVOKE:
		return "(delegate invoke)";
	case MONO_PROFILER_CODE_BUFFER_EXCEPTION_HANDLING:
		return "(exception handling)";
	default:
		return "(trampoline)";
	}
}

static void code_buffer(MonoProfiler *profiler, const mono_byte *buffer, uint64_t size, MonoProfilerCodeBufferType type,
			const void *data)
{
	(void)profiler;
	/* Methods are reported when they are complete. */
	if (type != MONO_PROFILER_CODE_BUFFER_METHOD)
		tell(buffer, (size_t)size, buffer_name(type, data));
}

static void chunk_created(MonoProfiler *profiler, const mono_byte *start, uintptr_t size)
{
	chunk *place = calloc(1, sizeof(*place));

	(void)profiler;
	/* Without memory for it, its code goes untold. */
	if (place == NULL)
		return;
	place->start = start;
	place->size = size;
	if (!enter()) {
		free(place);
		return;
	}
	place->next = state.chunks;
	state.chunks = place;
	leave();
}

static void chunk_destroyed(MonoProfiler *profiler, const mono_byte *start)
{
	chunk **link = &state.chunks;
	chunk *place;

	(void)profiler;
	if (!enter())
		return;
	while (*link != NULL && (*link)->start != start)
		link = &(*link)->next;
	place = *link;
	if (place != NULL) {
		*link = place->next;
		for (size_t i = 0; i < place->told_count; i++)
			oprofile_agent_unload(place->told[i]);
		free(place->told);
		free(place);
	}
	leave();
}

/* The directory of a path; it is changed. */
static const char *directory_of(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL)
		return ".";
	slash[slash == path] = '\0';
	return path;
}

static int open_jit_dump(const char *log_path)
{
	char *path = strdup(log_path);
	int opened = path != NULL && jit_dump_open(directory_of(path));

	free(path);
	return opened;
}

void jit_code_install(MonoProfiler *profiler)
{
	const module_options *options = &profiler->options;
	MonoProfilerHandle handle;

	state.process = getpid();
	if (options->jit_dump && open_jit_dump(profiler->path))
		state.active = 1;
	if (options->perf_map && perf_map_open())
		state.active = 1;
	if (options->oprofile && oprofile_agent_open())
		state.active = 1;
	if (!state.active)
		return;
	handle = mono_profiler_create(profiler);
	mono_profiler_set_jit_done_callback(handle, jit_done);
	mono_profiler_set_jit_code_buffer_callback(handle, code_buffer);
	mono_profiler_set_jit_chunk_created_callback(handle, chunk_created);
	mono_profiler_set_jit_chunk_destroyed_callback(handle, chunk_destroyed);
}

void jit_code_end(void)
{
	if (!enter())
		return;
	state.active = 0;
	jit_dump_close();
	perf_map_close();
	oprofile_agent_close();
	leave();
}
