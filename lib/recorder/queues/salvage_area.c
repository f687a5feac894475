/* SPDX-License-Identifier: MIT */
/* Allocates pieces of a mapped file, and finds the pieces in the file of a process that has ended. */
#include "recorder/queues/salvage_area.h"

#include "base/cancellation.h"
#include "io/high_descriptor.h"
#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Type of the file systems in memory, and of a memfd: TMPFS_MAGIC in linux/magic.h. */
#define TMPFS_TYPE 0x01021994

#define PIECE_MAGIC UINT64_C(0x6d70726f66706365)

/* Parts of the file are allocated in steps of this size, so that most pieces need no system call. */
#define BACKING_STEP (UINT64_C(256) << 10)

/*
 * A part of the file is mapped at a time: at least MIN_CHUNK bytes, and a sixteenth of what is mapped already, so
 * that the mappings stay few and hardly any address space is unused.
 */
#define MIN_CHUNK (UINT64_C(1) << 20)
#define MAX_CHUNKS 1024

/* A multiple of the page size of any system, as offsets of mappings must be. */
#define CHUNK_ALIGNMENT (UINT64_C(64) << 10)

static uint64_t round_up(uint64_t size, uint64_t alignment)
{
	return (size + alignment - 1) & ~(alignment - 1);
}

/* The check value of a piece, which other content is unlikely to have at this offset. */
static uint64_t salvage_check(uint64_t offset, const salvage_piece *piece)
{
	return (PIECE_MAGIC ^ offset ^ (uint64_t)piece->kind << 56) + piece->size * UINT64_C(0x9ddfea08eb382d69);
}

static salvage_root *root_of(const salvage_area *area)
{
	return (salvage_root *)(void *)area->base;
}

static uint64_t first_piece(size_t header_size)
{
	return round_up(offsetof(salvage_root, header) + header_size, SALVAGE_ALIGNMENT);
}

static int open_file(const char *path, int flags, int *fd)
{
	do
		*fd = open(path, flags);
	while (*fd < 0 && errno == EINTR);
	return *fd < 0 ? errno : 0;
}

/* The program may have closed the descriptor and opened another file with the same number. */
static int is_own_file(const salvage_area *area)
{
	struct stat status;

	return fstat(area->fd, &status) == 0 && (uint64_t)status.st_dev == area->device &&
	       (uint64_t)status.st_ino == area->inode;
}

/* Of the room that is free in a file system, the area takes no more than this part: the rest is for the log. */
#define MIN_FREE_SHARE 4

/* And it leaves this much free. */
#define MIN_FREE_BYTES (UINT64_C(32) << 20)

/* Whether the file system has so much room that a file of \p offset + \p size bytes does not end the log early. */
static int has_room(const salvage_area *area, uint64_t offset, uint64_t size)
{
	struct statfs status;
	uint64_t free_bytes;

	/* Memory is not limited by the size of a file system. */
	if (area->is_unnamed || fstatfs(area->fd, &status) != 0)
		return 1;
	free_bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
	return free_bytes >= MIN_FREE_BYTES && offset + size <= free_bytes / MIN_FREE_SHARE;
}

/* As fallocate(), which is a cancellation point: see base/cancellation.h. */
static int allocate_blocks(int fd, uint64_t offset, uint64_t size)
{
#if defined(__linux__) && defined(__LP64__)
	return (int)syscall(SYS_fallocate, fd, 0, (off_t)offset, (off_t)size);
#else
	return fallocate(fd, 0, (off_t)offset, (off_t)size);
#endif
}

