/* SPDX-License-Identifier: MIT */
/*
 * Is preloaded into a program with LD_PRELOAD and runs the program repeatedly from its start, each time with another
 * request to the system refused. It forks before the program's main(), one child for each run. The first run, in which
 * nothing is refused, gives the expected result. Every other run has to print the same and end with the same status, or
 * end with a status other than 0 and another message on standard error; and it has to terminate.
 *
 * FAULT_PROGRAM: the name of the program, since its wrappers run other programs. FAULT_KIND: memory, or io for calls on
 * files. FAULT_OUT: a file that the program writes, in a folder of its own: it has to exist completely or not at all,
 * and no other file may remain in the folder. FAULT_BEFORE: a copy of the earlier content of that file, which has to be
 * unchanged if the program fails. FAULT_MADE: a file that the program writes, with different content each time: it has
 * to exist if the first run wrote it. FAULT_PAIRS: the number of pairs of requests that are refused in addition; they
 * are the same each time. FAULT_SEEN: a file of the call stacks from which requests were refused. A request from one of
 * them is not refused again, except in pairs, and the others are added; several programs can share the file.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A run that takes more processor time or prints more bytes than this is considered endless. */
#define MAX_SECONDS 10
#define MAX_BYTES ((rlim_t)64 << 20)

/* Seconds of wall-clock time after which a blocked run is killed, which neither of these limits would end. */
#define LAST_RESORT 600

/* The largest distance of the second request in every other pair: error handling makes few requests. */
#define NEAR_REQUESTS 16

/* Requests of a run whose call stacks are kept, and frames of each. All later requests are refused. */
#define MAX_STACKS 65536
#define MAX_FRAMES 64

/* The first two requests from one call stack in a run are different: an array grows from nothing, or from some content. */
#define MAX_REPETITIONS 2

/* For requests that dlsym() makes while the real functions are not known yet. */
#define EARLY_BYTES 16384

typedef enum fault_kind { FAULT_MEMORY, FAULT_IO } fault_kind;

/* How a call fails. The last two are no errors for a program that handles the result of the call. */
typedef enum fault_mode {
	FAULT_FROM_ON,
	FAULT_ONCE,
	FAULT_FULL,        /* Calls that write fail from one request on: no space left. */
	FAULT_SHORT,       /* Calls that read or write process one byte, from one request on. */
	FAULT_INTERRUPTED, /* Once, by a signal. */
	FAULT_MODES
} fault_mode;

static const char *const mode_names[] = {"and all later ones", "alone", "and later: no space", "and later: short",
					 "interrupted"};

static int is_armed; /* Set in a child. */
static fault_kind kind;
static fault_mode mode;
static long fail_at;
static long fail_too;           /* With FAULT_ONCE: distance to a second request that fails; 0 if none. */
static volatile long *requests; /* Number of requests of the child, shared with its parent. */
static uint64_t *stacks;        /* With FAULT_SEEN: a hash of the call stack of each request, if none is refused. */

static _Alignas(16) char early[EARLY_BYTES];
static size_t early_used;

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);

#define LOAD(function) (*(void **)(&real_##function) = dlsym(RTLD_NEXT, #function))

static int is_early(const void *memory)
{
	return (const char *)memory >= early && (const char *)memory < early + sizeof(early);
}

static void *allocate_early(size_t size)
{
	void *memory = early + early_used;

	early_used += (size + 15) & ~(size_t)15;
	if (early_used > sizeof(early))
		abort();
	return memory;
}

static void load_allocator(void)
{
	static int is_loading;

	if (is_loading)
		return;
	is_loading = 1;
	LOAD(calloc);
	LOAD(realloc);
	LOAD(free);
	LOAD(malloc);
}

