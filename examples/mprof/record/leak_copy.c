/* SPDX-License-Identifier: MIT */
/* Reads the memory of another process, and finds where it may have pointers. */
#include "record/leak_copy.h"

#include "shared/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORD sizeof(uint64_t)
#define PAGE UINT64_C(4096)
#define PIECE_SIZE ((size_t)1 << 20)
#define PIECE_PAGES (PIECE_SIZE / PAGE)

/* Which pages of shared memory were used cannot be found out (see is_used()), so all of it is read. */
#define MAX_SHARED (UINT64_C(256) << 20)

static uint64_t round_up(uint64_t address, uint64_t unit)
{
	return (address + unit - 1) & ~(unit - 1);
}

/*
 * Reading.
 */

static int open_file(pid_t process, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/%s", (long)process, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

size_t leak_copy_read(const leak_copy *copy, uint64_t address, void *bytes, size_t length)
{
	const ssize_t got = address <= INT64_MAX ? pread(copy->memory, bytes, length, (off_t)address) : -1;

	return got > 0 ? (size_t)got : 0;
}

const char *leak_copy_open(leak_copy *copy, const memory_copy_message *message, const char *salvage)
{
	memset(copy, 0, sizeof(*copy));
	copy->salvage = salvage;
	copy->process = (pid_t)message->copy;
	copy->memory = open_file(copy->process, "mem");
	copy->pages = copy->memory >= 0 ? open_file(copy->process, "pagemap") : -1;
	if (copy->memory < 0)
		return strerror(errno);
	copy->notes = malloc(sizeof(*copy->notes));
	copy->buffer = malloc(PIECE_SIZE);
	if (copy->notes == NULL || copy->buffer == NULL)
		return strerror(ENOMEM);
	copy->notes_address = message->notes;
	if (leak_copy_read(copy, message->notes, copy->notes, sizeof(*copy->notes)) != sizeof(*copy->notes) ||
	    copy->notes->thread_count > MEMORY_COPY_THREADS || copy->notes->range_count > MEMORY_COPY_RANGES)
		return "its memory cannot be read";
	copy->notes->log[MEMORY_COPY_LOG_SIZE - 1] = '\0';
	return NULL;
}

void leak_copy_close(leak_copy *copy)
{
	if (copy->memory >= 0)
		close(copy->memory);
	if (copy->pages >= 0)
		close(copy->pages);
	free(copy->notes);
	free(copy->buffer);
	free(copy->roots.ranges);
}

int leak_copy_exists(const leak_copy *copy)
{
	uint64_t word;

	return leak_copy_read(copy, copy->notes_address, &word, sizeof(word)) == sizeof(word);
}

/*
 * Whether any page of a piece was used. fork() leaves shared memory out of the copy's page table. Pages of files that
 * were not changed are no part of a copy, and have no pointers to allocated memory.
 */
static int is_used(const leak_copy *copy, uint64_t start, size_t length)
{
	static const uint64_t present_or_swapped = UINT64_C(3) << 62;
	uint64_t entries[PIECE_PAGES + 1];
	const uint64_t first = start / PAGE;
	const size_t count = (size_t)((start + length - 1) / PAGE - first) + 1;
	const ssize_t wanted = (ssize_t)(count * sizeof(*entries));

	if (copy->pages < 0 || pread(copy->pages, entries, (size_t)wanted, (off_t)(first * sizeof(*entries))) != wanted)
		return 1;
	for (size_t i = 0; i < count; i++)
		if ((entries[i] & present_or_swapped) != 0)
			return 1;
	return 0;
}

/* Reads a piece, and goes on with the next page after one that cannot be read. */
static void scan_piece(const leak_copy *copy, uint64_t start, uint64_t end, leak_visit visit, void *user)
{
	while (end - start >= WORD) {
		const size_t length = leak_copy_read(copy, start, copy->buffer, (size_t)(end - start)) & ~(WORD - 1);
		uint64_t next = start + length;

		if (length > 0)
			visit(user, start, (const uint64_t *)copy->buffer, length / WORD);
		if (end - next >= WORD)
			next = (next | (PAGE - 1)) + 1;
		start = next < end ? next : end;
	}
}

void leak_copy_scan(const leak_copy *copy, const leak_range *range, leak_visit visit, void *user)
{
	uint64_t start = round_up(range->start, WORD);

	while (start < range->end && range->end - start >= WORD) {
		const uint64_t next = (start | (PIECE_SIZE - 1)) + 1;
		const uint64_t end = next < range->end ? next : range->end;

		/* For less than a page, a look costs more than reading. */
		if (range->is_shared || end - start < PAGE || is_used(copy, start, (size_t)(end - start)))
			scan_piece(copy, start, end, visit, user);
		start = end;
	}
}

/*
 * Mappings.
 */

typedef enum mapping_kind {
	MAPPING_DATA,      /* Of a file, private. */
	MAPPING_ANONYMOUS, /* Of no file, private. */
	MAPPING_STACK,     /* Of the first thread. */
	MAPPING_SHARED,    /* Shared, of a file or none. */
	MAPPING_GUARD,     /* Of no file, without any access. */
	MAPPING_OTHER      /* Without pointers of the program. */
} mapping_kind;

static int begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Whether a mapped file, also one that has been removed, has the name of a path with a suffix, in any directory. */
static int has_name(const char *mapped, const char *path, const char *suffix)
{
	const char *const wanted = base_name(path);
	const size_t length = strlen(wanted);
	const char *rest = base_name(mapped);

	if (strncmp(rest, wanted, length) != 0 || !begins_with(rest + length, suffix))
		return 0;
	rest += length + strlen(suffix);
	return rest[0] == '\0' || strcmp(rest, " (deleted)") == 0;
}

/*
 * Whether a mapped file may be a salvage file, which contains buffers of the recorder. Directories are not compared,
 * since the system shows paths without symbolic links.
 */
static int is_salvage(const leak_copy *copy, const char *name)
{
	return begins_with(name, "/memfd:mprof") || has_name(name, copy->notes->log, SALVAGE_SUFFIX) ||
	       (copy->salvage != NULL && has_name(name, copy->salvage, ""));
}

/*
 * Shared memory of a device cannot be read without effect. A file may have been removed, or may have this name in
 * another directory tree only, so only those are left out that are no file for sure, or are where devices are.
 */
static int is_shared_memory(const leak_copy *copy, const char *name, unsigned long inode)
{
	struct stat status;

	if (name[0] != '/' || is_salvage(copy, name) || begins_with(name, "/sys/") || begins_with(name, "/proc/"))
		return 0;
	if (begins_with(name, "/dev/"))
		return begins_with(name, "/dev/zero") || begins_with(name, "/dev/shm/");
	return stat(name, &status) != 0 || status.st_ino != inode || S_ISREG(status.st_mode);
}

static mapping_kind kind_of(const leak_copy *copy, const char *access, unsigned long inode, const char *name)
{
	const int is_writable = access[1] == 'w';

	if (access[3] == 's')
		return access[0] == 'r' && is_writable && is_shared_memory(copy, name, inode) ? MAPPING_SHARED
											      : MAPPING_OTHER;
	if (access[0] != 'r')
		return inode == 0 && strncmp(access, "---", 3) == 0 ? MAPPING_GUARD : MAPPING_OTHER;
	if (strcmp(name, "[stack]") == 0)
		return MAPPING_STACK;
	/* [heap] is that of the allocator; the others are the kernel's. Names of memory of the program have a colon. */
	if (name[0] == '[' && strchr(name, ':') == NULL)
		return MAPPING_OTHER;
	/* Data may have been made read-only. Of files that the program has not changed, nothing is in use in a copy. */
	return inode == 0 ? MAPPING_ANONYMOUS : MAPPING_DATA;
}

static void add_range(leak_ranges *list, uint64_t start, uint64_t end, int is_shared)
{
	if (start >= end || list->lacks_memory)
		return;
	if (list->count == list->capacity) {
		const size_t capacity = list->capacity != 0 ? 2 * list->capacity : 64;
		leak_range *ranges = realloc(list->ranges, capacity * sizeof(*ranges));

		if (ranges == NULL) {
			list->lacks_memory = 1;
			return;
		}
		list->ranges = ranges;
		list->capacity = capacity;
	}
	list->ranges[list->count++] = (leak_range){start, end, is_shared};
}

/* Adds memory without that of the recorder, whose ranges are sorted. */
static void add_memory(leak_copy *copy, uint64_t start, uint64_t end, int is_shared)
{
	const memory_copy_notes *notes = copy->notes;

	for (uint32_t i = 0; i < notes->range_count && start < end; i++) {
		const memory_copy_range *range = &notes->ranges[i];

		if (range->start + range->size <= start || range->start >= end)
			continue;
		add_range(&copy->roots, start, range->start, is_shared);
		start = range->start + range->size;
	}
	add_range(&copy->roots, start, end, is_shared);
}

static void add_root(leak_copy *copy, uint64_t start, uint64_t end)
{
	add_memory(copy, start, end, 0);
}

/*
 * What the allocator of the C library has beside its blocks. The layouts are those of glibc from 2.26 on for 64 bits;
 * another allocator is not recognized, and free memory of it counts as a root.
 */

/* A heap of an arena that is not the first, at a multiple of its largest size. */
#define HEAP_SIZE (UINT64_C(64) << 20)

typedef struct heap_info {
	uint64_t arena;
	uint64_t previous;
	uint64_t size;
	uint64_t accessible;
} heap_info;

/* The end of the heap that begins at an address, or the address if there is none. */
static uint64_t find_heap_end(const leak_copy *copy, uint64_t address, uint64_t end)
{
	heap_info info;
	const int is_read = leak_copy_read(copy, address, &info, sizeof(info)) == sizeof(info);
	const uint64_t offset = is_read ? info.arena & (HEAP_SIZE - 1) : 0;

	/* The arena itself is at the start of its first heap. */
	if (offset < sizeof(info) || offset > 512 || info.size == 0 || info.size % PAGE != 0 ||
	    info.size > info.accessible || info.accessible > HEAP_SIZE)
		return address;
	return address + info.accessible < end ? address + info.accessible : end;
}

/* An arena: its bins are lists, and an empty one refers to itself. */
#define ARENA_BINS 0x70
#define ARENA_BIN_COUNT 127
#define ARENA_NEXT 0x870
#define ARENA_SIZE 0x898

typedef struct arena_search {
	const leak_copy *copy;
	uint64_t before; /* The last word that was read. */
	uint64_t arena;  /* The result, 0 if there is none. */
} arena_search;

/* Arenas are in a circle: the next one is this one, or in a heap. */
static int is_arena(const leak_copy *copy, uint64_t address)
{
	uint64_t next = 0;

	if (leak_copy_read(copy, address + ARENA_NEXT, &next, sizeof(next)) != sizeof(next))
		return 0;
	return next == address || (next != 0 && next % WORD == 0 && (next & (HEAP_SIZE - 1)) >= sizeof(heap_info) &&
				   (next & (HEAP_SIZE - 1)) <= 512);
}

static void look_for_arena(void *user, uint64_t address, const uint64_t *words, size_t count)
{
	arena_search *search = user;

	for (size_t i = 0; i < count; i++) {
		const uint64_t bin = address + i * WORD - WORD;

		if (search->arena == 0 && words[i] == search->before && words[i] == bin - 2 * WORD) {
			for (uint64_t k = 0; k < ARENA_BIN_COUNT && search->arena == 0; k++)
				if (is_arena(search->copy, bin - 2 * WORD * k - ARENA_BINS))
					search->arena = bin - 2 * WORD * k - ARENA_BINS;
		}
		search->before = words[i];
	}
}

/* Static data. That of the C library contains the first arena, which has pointers into freed memory. */
static void add_data(leak_copy *copy, uint64_t start, uint64_t end)
{
	const leak_range data = {start, end, 0};
	arena_search search = {.copy = copy};

	leak_copy_scan(copy, &data, look_for_arena, &search);
	if (search.arena >= start && search.arena < end) {
		add_root(copy, start, search.arena);
		start = search.arena + ARENA_SIZE;
	}
	add_root(copy, start, end);
}

/*
 * Stacks of threads. The C library maps them with a guard below them, has its data about the thread at their upper
 * end, and keeps some of them for later threads. What is below the stack pointer is of calls that have returned.
 */

#define RED_ZONE 128

/* The lowest stack pointer in a range; 0 if there is none. */
static uint64_t find_stack_pointer(const memory_copy_notes *notes, uint64_t start, uint64_t end)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < notes->thread_count; i++) {
		const uint64_t pointer = notes->threads[i].stack;

		if (pointer >= start && pointer < end && (found == 0 || pointer < found))
			found = pointer;
	}
	return found;
}