/* Allocates a part of the file, without changing its content. Returns 0 or an errno value. */
static int allocate_range(const salvage_area *area, uint64_t offset, uint64_t size)
{
	struct rlimit limit;
	int error;

	if (!is_own_file(area))
		return EBADF;
	/* Checked first: exceeding it raises a signal. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < offset + size)
		return EFBIG;
	if (!has_room(area, offset, size))
		return ENOSPC;
	do
		error = allocate_blocks(area->fd, offset, size) != 0 ? errno : 0;
	while (error == EINTR);
	return error;
}

/* Allocates a part of the file by writing zeros. No other thread may use that part yet. */
static int write_zeros(const salvage_area *area, uint64_t offset, uint64_t size)
{
	static const char zeros[4096];

	for (uint64_t done = 0; done < size;) {
		uint64_t remaining = size - done;
		ssize_t written = pwrite(area->fd, zeros, remaining < sizeof(zeros) ? (size_t)remaining : sizeof(zeros),
					 (off_t)(offset + done));

		if (written < 0 && errno != EINTR)
			return errno;
		done += written > 0 ? (uint64_t)written : 0;
	}
	return 0;
}

/*
 * Allocates the file for a chunk up to \p end, and some more for the next pieces. Several threads may do so at once:
 * allocating a range twice has no effect.
 */
static int extend_backing(const salvage_area *area, salvage_chunk *chunk, uint64_t end)
{
	uint64_t start = atomic_load_explicit(&chunk->backed, memory_order_relaxed);
	uint64_t target = round_up(end, BACKING_STEP);
	int error;

	if (start >= end)
		return 0;
	if (target > chunk->size)
		target = chunk->size;
	error = allocate_range(area, chunk->offset + start, target - start);
	while (error == 0 && start < target &&
	       !atomic_compare_exchange_weak_explicit(&chunk->backed, &start, target, memory_order_release,
						      memory_order_relaxed))
		continue;
	return error;
}

/* The slow path of back_with_file(). */
static int back_range(const salvage_area *area, salvage_chunk *chunk, uint64_t start, uint64_t size)
{
	/* Writing is a cancellation point. */
	WITHOUT_CANCELLATION;
	int error;

	if (extend_backing(area, chunk, start + size) == 0)
		return 0;
	/* There may be room for this piece alone. */
	error = allocate_range(area, chunk->offset + start, size);
	return error == EOPNOTSUPP || error == ENOSYS ? write_zeros(area, chunk->offset + start, size) : error;
}

/*
 * Allocates the range of a new piece in the file: otherwise the first store there would raise SIGBUS on a full disk.
 * Returns 0 or an errno value.
 */
static int back_with_file(const salvage_area *area, salvage_chunk *chunk, uint64_t start, uint64_t size)
{
	/* Acquire: pairs with the release in extend_backing(), which follows the allocation. */
	if (atomic_load_explicit(&chunk->backed, memory_order_acquire) >= start + size)
		return 0;
	return back_range(area, chunk, start, size);
}

/* Maps a part of the file, which may end before it. Returns NULL and sets errno if the system refuses. */
static unsigned char *map_range(const salvage_area *area, uint64_t offset, uint64_t size)
{
	void *memory = MAP_FAILED;

	if (!is_own_file(area))
		errno = EBADF;
	else
		memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, area->fd, (off_t)offset);
	if (memory == MAP_FAILED)
		return NULL;
	/* Excluded from core files: the salvage file contains it already. */
	(void)madvise(memory, (size_t)size, MADV_DONTDUMP);
	return memory;
}

/* Enters a part of the file that was mapped into the table. Returns NULL if that is full. */
static salvage_chunk *add_chunk(salvage_area *area, unsigned char *base, const salvage_chunk *fresh)
{
	uint32_t index = atomic_load_explicit(&area->chunk_count, memory_order_relaxed);
	salvage_chunk *chunk;

	do {
		if (index == MAX_CHUNKS)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&area->chunk_count, &index, index + 1, memory_order_relaxed,
							memory_order_relaxed));
	chunk = &area->chunks[index];
	chunk->offset = fresh->offset;
	chunk->size = fresh->size;
	atomic_store_explicit(&chunk->used, atomic_load_explicit(&fresh->used, memory_order_relaxed),
			      memory_order_relaxed);
	atomic_store_explicit(&chunk->backed, atomic_load_explicit(&fresh->backed, memory_order_relaxed),
			      memory_order_relaxed);
	/* Release: a thread that sees the address sees the rest, too. */
	atomic_store_explicit(&chunk->base, base, memory_order_release);
	return chunk;
}

