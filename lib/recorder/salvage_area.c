/* SPDX-License-Identifier: MIT */
/* Allocates pieces of a mapped file, and finds the pieces in the file of a process that has ended. */
#include "recorder/salvage_area.h"

#include "io/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Type of the file systems in memory, and of a memfd: TMPFS_MAGIC in linux/magic.h. */
#define TMPFS_TYPE 0x01021994

/* In a smaller area, a buffer of the largest size would not fit. */
#define LEAST_CAPACITY (UINT64_C(32) << 20)

#define PIECE_MAGIC UINT64_C(0x6d70726f66706365)

/* Parts of the file are allocated in steps of this size, so that most pieces need no system call. */
#define BACKING_STEP (UINT64_C(256) << 10)

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

/* RLIMIT_FSIZE is checked first: exceeding it raises a signal. */
static uint64_t limit_capacity(uint64_t capacity)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < capacity)
		capacity = limit.rlim_cur;
	if (capacity > SIZE_MAX / 4)
		capacity = SIZE_MAX / 4;
	return capacity & ~((UINT64_C(1) << 20) - 1);
}

/* Maps \p capacity bytes, or as much as the file system and the address space allow. Returns 0 or an errno value. */
static int map_shared(salvage_area *area, uint64_t capacity)
{
	int error = limit_capacity(capacity) < LEAST_CAPACITY ? EFBIG : ENOSPC;

	for (capacity = limit_capacity(capacity); capacity >= LEAST_CAPACITY; capacity /= 2) {
		void *memory;

		if (ftruncate(area->fd, (off_t)capacity) != 0) {
			error = errno;
			continue;
		}
		memory = mmap(NULL, (size_t)capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, area->fd, 0);
		if (memory != MAP_FAILED) {
			area->base = memory;
			area->capacity = capacity;
			return 0;
		}
		error = errno;
	}
	return error;
}

/* The program may have closed the descriptor and opened another file with the same number. */
static int is_own_file(const salvage_area *area)
{
	struct stat status;

	return fstat(area->fd, &status) == 0 && (uint64_t)status.st_dev == area->device &&
	       (uint64_t)status.st_ino == area->inode;
}

/* Of the room that is free in a file system, the area takes no more than this part: the rest is for the log. */
#define LEAST_FREE_SHARE 4

/* And it leaves this much free. */
#define LEAST_FREE_BYTES (UINT64_C(32) << 20)

/* Whether the file system has so much room that taking \p size bytes does not end the log early. */
static int has_room(const salvage_area *area, uint64_t size)
{
	struct statfs status;
	uint64_t free_bytes;

	/* Memory is not limited by the size of a file system. */
	if (area->is_unnamed || fstatfs(area->fd, &status) != 0)
		return 1;
	free_bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
	return free_bytes >= LEAST_FREE_BYTES &&
	       size + atomic_load_explicit(&area->backed, memory_order_relaxed) <= free_bytes / LEAST_FREE_SHARE;
}

/* Allocates a part of the file, without changing its content. Returns 0 or an errno value. */
static int allocate_range(const salvage_area *area, uint64_t offset, uint64_t size)
{
	int error;

	if (!is_own_file(area))
		return EBADF;
	if (!has_room(area, size))
		return ENOSPC;
	do
		error = fallocate(area->fd, 0, (off_t)offset, (off_t)size) != 0 ? errno : 0;
	while (error == EINTR);
	return error;
}

/* Allocates a part of the file by writing zeros. No other thread may use that part yet. */
static int write_zeros(const salvage_area *area, uint64_t offset, uint64_t size)
{
	static const char zeros[4096];

	for (uint64_t done = 0; done < size;) {
		uint64_t left = size - done;
		ssize_t written = pwrite(area->fd, zeros, left < sizeof(zeros) ? (size_t)left : sizeof(zeros),
					 (off_t)(offset + done));

		if (written < 0 && errno != EINTR)
			return errno;
		done += written > 0 ? (uint64_t)written : 0;
	}
	return 0;
}

