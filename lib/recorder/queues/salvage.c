/* SPDX-License-Identifier: MIT */
/* The salvage file of a recorder, and the end of a compressed log in it. */
#include "recorder/queues/salvage.h"

#include "base/checksum.h"
#include "io/high_descriptor.h"
#include "io/system.h"
#include "recorder/queues/buffer_pool.h"
#include "recorder/queues/message_queue.h"
#include "recorder/queues/sample_store.h"
#include "recorder/system/proc_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_registered;

/* Held during fork(), so that the list is consistent in the child. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static salvage_fork_entry *entries;

static void before_fork(void)
{
	pthread_mutex_lock(&list_lock);
	high_descriptor_before_fork();
}

static void after_fork(void)
{
	high_descriptor_after_fork();
	pthread_mutex_unlock(&list_lock);
}

static void in_child(void)
{
	high_descriptor_after_fork();
	for (const salvage_fork_entry *entry = entries; entry != NULL; entry = entry->next)
		salvage_area_replace(entry->area);
	pthread_mutex_unlock(&list_lock);
}

static void register_handlers(void)
{
	is_registered = pthread_atfork(before_fork, after_fork, in_child) == 0;
}

/* Adds an area to the list. entry is borrowed until salvage_fork_remove(). Returns 0 if no handler can be set. */
static int salvage_fork_add(salvage_fork_entry *entry, salvage_area *area)
{
	pthread_once(&once, register_handlers);
	if (!is_registered)
		return 0;
	entry->area = area;
	pthread_mutex_lock(&list_lock);
	entry->next = entries;
	entries = entry;
	pthread_mutex_unlock(&list_lock);
	return 1;
}

/* Undoes salvage_fork_add(). */
static void salvage_fork_remove(salvage_fork_entry *entry)
{
	salvage_fork_entry **link = &entries;

	if (entry->area == NULL)
		return;
	pthread_mutex_lock(&list_lock);
	while (*link != NULL && *link != entry)
		link = &(*link)->next;
	if (*link != NULL)
		*link = entry->next;
	pthread_mutex_unlock(&list_lock);
	entry->area = NULL;
}

/* Maximum size of the file in bytes. */
#define CAPACITY ((uint64_t)8 << 30)

