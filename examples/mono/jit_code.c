/* SPDX-License-Identifier: MIT */
/* Compiled code, in the log and for perf and OProfile. */
#include "jit_code.h"

#include <mono/metadata/debug-helpers.h>

#include "threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
	int fd;
	char path[PATH_MAX];
	void *marker;
	size_t marker_size;
	uint64_t loads;
} dump = {.fd = -1};

/*
 * Creates a file that only this user may read and write, and replaces one of the same name. Never opens a file that
 * another user created, nor follows a link. Returns a descriptor, or -1 with errno set.
 */
static int output_file_create(const char *path)
{
	/* Opened for reading too, since mmap() requires it. */
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0600);

	/*
	 * The file is left over from a process with the same ID. In a sticky directory, only its owner can remove it.
	 */
	if (fd < 0 && errno == EEXIST && unlink(path) == 0)
		fd = open(path, flags, 0600);
	return fd;
}

static void skip_written(struct iovec **parts, int *count, size_t written)
{
	while (*count > 0 && written >= (*parts)->iov_len) {
		written -= (*parts)->iov_len;
		(*parts)++;
		(*count)--;
	}
	if (*count > 0) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + written;
		(*parts)->iov_len -= written;
	}
}

/* Writes all parts and modifies their descriptions. Returns 1, or 0 with errno set. */
static int output_file_write(int fd, struct iovec *parts, int count)
{
	while (count > 0) {
		ssize_t written = writev(fd, parts, count);

		if (written < 0 && errno != EINTR)
			return 0;
		if (written >= 0)
			skip_written(&parts, &count, (size_t)written);
	}
	return 1;
}

#define MAGIC 0x4a695444
#define DUMP_VERSION 1
#define RECORD_CODE_LOAD 0
#define RECORD_CODE_CLOSE 3

typedef struct file_header {
	uint32_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t machine; /* ELF machine number. */
	uint32_t padding;
	uint32_t process;
	uint64_t time;
	uint64_t flags;
} file_header;

typedef struct record_header {
	uint32_t id;
	uint32_t size; /* Size of the whole record, in bytes. */
	uint64_t time;
} record_header;

/* Followed by the name with its NUL, and the code. */
typedef struct code_load {
	record_header header;
	uint32_t process;
	uint32_t thread;
	uint64_t load_address;
	uint64_t address;
	uint64_t size;
	uint64_t index; /* Unique for each record. */
} code_load;

/* Nanoseconds of the clock that "perf record -k mono" uses. */
static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The machine number in the ELF header of the running program, which has the byte order of this machine. */
static uint32_t machine(void)
{
	uint16_t number = 0;
	FILE *file = fopen("/proc/self/exe", "rbe");

	if (file == NULL)
		return 0;
	if (fseek(file, 18, SEEK_SET) != 0 || fread(&number, sizeof(number), 1, file) != 1)
		number = 0;
	fclose(file);
	return number;
}

static void close_after_error(int error)
{
	fprintf(stderr, "mprof: cannot write %s: %s; code compiled from now on is missing in it\n", dump.path,
		strerror(error));
	close(dump.fd);
	dump.fd = -1;
}

static int write_header(void)
{
	file_header header = {.magic = MAGIC, .version = DUMP_VERSION, .size = sizeof(header)};

	header.machine = machine();
	header.process = (uint32_t)getpid();
	header.time = now();
	return output_file_write(dump.fd, &(struct iovec){&header, sizeof(header)}, 1);
}

/* perf finds the file by this executable mapping, which it records like all others. */
static int map_marker(void)
{
	long size = sysconf(_SC_PAGESIZE);
	void *marker;

	dump.marker_size = size > 0 ? (size_t)size : 4096;
	marker = mmap(NULL, dump.marker_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump.fd, 0);
	dump.marker = marker == MAP_FAILED ? NULL : marker;
	return dump.marker != NULL;
}

/*
 * There is one file for the process. Not thread-safe: callers serialize their calls.
 */

/* Creates jit-PID.dump in a directory. Returns 1; 0 after a message. */
static int jit_dump_open(const char *directory)
{
	int length = snprintf(dump.path, sizeof(dump.path), "%s/jit-%ld.dump", directory, (long)getpid());

	if (length < 0 || (size_t)length >= sizeof(dump.path)) {
		fprintf(stderr, "mprof: cannot write a jitdump to %s: %s\n", directory, strerror(ENAMETOOLONG));
		return 0;
	}
	dump.fd = output_file_create(dump.path);
	if (dump.fd < 0) {
		fprintf(stderr, "mprof: cannot write %s: %s\n", dump.path, strerror(errno));
		return 0;
	}
	if (!write_header()) {
		close_after_error(errno);
		return 0;
	}
	if (!map_marker()) {
		fprintf(stderr, "mprof: cannot map %s as code: %s; perf would not find the file\n", dump.path,
			strerror(errno));
		close(dump.fd);
		dump.fd = -1;
		(void)unlink(dump.path);
		return 0;
	}
	return 1;
}

/* Reports code that is ready to run. Does nothing after an error, which is printed once. */
static void jit_dump_code(const void *start, size_t size, const char *name)
{
	size_t name_size = strlen(name) + 1;
	code_load load = {.header = {.id = RECORD_CODE_LOAD}};
	struct iovec parts[3];

	if (dump.fd < 0 || size > UINT32_MAX - sizeof(load) - name_size)
		return;
	load.header.size = (uint32_t)(sizeof(load) + name_size + size);
	load.header.time = now();
	load.process = (uint32_t)getpid();
	load.thread = (uint32_t)syscall(SYS_gettid);
	load.address = (uintptr_t)start;
	load.load_address = load.address;
	load.size = size;
	load.index = dump.loads++;
	parts[0] = (struct iovec){&load, sizeof(load)};
	parts[1] = (struct iovec){(void *)(uintptr_t)name, name_size};
	parts[2] = (struct iovec){(void *)(uintptr_t)start, size};
	if (!output_file_write(dump.fd, parts, 3))
		close_after_error(errno);
}