static int is_thread(const memory_copy_notes *notes, uint32_t id)
{
	for (uint32_t i = 0; i < notes->thread_count; i++)
		if (id != 0 && notes->threads[i].id == id)
			return 1;
	return 0;
}

/* The C library's data about a thread, on x86-64: at 0 and at 16 it has its own address. */
#define THREAD_SIZE 0x900
#define THREAD_SELF (2 * WORD)

typedef struct thread_search {
	uint64_t before[2]; /* The last words that were read. */
	uint64_t thread;    /* The result, 0 if there is none. */
} thread_search;

static void look_for_thread(void *user, uint64_t address, const uint64_t *words, size_t count)
{
	thread_search *search = user;

	for (size_t i = 0; i < count; i++) {
		const uint64_t thread = address + i * WORD - THREAD_SELF;

		if (search->thread == 0 && words[i] == thread && search->before[0] == thread)
			search->thread = thread;
		search->before[0] = search->before[1];
		search->before[1] = words[i];
	}
}

/* The end of the stack of a thread that has ended, whose mapping starts at \p start; \p start if that thread exists. */
static uint64_t find_dead_stack(const leak_copy *copy, uint64_t start, uint64_t end)
{
	const leak_range stack = {start, end, 0};
	thread_search search = {0};
	uint32_t data[THREAD_SIZE / sizeof(uint32_t)];
	size_t length;

	leak_copy_scan(copy, &stack, look_for_thread, &search);
	if (search.thread == 0)
		return start;
	length = leak_copy_read(copy, search.thread, data, sizeof(data));
	for (size_t i = 0; i < length / sizeof(*data); i++)
		if (is_thread(copy->notes, data[i]))
			return start;
	return round_up(search.thread + THREAD_SIZE, PAGE) < end ? round_up(search.thread + THREAD_SIZE, PAGE) : end;
}

