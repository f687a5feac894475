/* SPDX-License-Identifier: MIT */
/* Numbers the source files of methods. */
#include "io/source_files.h"

#include "base/array.h"

#include <string.h>

void source_files_init(source_files *files, const mprof_allocator *allocator)
{
	memset(files, 0, sizeof(*files));
	hash_map_init(&files->by_hash, allocator);
}

void source_files_destroy(source_files *files)
{
	const mprof_allocator *allocator = &files->by_hash.index.allocator;

	for (size_t i = 0; i < files->count; i++)
		allocator_release(allocator, files->files[i].path, files->files[i].length + 1);
	allocator_release(allocator, files->files, files->capacity * sizeof(*files->files));
	hash_map_destroy(&files->by_hash);
}

static uint64_t hash_path(const source_files *files, const char *path, size_t length)
{
	uint64_t hash = files->by_hash.index.seed;

	for (size_t i = 0; i < length; i++)
		hash = hash_mix(hash, (unsigned char)path[i]);
	return hash;
}

static uint32_t find_path(const source_files *files, uint32_t first, const char *path, size_t length)
{
	uint32_t number = first;

	while (number != 0) {
		const source_file *file = &files->files[number - 1];

		if (file->length == length && memcmp(file->path, path, length) == 0)
			return number;
		number = file->next;
	}
	return 0;
}

static uint32_t add_path(source_files *files, uint64_t hash, uint32_t next, const char *path, size_t length)
{
	const mprof_allocator *allocator = &files->by_hash.index.allocator;
	void *grown = files->files;
	char *copy;

	if (files->count == UINT32_MAX ||
	    !array_reserve(allocator, &grown, &files->capacity, files->count + 1, sizeof(*files->files)))
		return 0;
	files->files = grown;
	copy = allocator_allocate(allocator, length + 1);
	if (copy == NULL)
		return 0;
	if (!hash_map_put(&files->by_hash, hash, files->count + 1)) {
		allocator_release(allocator, copy, length + 1);
		return 0;
	}
	memcpy(copy, path, length);
	copy[length] = '\0';
	files->files[files->count++] = (source_file){copy, length, next};
	return (uint32_t)files->count;
}

uint32_t source_files_number(source_files *files, const char *path, size_t length, int *is_new)
{
	const uint64_t hash = hash_path(files, path, length);
	const uint64_t *first = hash_map_get(&files->by_hash, hash);
	const uint32_t newest = first != NULL ? (uint32_t)*first : 0;
	const uint32_t known = find_path(files, newest, path, length);

	*is_new = known == 0;
	return known != 0 ? known : add_path(files, hash, newest, path, length);
}

void source_files_undo_add(source_files *files)
{
	const source_file *file = &files->files[--files->count];
	const uint64_t hash = hash_path(files, file->path, file->length);

	if (file->next != 0)
		(void)hash_map_put(&files->by_hash, hash, file->next);
	else
		hash_map_remove(&files->by_hash, hash);
	allocator_release(&files->by_hash.index.allocator, file->path, file->length + 1);
}