static uint64_t add_to_hash(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* Depends on the functions, not on where their files are loaded. backtrace() was called before, so it needs no memory. */
static uint64_t hash_call_stack(void)
{
	void *frames[MAX_FRAMES];
	int count = backtrace(frames, MAX_FRAMES);
	uint64_t hash = 1;
	Dl_info file;

	for (int i = 0; i < count; i++)
		if (dladdr(frames[i], &file) != 0)
			hash = add_to_hash(hash, (uint64_t)((char *)frames[i] - (char *)file.dli_fbase));
	return hash;
}

/* Counts a request. Returns whether this one fails. */
static int is_refused(fault_kind of)
{
	long n;

	if (!is_armed || of != kind)
		return 0;
	n = ++*requests;
	if (fail_at == 0) {
		if (stacks != NULL && n <= MAX_STACKS)
			stacks[n - 1] = hash_call_stack();
		return 0;
	}
	if (fail_too != 0 && n == fail_at + fail_too)
		return 1;
	return mode == FAULT_ONCE || mode == FAULT_INTERRUPTED ? n == fail_at : n >= fail_at;
}

static int no_memory(void)
{
	if (!is_refused(FAULT_MEMORY))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	if (real_malloc == NULL)
		load_allocator();
	if (real_malloc == NULL)
		return allocate_early(size);
	return no_memory() ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (real_calloc == NULL)
		load_allocator();
	if (real_calloc == NULL)
		return allocate_early(count * size);
	return no_memory() ? NULL : real_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	void *moved;

	if (real_realloc == NULL)
		load_allocator();
	if (real_realloc == NULL || is_early(memory)) {
		moved = malloc(size);
		if (moved != NULL && memory != NULL)
			memmove(moved, memory, size);
		return moved;
	}
	return no_memory() ? NULL : real_realloc(memory, size);
}

void free(void *memory)
{
	if (memory == NULL || is_early(memory))
		return;
	if (real_free == NULL)
		load_allocator();
	real_free(memory);
}

/* Whether a call on files fails: returns 1 with errno set. */
static int fails(int writes, int can_be_interrupted)
{
	/* Calls that a mode does not affect are not counted in it. */
	if (mode == FAULT_SHORT || (mode == FAULT_FULL && !writes) ||
	    (mode == FAULT_INTERRUPTED && !can_be_interrupted))
		return 0;
	if (!is_refused(FAULT_IO))
		return 0;
	errno = mode == FAULT_INTERRUPTED ? EINTR : mode == FAULT_FULL ? ENOSPC : EIO;
	return 1;
}

/* The number of bytes, at most \p length, that a call processes. */
static size_t shortened(size_t length)
{
	return mode == FAULT_SHORT && length > 1 && is_refused(FAULT_IO) ? 1 : length;
}

ssize_t read(int fd, void *bytes, size_t length)
{
	static ssize_t (*real_read)(int, void *, size_t);

	if (real_read == NULL)
		LOAD(read);
	return fails(0, 1) ? -1 : real_read(fd, bytes, shortened(length));
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	static ssize_t (*real_write)(int, const void *, size_t);

	if (real_write == NULL)
		LOAD(write);
	return fails(1, 1) ? -1 : real_write(fd, bytes, shortened(length));
}

int open(const char *path, int flags, ...)
{
	static int (*real_open)(const char *, int, ...);
	mode_t permissions;
	va_list list;

	va_start(list, flags);
	permissions = va_arg(list, mode_t);
	va_end(list);
	if (real_open == NULL)
		LOAD(open);
	return fails((flags & O_ACCMODE) != O_RDONLY, 0) ? -1 : real_open(path, flags, permissions);
}

int close(int fd)
{
	static int (*real_close)(int);
	int failed = fails(1, 0);
	int error = errno;

	if (real_close == NULL)
		LOAD(close);
	if (!failed)
		return real_close(fd);
	(void)real_close(fd);
	errno = error;
	return -1;
}

int fsync(int fd)
{
	static int (*real_fsync)(int);

	if (real_fsync == NULL)
		LOAD(fsync);
	/* Whether the data is on the disk is not tested. */
	(void)fd;
	return fails(1, 1) ? -1 : 0;
}

int rename(const char *from, const char *to)
{
	static int (*real_rename)(const char *, const char *);

	if (real_rename == NULL)
		LOAD(rename);
	return fails(1, 0) ? -1 : real_rename(from, to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	static int (*real_linkat)(int, const char *, int, const char *, int);

	if (real_linkat == NULL)
		LOAD(linkat);
	return fails(1, 0) ? -1 : real_linkat(from_fd, from, to_fd, to, flags);
}

int mkostemp(char *template, int flags)
{
	static int (*real_mkostemp)(char *, int);

	if (real_mkostemp == NULL)
		LOAD(mkostemp);
	return fails(1, 0) ? -1 : real_mkostemp(template, flags);
}

off_t lseek(int fd, off_t offset, int whence)
{
	static off_t (*real_lseek)(int, off_t, int);

	if (real_lseek == NULL)
		LOAD(lseek);
	return fails(0, 0) ? -1 : real_lseek(fd, offset, whence);
}

/* The result of a run. */
typedef struct outcome {
	int status; /* From waitpid(). */
	uint64_t out;
	uint64_t err;
	int has_message;
	int has_file;
	int has_created;
	uint64_t file;
	size_t left_behind;
	long requests;
} outcome;

static int streams[2]; /* Standard output and standard error of the runs. */

static void die(const char *what)
{
	fprintf(stderr, "fault server: %s: %s\n", what, strerror(errno));
	_exit(99);
}

static uint64_t hash_file(int fd, int *has_bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	unsigned char bytes[65536];
	ssize_t got;

	lseek(fd, 0, SEEK_SET);
	while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
		*has_bytes = 1;
		for (ssize_t i = 0; i < got; i++)
			hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	}
	return hash;
}

/* The number of other files in the folder of a file. */
static size_t count_others(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char folder[4096];
	const struct dirent *entry;
	size_t count = 0;
	DIR *directory;

	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
	directory = opendir(folder);
	if (directory == NULL)
		die(folder);
	while ((entry = readdir(directory)) != NULL)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			 strcmp(entry->d_name, name) != 0;
	closedir(directory);
	return count;
}

/* Restores the file to its state before the first run. */
static void restore_file(void)
{
	const char *path = getenv("FAULT_OUT");
	const char *before = getenv("FAULT_BEFORE");
	const char *created = getenv("FAULT_MADE");
	char bytes[65536];
	ssize_t length;
	int from;
	int to;

	if (created != NULL)
		unlink(created);
	if (path == NULL)
		return;
	unlink(path);
	if (before == NULL)
		return;
	from = open(before, O_RDONLY | O_CLOEXEC, 0);
	to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	length = from >= 0 ? read(from, bytes, sizeof(bytes)) : -1;
	if (to < 0 || length < 0 || write(to, bytes, (size_t)length) != length)
		die(before);
	close(from);
	close(to);
}

static void inspect_file(outcome *result)
{
	const char *path = getenv("FAULT_OUT");
	const char *created = getenv("FAULT_MADE");
	int has_bytes = 0;
	int fd;

	result->has_created = created != NULL && access(created, F_OK) == 0;
	if (path == NULL)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC, 0);
	result->has_file = fd >= 0;
	if (fd >= 0) {
		result->file = hash_file(fd, &has_bytes);
		close(fd);
	}
	result->left_behind = count_others(path);
}