/*
 * Maps the next part of the file, with room for a piece of \p size bytes, and describes it in \p fresh. Returns NULL if
 * the system refuses.
 */
static unsigned char *map_next(const salvage_area *area, uint64_t size, salvage_chunk *fresh)
{
	_Atomic uint64_t *used = &root_of(area)->used;
	uint64_t offset = atomic_load_explicit(used, memory_order_relaxed);
	const uint64_t least = round_up(size, CHUNK_ALIGNMENT);

	for (;;) {
		uint64_t length = offset / 16 > MIN_CHUNK ? round_up(offset / 16, CHUNK_ALIGNMENT) : MIN_CHUNK;
		unsigned char *base;

		if (area->capacity - offset < least)
			return NULL;
		if (length < least || length > area->capacity - offset)
			length = least;
		base = map_range(area, offset, length);
		if (base == NULL && length > least) {
			length = least;
			base = map_range(area, offset, length);
		}
		if (base == NULL)
			return NULL;
		if (atomic_compare_exchange_strong_explicit(used, &offset, offset + length, memory_order_relaxed,
							    memory_order_relaxed)) {
			fresh->offset = offset;
			fresh->size = length;
			return base;
		}
		/* Another thread has taken this part of the file. */
		munmap(base, (size_t)length);
	}
}

/* Adds a chunk with room for a piece of \p size bytes, which is the caller's. Returns NULL if the system refuses. */
static salvage_chunk *map_chunk(salvage_area *area, uint64_t size)
{
	salvage_chunk fresh = {.used = size};
	unsigned char *base = map_next(area, size, &fresh);
	uint64_t end = fresh.offset + fresh.size;
	salvage_chunk *chunk = NULL;

	if (base == NULL)
		return NULL;
	if (back_with_file(area, &fresh, 0, size) == 0)
		chunk = add_chunk(area, base, &fresh);
	if (chunk != NULL)
		return chunk;
	munmap(base, (size_t)fresh.size);
	/* Given back, unless another thread has taken the part that follows. */
	(void)atomic_compare_exchange_strong_explicit(&root_of(area)->used, &end, fresh.offset, memory_order_relaxed,
						      memory_order_relaxed);
	return NULL;
}

/* Maps the start of the file, with the headers. Returns 0 or an errno value. */
static int map_first_chunk(salvage_area *area)
{
	salvage_chunk fresh = {.size = round_up(area->first, MIN_CHUNK), .used = area->first};
	unsigned char *base = map_range(area, 0, fresh.size);
	int error;

	if (base == NULL)
		return errno;
	area->base = base;
	error = back_with_file(area, &fresh, 0, area->first);
	atomic_store_explicit(&area->current, add_chunk(area, base, &fresh), memory_order_release);
	if (error == 0)
		atomic_store_explicit(&root_of(area)->used, fresh.size, memory_order_relaxed);
	return error;
}