/*
 * Allocates the file up to \p end, and some more for the next pieces. Several threads may do so at once: allocating a
 * range twice has no effect.
 */
static int extend_backing(salvage_area *area, uint64_t end)
{
	uint64_t start = atomic_load_explicit(&area->backed, memory_order_relaxed);
	uint64_t target = round_up(end, BACKING_STEP);
	int error;

	if (start >= end)
		return 0;
	if (target > area->capacity)
		target = area->capacity;
	error = allocate_range(area, start, target - start);
	while (error == 0 && start < target &&
	       !atomic_compare_exchange_weak_explicit(&area->backed, &start, target, memory_order_release,
						      memory_order_relaxed))
		continue;
	return error;
}

/*
 * Allocates the range of a new piece in the file: otherwise the first store there would raise SIGBUS on a full disk.
 * Returns 0 or an errno value.
 */
static int back_with_file(salvage_area *area, uint64_t offset, uint64_t size)
{
	int error;

	/* Acquire: pairs with the release in extend_backing(), which follows the allocation. */
	if (atomic_load_explicit(&area->backed, memory_order_acquire) >= offset + size)
		return 0;
	if (extend_backing(area, offset + size) == 0)
		return 0;
	/* There may be room for this piece alone. */
	error = allocate_range(area, offset, size);
	return error == EOPNOTSUPP || error == ENOSYS ? write_zeros(area, offset, size) : error;
}

static int map_new_file(salvage_area *area, size_t header_size, uint64_t capacity)
{
	struct stat status;
	int error;

	if (fstat(area->fd, &status) != 0)
		return errno;
	if (status.st_size != 0)
		return EBUSY;
	area->device = (uint64_t)status.st_dev;
	area->inode = (uint64_t)status.st_ino;
	area->is_unnamed = status.st_nlink == 0;
	area->first = first_piece(header_size);
	error = map_shared(area, capacity);
	if (error == 0)
		error = back_with_file(area, 0, area->first);
	if (error == 0)
		atomic_store_explicit(&root_of(area)->used, area->first, memory_order_relaxed);
	/* Excluded from core files: the salvage file contains it already. */
	if (error == 0)
		(void)madvise(area->base, (size_t)area->capacity, MADV_DONTDUMP);
	return error;
}

int salvage_area_create(salvage_area *area, const char *path, size_t header_size, uint64_t capacity)
{
	int saved_errno = errno;
	int error;

	memset(area, 0, sizeof(*area));
	error = log_file_open_checked(path, O_RDWR, LOG_FILE_MODE, &area->fd);
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

void salvage_area_close(salvage_area *area)
{
	if (area->base != NULL)
		munmap(area->base, (size_t)area->capacity);
	if (area->device == 0 || is_own_file(area))
		close(area->fd);
	pthread_mutex_destroy(&area->lock);
	memset(area, 0, sizeof(*area));
}

/* Allocates a piece of a rounded size; NULL if there is no room. */
static salvage_piece *reserve_piece(salvage_area *area, salvage_kind kind, uint64_t size)
{
	_Atomic uint64_t *used = &root_of(area)->used;
	uint64_t offset = atomic_load_explicit(used, memory_order_relaxed);
	salvage_piece *piece;

	do {
		if (area->capacity - offset < size)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(used, &offset, offset + size, memory_order_relaxed,
							memory_order_relaxed));
	/* The file system refused: this range stays a hole and is not touched. */
	if (back_with_file(area, offset, size) != 0)
		return NULL;
	piece = (salvage_piece *)(void *)(area->base + offset);
	piece->size = size;
	piece->kind = (uint32_t)kind;
	atomic_store_explicit(&piece->check, salvage_check(offset, piece), memory_order_release);
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
		atomic_store_explicit(&piece->check,
				      salvage_check((uint64_t)((unsigned char *)piece - area->base), piece),
				      memory_order_release);
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