/* Adds memory that starts above a guard, or the stack of the first thread. */
static void add_stack(leak_copy *copy, uint64_t start, uint64_t end)
{
	const uint64_t pointer = find_stack_pointer(copy->notes, start, end);

	if (pointer != 0)
		start = pointer - start > RED_ZONE ? pointer - RED_ZONE : start;
	else if (copy->notes->has_all_threads)
		start = find_dead_stack(copy, start, end);
	add_root(copy, start, end);
}

/* Memory of no file: without the heaps in it. Mappings that adjoin each other are shown as one. */
static void add_anonymous(leak_copy *copy, uint64_t start, uint64_t end, int has_guard)
{
	uint64_t heap = round_up(start, HEAP_SIZE);

	while (start < end) {
		uint64_t heap_end = end;

		while (heap < end && (heap_end = find_heap_end(copy, heap, end)) == heap)
			heap += HEAP_SIZE;
		if (heap >= end)
			heap = heap_end = end;
		if (has_guard)
			add_stack(copy, start, heap);
		else
			add_root(copy, start, heap);
		has_guard = 0;
		start = heap_end;
		heap += HEAP_SIZE;
	}
}

static int compare_ranges(const void *first, const void *second)
{
	const memory_copy_range *left = first;
	const memory_copy_range *right = second;

	return left->start < right->start ? -1 : left->start > right->start;
}

