/* SPDX-License-Identifier: MIT */
/* Finds the native libraries that contain ahead-of-time compiled code of images, and records them. */
#include "precompiled.h"

#include "threads.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#define EXTENSION ".so"

typedef struct library_search {
	const char *file; /* Name of the image's file without directory. */
	size_t length;
	char *path; /* Path of the library; NULL while it is not found. */
} library_search;

static const char *without_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static int search_library(struct dl_phdr_info *info, size_t size, void *user)
{
	library_search *search = user;
	const char *name = without_directory(info->dlpi_name);

	(void)size;
	if (strncmp(name, search->file, search->length) != 0 || strcmp(name + search->length, EXTENSION) != 0)
		return 0;
	search->path = strdup(info->dlpi_name);
	return 1;
}

/*
 * The runtime has no interface for this. It loads the library before it reports the assembly, and unloads a library
 * that it cannot use, for instance because the image was compiled again. The directory of the library is that of the
 * image or one of several caches.
 */
void precompiled_record(MonoProfiler *profiler, MonoImage *image)
{
	const char *path = mono_image_get_filename(image);
	library_search search = {NULL, 0, NULL};
	mprof_element element;

	if (path == NULL || path[0] == '\0' || profiler_has_ended(profiler))
		return;
	search.file = without_directory(path);
	search.length = strlen(search.file);
	dl_iterate_phdr(search_library, &search);
	if (search.path == NULL)
		return;
	memset(&element, 0, sizeof(element));
	element.struct_size = sizeof(element);
	element.kind = MPROF_ELEMENT_MODULE | MPROF_ELEMENT_FLAG_SUCCESS;
	element.start_counter = mprof_recorder_read_counter(profiler->recorder);
	element.end_counter = element.start_counter;
	element.thread = threads_state(profiler) != NULL ? threads_state(profiler)->id : 0;
	element.name = search.path;
	element.name_length = strlen(search.path);
	/* Structures of the runtime are aligned, so no other key is one more than that of an image. */
	(void)mprof_recorder_record_loaded(profiler->recorder, key_of(image) + 1, &element);
	free(search.path);
}