/* Writes the end of the file and closes it. Does nothing if it is not open. */
static void jit_dump_close(void)
{
	record_header end = {.id = RECORD_CODE_CLOSE, .size = sizeof(end)};

	if (dump.fd < 0)
		return;
	end.time = now();
	if (!output_file_write(dump.fd, &(struct iovec){&end, sizeof(end)}, 1)) {
		close_after_error(errno);
		return;
	}
	close(dump.fd);
	dump.fd = -1;
}

static struct {
	int fd;
	char path[64];
} map = {.fd = -1};

/* Creates the file. Returns 1; 0 after a message. */
static int perf_map_open(void)
{
	snprintf(map.path, sizeof(map.path), "/tmp/perf-%ld.map", (long)getpid());
	map.fd = output_file_create(map.path);
	if (map.fd < 0)
		fprintf(stderr, "mprof: cannot write %s: %s\n", map.path, strerror(errno));
	return map.fd >= 0;
}

static void perf_map_close(void)
{
	if (map.fd >= 0)
		close(map.fd);
	map.fd = -1;
}

/* Reports code that is ready to run. Does nothing after an error, which is printed once. */
static void perf_map_code(const void *start, size_t size, const char *name)
{
	char numbers[48];
	char newline[] = "\n";
	struct iovec parts[3];

	if (map.fd < 0)
		return;
	snprintf(numbers, sizeof(numbers), "%" PRIxPTR " %zx ", (uintptr_t)start, size);
	parts[0] = (struct iovec){numbers, strlen(numbers)};
	/* Method names may contain any character; a name ends at the first line feed, for one line per method. */
	parts[1] = (struct iovec){(void *)(uintptr_t)name, strcspn(name, "\n")};
	parts[2] = (struct iovec){newline, 1};
	if (output_file_write(map.fd, parts, 3))
		return;
	fprintf(stderr, "mprof: cannot write %s: %s; code compiled from now on is missing in it\n", map.path,
		strerror(errno));
	perf_map_close();
}

/* All functions except open_agent() return 0 on success. */
static struct {
	void *library;
	void *agent;
	void *(*open_agent)(void);
	int (*close_agent)(void *agent);
	int (*write_native_code)(void *agent, const char *name, uint64_t address, const void *code, unsigned size);
	int (*unload_native_code)(void *agent, uint64_t address);
} oprofile;

static void *find_library(void)
{
	void *library = dlopen("libopagent.so.1", RTLD_NOW | RTLD_LOCAL);

	return library != NULL ? library : dlopen("libopagent.so", RTLD_NOW | RTLD_LOCAL);
}

static void *find_function(const char *name)
{
	void *function = dlsym(oprofile.library, name);

	if (function == NULL)
		fprintf(stderr, "mprof: no names for oprofile: libopagent has no function %s\n", name);
	return function;
}

static int find_functions(void)
{
	oprofile.open_agent = (void *(*)(void))find_function("op_open_agent");
	oprofile.close_agent = (int (*)(void *))find_function("op_close_agent");
	oprofile.write_native_code =
		(int (*)(void *, const char *, uint64_t, const void *, unsigned))find_function("op_write_native_code");
	oprofile.unload_native_code = (int (*)(void *, uint64_t))find_function("op_unload_native_code");
	return oprofile.open_agent != NULL && oprofile.close_agent != NULL && oprofile.write_native_code != NULL &&
	       oprofile.unload_native_code != NULL;
}

/* Loads the library and opens its agent. Returns 1; 0 after a message. */
static int oprofile_agent_open(void)
{
	oprofile.library = find_library();
	if (oprofile.library == NULL) {
		const char *why = dlerror();

		fprintf(stderr, "mprof: no names for oprofile: %s\n", why == NULL ? "cannot load libopagent" : why);
		return 0;
	}
	if (!find_functions())
		return 0;
	oprofile.agent = oprofile.open_agent();
	if (oprofile.agent == NULL)
		fprintf(stderr, "mprof: no names for oprofile: op_open_agent: %s\n", strerror(errno));
	return oprofile.agent != NULL;
}

static void oprofile_agent_close(void)
{
	if (oprofile.agent != NULL)
		(void)oprofile.close_agent(oprofile.agent);
	oprofile.agent = NULL;
}

/* Reports code that is ready to run. Does nothing after an error, which is printed once. */
static void oprofile_agent_code(const void *start, size_t size, const char *name)
{
	if (oprofile.agent == NULL || size > UINT_MAX)
		return;
	if (oprofile.write_native_code(oprofile.agent, name, (uintptr_t)start, start, (unsigned)size) == 0)
		return;
	fprintf(stderr, "mprof: no more names for oprofile: op_write_native_code: %s\n", strerror(errno));
	oprofile_agent_close();
}

/* Reports that code reported before is freed. */
static void oprofile_agent_unload(const void *start)
{
	if (oprofile.agent != NULL)
		(void)oprofile.unload_native_code(oprofile.agent, (uintptr_t)start);
}

/*
 * It has callbacks of its own, in addition to those that record. They run on attached threads in the runtime's code, so
 * the collector does not stop a thread that holds the lock.
 */

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