uint64_t salvage_layout(void)
{
	const uint64_t sizes[] = {sizeof(salvage_header), sizeof(salvage_progress),   sizeof(salvage_thread),
				  sizeof(event_buffer),   sizeof(event_slot),         sizeof(message),
				  sizeof(sample_record),  sizeof(journal_entry),      sizeof(mprof_frame),
				  sizeof(void *),         sizeof(ring_block),         sizeof(heap_chunk),
				  sizeof(tail_chunk),     sizeof(journal_root),       sizeof(journal_fields),
				  sizeof(stored_field),   sizeof(mprof_metric_value), EVENT_KIND_COUNT};
	uint64_t hash = UINT64_C(0x0102030405060708);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		hash = (hash ^ sizes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint32_t salvage_header_checksum(const salvage_header *header)
{
	return checksum_update(0, header, offsetof(salvage_header, checksum));
}

uint32_t salvage_progress_checksum(const salvage_progress *progress)
{
	static const uint32_t none;
	const size_t before = offsetof(salvage_progress, checksum);
	const size_t after = before + sizeof(progress->checksum);
	uint32_t checksum = checksum_update(0, progress, before);

	checksum = checksum_update(checksum, &none, sizeof(none));
	return checksum_update(checksum, (const unsigned char *)progress + after, sizeof(*progress) - after);
}

/* When a process started, in the system's clock ticks; 0 if it has ended or that cannot be determined. */
static uint64_t salvage_process_start(uint32_t process)
{
	char path[64];
	char text[1024];
	const char *cursor;

	snprintf(path, sizeof(path), "/proc/%u/stat", process);
	if (!proc_file_read(path, text, sizeof(text)))
		return 0;
	/* The name of the program is in parentheses, and may contain anything. The start is the 22nd field. */
	cursor = strrchr(text, ')');
	/* A zombie has ended, although its parent has not waited for it. */
	if (cursor != NULL && (cursor[2] == 'Z' || cursor[2] == 'X'))
		return 0;
	for (int field = 2; cursor != NULL && field < 22; field++)
		cursor = strchr(cursor + 1, ' ');
	return cursor != NULL ? strtoull(cursor + 1, NULL, 10) : 0;
}

int salvage_is_recording(const salvage_header *header)
{
	return header->process_start != 0 && salvage_process_start(header->process) == header->process_start;
}

/* Stores a path, made absolute. A path that is too long is not stored. */
static void store_path(char stored[SALVAGE_PATH_SIZE], const char *path)
{
	size_t length = 0;

	stored[0] = '\0';
	if (path == NULL)
		return;
	if (path[0] != '/' && getcwd(stored, SALVAGE_PATH_SIZE - 1) != NULL) {
		length = strlen(stored);
		stored[length++] = '/';
	}
	if (length + strlen(path) < SALVAGE_PATH_SIZE)
		memcpy(stored + length, path, strlen(path) + 1);
	else
		stored[0] = '\0';
}

void salvage_set_log_path(recorder_salvage *salvage, const char *path)
{
	store_path(salvage->header->log_path, path);
}

int salvage_path_is_name(const char *path)
{
	return strncmp(path, "/proc/", 6) != 0;
}

/*
 * Removes the salvage file of a process that has ended, whose log is about to be replaced. That of any other log stays:
 * it may be needed to complete that log. Returns 0 if it stays.
 */
static int remove_stale(const char *path, const char *log_path)
{
	char absolute[SALVAGE_PATH_SIZE];
	salvage_area area;
	const salvage_header *header;
	int is_stale;

	if (!salvage_path_is_name(path) || salvage_area_open(&area, path, sizeof(*header)) != 0)
		return 0;
	header = salvage_area_header(&area);
	store_path(absolute, log_path);
	is_stale = memcmp(header->magic, SALVAGE_MAGIC, sizeof(header->magic)) == 0 && !salvage_is_recording(header) &&
		   strncmp(header->log_path, absolute, SALVAGE_PATH_SIZE) == 0 && salvage_area_remove(&area, path) == 0;
	salvage_area_close(&area);
	return is_stale;
}

/* Absolute, since the program may change its directory. NULL if there is no memory. */
static char *resolve_path(const mprof_allocator *allocator, const char *path)
{
	char absolute[SALVAGE_PATH_SIZE];
	char *copy;

	if (!salvage_path_is_name(path) || !descriptor_resolve_path(path, absolute, sizeof(absolute)))
		store_path(absolute, path);
	copy = allocator_allocate(allocator, strlen(absolute) + 1);
	return copy != NULL ? strcpy(copy, absolute) : NULL;
}

static void release_path(recorder_salvage *salvage, const mprof_allocator *allocator)
{
	allocator_release(allocator, salvage->path, salvage->path != NULL ? strlen(salvage->path) + 1 : 0);
	salvage->path = NULL;
}

/* Prepares the rest of what an area needs. Returns 0 if there is no memory. */
static int begin_area(recorder_salvage *salvage, const mprof_recorder_options *options,
		      const mprof_allocator *allocator)
{
	salvage->path = resolve_path(allocator, options->salvage_path);
	if (salvage->path != NULL && salvage_fork_add(&salvage->fork_entry, &salvage->area))
		return 1;
	if (salvage_path_is_name(options->salvage_path))
		(void)salvage_area_remove(&salvage->area, options->salvage_path);
	salvage_area_close(&salvage->area);
	release_path(salvage, allocator);
	return 0;
}

int salvage_create(recorder_salvage *salvage, const mprof_recorder_options *options, const char *log_path,
		   const mprof_allocator *allocator)
{
	const char *path = options->salvage_path;
	salvage_header *header;
	int error;

	memset(salvage, 0, sizeof(*salvage));
	if (path == NULL)
		return 0;
	error = salvage_area_create(&salvage->area, path, sizeof(*header), CAPACITY);
	if (error == EBUSY && remove_stale(path, log_path))
		error = salvage_area_create(&salvage->area, path, sizeof(*header), CAPACITY);
	if (error != 0)
		return error;
	if (!begin_area(salvage, options, allocator))
		return ENOMEM;
	header = salvage_area_header(&salvage->area);
	memcpy(header->magic, SALVAGE_MAGIC, sizeof(header->magic));
	header->layout = salvage_layout();
	header->process = (uint32_t)getpid();
	header->process_start = salvage_process_start(header->process);
	header->buffer_events = options->buffer_events;
	header->keys_are_ids = options->keys_are_ids;
	header->max_log_bytes = options->max_log_bytes;
	salvage->header = header;
	return 0;
}

salvage_thread *salvage_thread_create(recorder_salvage *salvage, uint64_t id)
{
	salvage_thread *thread;

	if (salvage->header == NULL)
		return NULL;
	thread = salvage_area_allocate(&salvage->area, SALVAGE_THREAD, sizeof(*thread));
	if (thread == NULL)
		return NULL;
	memset(thread, 0, sizeof(*thread));
	thread->id = id;
	return thread;
}

void salvage_thread_publish(salvage_thread *thread, uint32_t serial)
{
	thread->serial = serial;
	salvage_piece_publish(thread);
}

void salvage_thread_release(recorder_salvage *salvage, salvage_thread *thread)
{
	if (thread != NULL)
		salvage_area_recycle(&salvage->area, thread);
}

void salvage_finish(recorder_salvage *salvage)
{
	if (salvage->header == NULL)
		return;
	atomic_store_explicit(&salvage->header->state, SALVAGE_CLOSED, memory_order_release);
	if (salvage_path_is_name(salvage->path))
		(void)salvage_area_remove(&salvage->area, salvage->path);
}

void salvage_destroy(recorder_salvage *salvage, const mprof_allocator *allocator)
{
	if (salvage->header == NULL)
		return;
	salvage_fork_remove(&salvage->fork_entry);
	salvage_area_close(&salvage->area);
	release_path(salvage, allocator);
	memset(salvage, 0, sizeof(*salvage));
}

/*
 * The tail.
 */

/* The piece is as large as a size class, so that nothing of it is unused. */
#define CHUNK_BYTES (((size_t)256 << 10) - offsetof(salvage_piece, content) - sizeof(tail_chunk))

/* Adds a chunk for the bytes from an offset on. Returns 0 if the area has no room. */
static int add_chunk(salvage_tail *tail, uint64_t offset)
{
	tail_chunk *chunk = salvage_area_allocate(tail->area, SALVAGE_TAIL, sizeof(*chunk) + CHUNK_BYTES);

	if (chunk == NULL)
		return 0;
	chunk->member = tail->member;
	chunk->offset = offset;
	chunk->length = 0;
	chunk->next = NULL;
	if (tail->current.last != NULL)
		tail->current.last->next = chunk;
	else
		tail->current.first = chunk;
	tail->current.last = chunk;
	salvage_piece_publish(chunk);
	return 1;
}

void salvage_tail_append(void *user, const void *bytes, size_t length)
{
	salvage_tail *tail = user;
	const unsigned char *from = bytes;
	size_t done = 0;

	while (!tail->has_failed && done < length) {
		tail_chunk *chunk = tail->current.last;
		size_t part = length - done;

		if ((chunk == NULL || chunk->length == CHUNK_BYTES) && !add_chunk(tail, tail->length + done)) {
			tail->has_failed = 1;
			break;
		}
		chunk = tail->current.last;
		if (part > CHUNK_BYTES - chunk->length)
			part = CHUNK_BYTES - chunk->length;
		memcpy(chunk->bytes + chunk->length, from + done, part);
		chunk->length += part;
		done += part;
	}
	/* A member that was not kept ends before the next commit. */
	tail->length += length;
}

void salvage_tail_begin(salvage_tail *tail, uint64_t start)
{
	if (tail->ended.last != NULL)
		tail->ended.last->next = tail->current.first;
	else
		tail->ended.first = tail->current.first;
	if (tail->current.last != NULL)
		tail->ended.last = tail->current.last;
	tail->current = (tail_list){NULL, NULL};
	tail->member++;
	tail->member_start = start;
	tail->length = 0;
	tail->has_failed = 0;
}

void salvage_tail_release(salvage_tail *tail)
{
	tail_chunk *chunk = tail->ended.first;

	while (chunk != NULL) {
		tail_chunk *next = chunk->next;

		salvage_area_recycle(tail->area, chunk);
		chunk = next;
	}
	tail->ended = (tail_list){NULL, NULL};
}

/* The chunk of a member that begins at an offset, or NULL. Chunks are recycled, so they may be in any order. */
static const tail_chunk *find_chunk(const salvage_area *area, uint64_t member, uint64_t offset)
{
	salvage_piece *piece = NULL;

	while ((piece = salvage_area_next(area, piece)) != NULL) {
		const tail_chunk *chunk = (const tail_chunk *)(const void *)piece->content;

		if (piece->kind == SALVAGE_TAIL && salvage_piece_room(piece) >= sizeof(*chunk) &&
		    atomic_load_explicit(&piece->in_use, memory_order_relaxed) != 0 && chunk->member == member &&
		    chunk->offset == offset && chunk->length <= salvage_piece_room(piece) - sizeof(*chunk))
			return chunk;
	}
	return NULL;
}

uint64_t salvage_tail_visit(const salvage_area *area, uint64_t member, uint64_t length, tail_visitor visitor,
			    void *user)
{
	uint64_t done = 0;

	while (done < length) {
		const tail_chunk *chunk = find_chunk(area, member, done);
		uint64_t part = length - done;

		if (chunk == NULL || chunk->length == 0)
			break;
		if (part > chunk->length)
			part = chunk->length;
		if (!visitor(user, chunk->bytes, (size_t)part))
			break;
		done += part;
	}
	return done;
}