static int map_new_file(salvage_area *area, size_t header_size, uint64_t capacity)
{
	struct stat status;
	void *chunks;

	if (fstat(area->fd, &status) != 0)
		return errno;
	if (status.st_size != 0)
		return EBUSY;
	area->device = (uint64_t)status.st_dev;
	area->inode = (uint64_t)status.st_ino;
	area->is_unnamed = status.st_nlink == 0;
	area->first = first_piece(header_size);
	area->capacity = capacity & ~(CHUNK_ALIGNMENT - 1);
	chunks = mmap(NULL, MAX_CHUNKS * sizeof(*area->chunks), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (chunks == MAP_FAILED)
		return errno;
	area->chunks = chunks;
	return map_first_chunk(area);
}

int salvage_area_create(salvage_area *area, const char *path, size_t header_size, uint64_t capacity)
{
	int saved_errno = errno;
	int error;

	memset(area, 0, sizeof(*area));
	error = log_file_open_checked(path, O_RDWR, LOG_FILE_MODE, &area->fd);
	if (error == 0)
		area->fd = high_descriptor_move(area->fd);
	if (error == 0 && pthread_mutex_init(&area->lock, NULL) != 0) {
		close(area->fd);
		error = ENOMEM;
	} else if (error == 0) {
		error = map_new_file(area, header_size, capacity);
		/* Nothing is left behind where the system refuses room. */
		if (error != 0 && area->inode != 0 && strncmp(path, "/proc/", 6) != 0)
			(void)salvage_area_remove(area, path);
		if (error != 0)
			salvage_area_close(area);
	}
	if (error != 0)
		memset(area, 0, sizeof(*area));
	errno = saved_errno;
	return error;
}

static int map_old_file(salvage_area *area, size_t header_size)
{
	struct stat status;
	void *memory;

	if (fstat(area->fd, &status) != 0)
		return errno;
	if (S_ISREG(status.st_mode) && status.st_size == 0)
		return ENODATA;
	if (!S_ISREG(status.st_mode) || status.st_size < (off_t)first_piece(header_size) ||
	    (uint64_t)status.st_size > SIZE_MAX)
		return EINVAL;
	memory = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, area->fd, 0);
	if (memory == MAP_FAILED)
		return errno;
	area->base = memory;
	area->capacity = (uint64_t)status.st_size;
	area->first = first_piece(header_size);
	area->device = (uint64_t)status.st_dev;
	area->inode = (uint64_t)status.st_ino;
	return 0;
}

int salvage_area_open(salvage_area *area, const char *path, size_t header_size)
{
	int saved_errno = errno;
	int error;

	memset(area, 0, sizeof(*area));
	error = open_file(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, &area->fd);
	if (error == 0 && pthread_mutex_init(&area->lock, NULL) != 0) {
		close(area->fd);
		error = ENOMEM;
	} else if (error == 0) {
		error = map_old_file(area, header_size);
		if (error != 0)
			salvage_area_close(area);
	}
	if (error != 0)
		memset(area, 0, sizeof(*area));
	errno = saved_errno;
	return error;
}

int salvage_area_remove(const salvage_area *area, const char *path)
{
	return log_file_remove(path, area->device, area->inode);
}

int salvage_area_is_memory(const salvage_area *area)
{
	struct statfs status;

	return fstatfs(area->fd, &status) == 0 && status.f_type == TMPFS_TYPE;
}

/* The start of a chunk, or NULL if a thread has not finished mapping it. Acquire: see add_chunk(). */
static unsigned char *chunk_base(const salvage_chunk *chunk)
{
	return atomic_load_explicit(&chunk->base, memory_order_acquire);
}

int salvage_area_contains(const salvage_area *area, const void *memory)
{
	const uint32_t count = atomic_load_explicit(&area->chunk_count, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		const unsigned char *base = chunk_base(&area->chunks[i]);

		if (base != NULL && (uintptr_t)memory - (uintptr_t)base < area->chunks[i].size)
			return 1;
	}
	return 0;
}