/* In the child: main() runs next. */
static void become_program(void)
{
	const struct rlimit seconds = {MAX_SECONDS, MAX_SECONDS};
	const struct rlimit bytes = {MAX_BYTES, MAX_BYTES};

	dup2(streams[0], STDOUT_FILENO);
	dup2(streams[1], STDERR_FILENO);
	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_FSIZE, &bytes);
	alarm(LAST_RESORT);
	is_armed = 1;
}

/* Returns 1 in the child. */
static int run(outcome *result)
{
	pid_t child;
	int unused;

	memset(result, 0, sizeof(*result));
	for (int i = 0; i < 2; i++) {
		if (ftruncate(streams[i], 0) != 0)
			die("ftruncate");
		lseek(streams[i], 0, SEEK_SET);
	}
	restore_file();
	*requests = 0;
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		become_program();
		return 1;
	}
	if (waitpid(child, &result->status, 0) != child)
		die("waitpid");
	result->requests = *requests;
	result->out = hash_file(streams[0], &unused);
	result->err = hash_file(streams[1], &result->has_message);
	inspect_file(result);
	return 0;
}

/* Whether the message on standard error states that there was no error. */
static int denies_error(void)
{
	char bytes[4096];
	ssize_t got = pread(streams[1], bytes, sizeof(bytes) - 1, 0);

	bytes[got > 0 ? got : 0] = '\0';
	return strstr(bytes, ": no error") != NULL || strstr(bytes, ": success") != NULL;
}