static void add_mapping(leak_copy *copy, char *line, uint64_t *guard)
{
	uint64_t start;
	uint64_t end;
	unsigned long inode;
	char access[5];
	int name = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %lu %n", &start, &end, access, &inode, &name) < 4)
		return;
	line[strcspn(line, "\n")] = '\0';
	switch (kind_of(copy, access, inode, line + name)) {
	case MAPPING_DATA:
		add_data(copy, start, end);
		break;
	case MAPPING_ANONYMOUS:
		add_anonymous(copy, start, end, *guard == start);
		break;
	case MAPPING_STACK:
		add_stack(copy, start, end);
		break;
	case MAPPING_SHARED:
		copy->shared_bytes += end - start;
		add_memory(copy, start, end, 1);
		break;
	case MAPPING_GUARD:
		*guard = end;
		break;
	default:
		break;
	}
}

const char *leak_copy_find_roots(leak_copy *copy)
{
	const int fd = open_file(copy->process, "maps");
	FILE *maps = fd >= 0 ? fdopen(fd, "r") : NULL;
	uint64_t guard = 0;
	char *line = NULL;
	size_t size = 0;

	if (maps == NULL) {
		if (fd >= 0)
			close(fd);
		return "its mappings cannot be read";
	}
	qsort(copy->notes->ranges, copy->notes->range_count, sizeof(*copy->notes->ranges), compare_ranges);
	while (getline(&line, &size, maps) >= 0)
		add_mapping(copy, line, &guard);
	free(line);
	fclose(maps);
	if (copy->roots.lacks_memory)
		return strerror(ENOMEM);
	return copy->shared_bytes > MAX_SHARED ? "it shares too much memory" : NULL;
}
