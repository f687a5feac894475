/* SPDX-License-Identifier: MIT */
/*
 * Receives the runtime's reports of compiled code and passes them to the outputs, with names. Records the sizes of
 * code that belongs to no method; methods.c records those of methods.
 *
 * It has callbacks of its own, in addition to those that record. They run on attached threads in the runtime's code, so
 * the collector does not stop a thread that holds the lock.
 */
#include "jit_code.h"

#include "jit_dump.h"
#include "oprofile_agent.h"
#include "perf_map.h"
#include "threads.h"

#include <mono/metadata/debug-helpers.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that the runtime compiles code to. Precompiled code is elsewhere; its file contains its names. */
typedef struct chunk {
	const unsigned char *start;
	size_t size;
	const void **reported; /* Reported code in the chunk. Its addresses are not reused while the chunk exists. */
	size_t reported_count;
	size_t reported_room;
	struct chunk *next;
} chunk;

static struct {
	pid_t process;
	pthread_mutex_t lock; /* Guards the fields below and the outputs. */
	int active;           /* An output is open, or sizes are recorded. */
	int records_sizes;    /* Constant once the callbacks are installed. */
	chunk *chunks;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns 1 with the lock held, if there is something to do. */
static int lock_outputs(void)
{
	/* A child made by fork() shares the files, but they describe the parent process. */
	if (state.process != getpid())
		return 0;
	pthread_mutex_lock(&state.lock);
	if (state.active)
		return 1;
	pthread_mutex_unlock(&state.lock);
	return 0;
}

static void unlock_outputs(void)
{
	pthread_mutex_unlock(&state.lock);
}

static chunk *find_chunk(const void *code)
{
	const unsigned char *address = code;

	for (chunk *memory = state.chunks; memory != NULL; memory = memory->next)
		if (address >= memory->start && (size_t)(address - memory->start) < memory->size)
			return memory;
	return NULL;
}

/*
 * Returns 1 if this code was not reported before. The runtime reports transition code again for each method that uses
 * it. If out of memory, code may be reported twice.
 */
static int add_reported(chunk *memory, const void *code)
{
	for (size_t i = memory->reported_count; i > 0; i--)
		if (memory->reported[i - 1] == code)
			return 0;
	if (memory->reported_count == memory->reported_room) {
		size_t room = memory->reported_room == 0 ? 16 : memory->reported_room * 2;
		const void **larger = realloc(memory->reported, room * sizeof(*larger));

		if (larger == NULL)
			return 1;
		memory->reported = larger;
		memory->reported_room = room;
	}
	memory->reported[memory->reported_count++] = code;
	return 1;
}

/* Returns 1 if the code was not reported before. */
static int report_code(const void *code, size_t size, const char *name)
{
	chunk *memory;
	int is_new;

	if (size == 0 || !lock_outputs())
		return 0;
	memory = find_chunk(code);
	is_new = memory != NULL && add_reported(memory, code);
	if (is_new) {
		jit_dump_code(code, size, name);
		perf_map_code(code, size, name);
		oprofile_agent_code(code, size, name);
	}
	unlock_outputs();
	return is_new;
}

static void jit_done(MonoProfiler *profiler, MonoMethod *method, MonoJitInfo *code)
{
	char *name;

	(void)profiler;
	if (code == NULL)
		return;
	name = mono_method_full_name(method, 1);
	(void)report_code(mono_jit_info_get_code_start(code), (size_t)mono_jit_info_get_code_size(code),
			  name == NULL ? "" : name);
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
	mprof_thread *recording;

	/* Methods are reported by jit_done(), when they are complete. */
	if (type == MONO_PROFILER_CODE_BUFFER_METHOD || !report_code(buffer, (size_t)size, buffer_name(type, data)) ||
	    !state.records_sizes)
		return;
	recording = threads_recording(profiler);
	if (recording != NULL)
		(void)mprof_thread_record_method_code(recording, 0, MPROF_CODE_TRAMPOLINE, (uint32_t)size);
}

static void chunk_created(MonoProfiler *profiler, const mono_byte *start, uintptr_t size)
{
	chunk *memory = calloc(1, sizeof(*memory));

	(void)profiler;
	/* If out of memory, the code of the chunk is not reported. */
	if (memory == NULL)
		return;
	memory->start = start;
	memory->size = size;
	if (!lock_outputs()) {
		free(memory);
		return;
	}
	memory->next = state.chunks;
	state.chunks = memory;
	unlock_outputs();
}

static void chunk_destroyed(MonoProfiler *profiler, const mono_byte *start)
{
	chunk **link = &state.chunks;
	chunk *memory;

	(void)profiler;
	if (!lock_outputs())
		return;
	while (*link != NULL && (*link)->start != start)
		link = &(*link)->next;
	memory = *link;
	if (memory != NULL) {
		*link = memory->next;
		for (size_t i = 0; i < memory->reported_count; i++)
			oprofile_agent_unload(memory->reported[i]);
		free(memory->reported);
		free(memory);
	}
	unlock_outputs();
}

/* The directory of a path. Modifies the path. */
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

int jit_code_is_recorded(const module_options *options)
{
	return (options->kinds & RECORD_JIT) != 0 && !options_are_classic(options);
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
	state.records_sizes = jit_code_is_recorded(options);
	state.active |= state.records_sizes;
	if (!state.active)
		return;
	handle = mono_profiler_create(profiler);
	if (options->jit_dump || options->perf_map || options->oprofile)
		mono_profiler_set_jit_done_callback(handle, jit_done);
	mono_profiler_set_jit_code_buffer_callback(handle, code_buffer);
	mono_profiler_set_jit_chunk_created_callback(handle, chunk_created);
	mono_profiler_set_jit_chunk_destroyed_callback(handle, chunk_destroyed);
}

void jit_code_end(void)
{
	if (!lock_outputs())
		return;
	state.active = 0;
	jit_dump_close();
	perf_map_close();
	oprofile_agent_close();
	unlock_outputs();
}