/* The state of the file before each run. */
static outcome untouched;

/* Describes what is wrong with a run, or returns NULL. */
static const char *judge(const outcome *result, const outcome *right)
{
	int is_same = result->status == right->status && result->out == right->out &&
		      result->has_file == right->has_file && result->file == right->file &&
		      result->has_created == right->has_created;

	if (WIFSIGNALED(result->status)) {
		int signal_number = WTERMSIG(result->status);

		return signal_number == SIGXCPU || signal_number == SIGKILL || signal_number == SIGXFSZ ||
				       signal_number == SIGALRM
			       ? "it has no end"
			       : "it crashes";
	}
	if (result->left_behind != right->left_behind)
		return "it leaves a temporary file";
	if ((result->has_file != right->has_file || result->file != right->file) &&
	    (result->has_file != untouched.has_file || result->file != untouched.file))
		return "its output file is wrong or incomplete";
	if (is_same)
		return NULL;
	if (mode == FAULT_SHORT || mode == FAULT_INTERRUPTED)
		return "the result differs";
	if (result->status == 0)
		return "the result differs, and the status is 0";
	if (!result->has_message || result->err == right->err)
		return "the result differs, and there is no message";
	if (denies_error())
		return "it fails, and the message denies an error";
	return NULL;
}

static int keep(const char *label, int fd)
{
	char bytes[400];
	ssize_t got;

	lseek(fd, 0, SEEK_SET);
	got = read(fd, bytes, sizeof(bytes));
	fprintf(stderr, "%s: %.*s\n", label, (int)(got > 0 ? got : 0), bytes);
	return 0;
}

static long faults;
static long wrong;

static void note(const outcome *result, const outcome *right)
{
	const char *problem = judge(result, right);

	faults++;
	if (problem == NULL)
		return;
	wrong++;
	fprintf(stderr, "request %ld %s", fail_at, mode_names[mode]);
	if (fail_too != 0)
		fprintf(stderr, " and %ld", fail_at + fail_too);
	fprintf(stderr, ": %s (status %d, %d without)\n", problem, result->status, right->status);
	keep("standard error", streams[1]);
}

/* Returns 1 in a child. */
static int run_pairs(void)
{
	const char *wanted = getenv("FAULT_PAIRS");
	long count = wanted != NULL ? atol(wanted) : 0;
	uint64_t seed = 1;
	outcome right;
	outcome result;

	mode = FAULT_ONCE;
	fail_at = 0;
	if (run(&right))
		return 1;
	for (long i = 0; i < count && right.requests > 1; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		fail_at = (long)((seed >> 33) % (uint64_t)(right.requests - 1)) + 1;
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		fail_too = 1 + (long)((seed >> 33) % (uint64_t)(i % 2 == 0 ? NEAR_REQUESTS : right.requests - fail_at));
		if (run(&result))
			return 1;
		note(&result, &right);
	}
	return 0;
}