void salvage_area_replace(const salvage_area *area)
{
	const uint32_t count = atomic_load_explicit(&area->chunk_count, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		unsigned char *base = chunk_base(&area->chunks[i]);

		if (base != NULL)
			(void)mmap(base, (size_t)area->chunks[i].size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	}
}

static void unmap_chunks(salvage_area *area)
{
	const uint32_t count = atomic_load_explicit(&area->chunk_count, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		unsigned char *base = chunk_base(&area->chunks[i]);

		if (base != NULL)
			munmap(base, (size_t)area->chunks[i].size);
	}
	munmap(area->chunks, MAX_CHUNKS * sizeof(*area->chunks));
}

void salvage_area_close(salvage_area *area)
{
	if (area->chunks != NULL)
		unmap_chunks(area);
	else if (area->base != NULL)
		munmap(area->base, (size_t)area->capacity);
	if (area->device == 0 || is_own_file(area))
		close(area->fd);
	pthread_mutex_destroy(&area->lock);
	memset(area, 0, sizeof(*area));
}

static uint64_t chunk_room(const salvage_chunk *chunk)
{
	return chunk->size - atomic_load_explicit(&chunk->used, memory_order_relaxed);
}

/*
 * Takes \p size bytes of the current chunk, or of a new one, which becomes the current one if more is left of it.
 * \p start receives their offset in the chunk. Returns NULL if there is no room.
 */
static salvage_chunk *take_range(salvage_area *area, uint64_t size, uint64_t *start)
{
	salvage_chunk *chunk = atomic_load_explicit(&area->current, memory_order_acquire);
	salvage_chunk *mapped;

	*start = atomic_load_explicit(&chunk->used, memory_order_relaxed);
	while (chunk->size - *start >= size) {
		if (atomic_compare_exchange_weak_explicit(&chunk->used, start, *start + size, memory_order_relaxed,
							  memory_order_relaxed))
			return chunk;
	}
	mapped = map_chunk(area, size);
	if (mapped != NULL && chunk_room(mapped) > chunk_room(chunk))
		(void)atomic_compare_exchange_strong_explicit(&area->current, &chunk, mapped, memory_order_release,
							      memory_order_relaxed);
	*start = 0;
	return mapped;
}

/* Allocates a piece of a rounded size; NULL if there is no room. */
static salvage_piece *reserve_piece(salvage_area *area, salvage_kind kind, uint64_t size)
{
	uint64_t start;
	salvage_chunk *chunk = take_range(area, size, &start);
	salvage_piece *piece;

	/* If the file system refuses, this range stays a hole and is not touched. */
	if (chunk == NULL || back_with_file(area, chunk, start, size) != 0)
		return NULL;
	piece = (salvage_piece *)(void *)(chunk_base(chunk) + start);
	piece->size = size;
	piece->kind = (uint32_t)kind;
	piece->offset = chunk->offset + start;
	atomic_store_explicit(&piece->check, salvage_check(piece->offset, piece), memory_order_release);
	return piece;
}

/* The size of a piece with \p size bytes of content, or 0 if it is too large. */
static uint64_t piece_size(size_t size)
{
	const uint64_t most = UINT64_C(1) << 40;

	return size < most ? round_up(offsetof(salvage_piece, content) + size, SALVAGE_ALIGNMENT) : 0;
}

void *salvage_area_reserve(salvage_area *area, salvage_kind kind, size_t size)
{
	uint64_t rounded = piece_size(size);
	salvage_piece *piece = rounded != 0 ? reserve_piece(area, kind, rounded) : NULL;

	return piece != NULL ? piece->content : NULL;
}

/* Returns the smallest size class of at least \p size bytes. \p rounded receives the size of its pieces. */
static unsigned size_class(uint64_t size, uint64_t *rounded)
{
	uint64_t quarter = 64;
	unsigned number = 0;

	while (quarter * 8 <= size) {
		quarter *= 2;
		number += 4;
	}
	*rounded = quarter * 4;
	while (*rounded < size) {
		*rounded += quarter;
		number++;
	}
	return number;
}

void *salvage_area_allocate(salvage_area *area, salvage_kind kind, size_t size)
{
	uint64_t rounded = piece_size(size);
	salvage_piece *piece;
	unsigned number;

	if (rounded == 0)
		return NULL;
	number = size_class(rounded, &rounded);
	pthread_mutex_lock(&area->lock);
	piece = area->free[number];
	if (piece != NULL)
		area->free[number] = piece->next_free;
	pthread_mutex_unlock(&area->lock);
	if (piece == NULL)
		piece = reserve_piece(area, kind, rounded);
	if (piece == NULL)
		return NULL;
	/*
	 * The piece may have been of another kind, so its check value changes. It is not in use, so recovery does not
	 * need it meanwhile.
	 */
	if (piece->kind != (uint32_t)kind) {
		atomic_store_explicit(&piece->check, 0, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		piece->kind = (uint32_t)kind;
		atomic_store_explicit(&piece->check, salvage_check(piece->offset, piece), memory_order_release);
	}
	return piece->content;
}

void salvage_area_recycle(salvage_area *area, void *content)
{
	salvage_piece *piece = salvage_piece_of(content);
	uint64_t rounded;
	unsigned number = size_class(piece->size, &rounded);

	atomic_store_explicit(&piece->in_use, 0, memory_order_release);
	pthread_mutex_lock(&area->lock);
	piece->next_free = area->free[number];
	area->free[number] = piece;
	pthread_mutex_unlock(&area->lock);
}

salvage_piece *salvage_area_next(const salvage_area *area, const salvage_piece *previous)
{
	uint64_t end = atomic_load_explicit(&root_of(area)->used, memory_order_relaxed);
	uint64_t offset = area->first;

	if (end > area->capacity)
		end = area->capacity;
	if (previous != NULL)
		offset = (uint64_t)((const unsigned char *)previous - area->base) + previous->size;
	for (; offset + offsetof(salvage_piece, content) <= end; offset += SALVAGE_ALIGNMENT) {
		salvage_piece *piece = (salvage_piece *)(void *)(area->base + offset);
		uint64_t check = atomic_load_explicit(&piece->check, memory_order_relaxed);

		if (check != 0 && check == salvage_check(offset, piece) && piece->size <= end - offset &&
		    piece->size % SALVAGE_ALIGNMENT == 0 && piece->size >= offsetof(salvage_piece, content))
			return piece;
	}
	return NULL;
}

/* Whether the check value at an offset is that of no piece, but was stored: it is stored last. */
static int is_damaged_piece(const salvage_area *area, uint64_t offset)
{
	const salvage_piece *piece = (const salvage_piece *)(const void *)(area->base + offset);
	uint64_t check;

	if (area->capacity - offset < offsetof(salvage_piece, content))
		return 0;
	check = atomic_load_explicit(&piece->check, memory_order_relaxed);
	return check != 0 && check != salvage_check(offset, piece);
}

/* Whether there is a piece at an offset. */
static int is_piece(const salvage_area *area, uint64_t offset)
{
	const salvage_piece *piece = (const salvage_piece *)(const void *)(area->base + offset);

	return area->capacity - offset >= offsetof(salvage_piece, content) &&
	       atomic_load_explicit(&piece->check, memory_order_relaxed) == salvage_check(offset, piece);
}

int salvage_area_check(const salvage_area *area, uint64_t *offset)
{
	const uint64_t mapped = atomic_load_explicit(&root_of(area)->used, memory_order_relaxed);
	/* The file may end within the last chunk. */
	const uint64_t used = mapped < area->capacity ? mapped : area->capacity;
	const salvage_piece *piece = NULL;
	uint64_t end = area->first;
	uint64_t found;

	*offset = 0;
	if (mapped < area->first || mapped % SALVAGE_ALIGNMENT != 0)
		return 0;
	for (;;) {
		/* Where a piece ends, there is another one, one that was being allocated, or the rest of a chunk. */
		*offset = end;
		if (end < used && is_damaged_piece(area, end))
			return 0;
		piece = salvage_area_next(area, piece);
		found = piece != NULL ? (uint64_t)((const unsigned char *)piece - area->base) : used;
		if (end < found && is_piece(area, end))
			return 0;
		if (piece == NULL)
			break;
		end = found + piece->size;
	}
	*offset = 0;
	/* Pieces after the last one: the end itself is damaged. */
	return !is_piece(area, used);
}