/* A set of hashes other than 0, with linear probing. */
#define TABLE_SIZE ((size_t)1 << 18)
static uint64_t *seen;
static uint64_t *in_this_run;
static int seen_file = -1;

/* Shared with the children only because fork() then has no pages to copy. */
static uint64_t *share_array(size_t count)
{
	void *array = mmap(NULL, count * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (array == MAP_FAILED)
		die("mmap");
	return array;
}

/* Returns whether the hash is new. */
static int add_to_table(uint64_t *table, uint64_t hash)
{
	size_t at = hash % TABLE_SIZE;

	while (table[at] != 0 && table[at] != hash)
		at = (at + 1) % TABLE_SIZE;
	if (table[at] == hash)
		return 0;
	table[at] = hash;
	return 1;
}

static void open_seen(const char *path)
{
	void *unused[1];
	uint64_t hash;

	(void)backtrace(unused, 1);
	seen = share_array(TABLE_SIZE);
	in_this_run = share_array(TABLE_SIZE);
	stacks = share_array(MAX_STACKS);
	seen_file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (seen_file < 0)
		die(path);
	while (read(seen_file, &hash, sizeof(hash)) == (ssize_t)sizeof(hash))
		(void)add_to_table(seen, hash);
}

/* Whether a request of the last run in which none was refused is from a call stack that is new, and so to be refused. */
static int is_new(long request)
{
	uint64_t hash;

	if (stacks == NULL || request > MAX_STACKS)
		return 1;
	hash = add_to_hash(stacks[request - 1], mode);
	for (int i = 0; i < MAX_REPETITIONS; i++) {
		hash = add_to_hash(hash, 1) | 1;
		if (!add_to_table(in_this_run, hash))
			continue;
		if (!add_to_table(seen, hash))
			return 0;
		if (write(seen_file, &hash, sizeof(hash)) != (ssize_t)sizeof(hash))
			die("the file of call stacks");
		return 1;
	}
	return 0;
}

/* Returns 1 in a child. */
static int run_all(void)
{
	outcome right;
	outcome result;

	restore_file();
	inspect_file(&untouched);
	for (mode = FAULT_FROM_ON; mode < FAULT_MODES; mode++) {
		if (kind == FAULT_MEMORY && mode > FAULT_ONCE)
			break;
		fail_at = 0;
		if (run(&right))
			return 1;
		if (in_this_run != NULL)
			memset(in_this_run, 0, TABLE_SIZE * sizeof(*in_this_run));
		for (fail_at = 1; fail_at <= right.requests; fail_at++) {
			if (!is_new(fail_at))
				continue;
			if (run(&result))
				return 1;
			note(&result, &right);
		}
	}
	if (run_pairs())
		return 1;
	printf("%ld faults, %ld wrong\n", faults, wrong);
	fflush(stdout);
	_exit(wrong != 0 || (faults == 0 && stacks == NULL));
}

__attribute__((constructor)) static void serve(void)
{
	const char *program = getenv("FAULT_PROGRAM");
	const char *name = getenv("FAULT_KIND");

	if (real_malloc == NULL)
		load_allocator();
	if (program == NULL || strcmp(program, program_invocation_short_name) != 0)
		return;
	kind = name != NULL && strcmp(name, "io") == 0 ? FAULT_IO : FAULT_MEMORY;
	requests = mmap(NULL, sizeof(*requests), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (requests == MAP_FAILED)
		die("mmap");
	for (int i = 0; i < 2; i++) {
		FILE *file = tmpfile();

		if (file == NULL)
			die("tmpfile");
		streams[i] = fcntl(fileno(file), F_DUPFD_CLOEXEC, 100);
		fclose(file);
	}
	if (getenv("FAULT_SEEN") != NULL)
		open_seen(getenv("FAULT_SEEN"));
	(void)run_all();
}
