/* SPDX-License-Identifier: MIT */
/* Loaded assemblies, modules and images, and which code is precompiled. */
#include "elements.h"

#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>

#include "method_search.h"
#include "names.h"
#include "threads.h"
#include "unnamed_methods.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
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
 * Records the native library with the code of image as a loaded module, if the runtime has loaded one. Its name is
 * that of the image's file with ".so" appended. Call it when the assembly of the image has been loaded.
 */
/*
 * The runtime has no interface for this. It loads the library before it reports the assembly, and unloads a library
 * that it cannot use, for instance because the image was compiled again. The directory of the library is that of the
 * image or one of several caches.
 */
static void precompiled_record(MonoProfiler *profiler, MonoImage *image)
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

/*
 * Saves the start time of a load or unload and takes ownership of the name. The start is dropped if the array is full.
 */
static void begin_load(MonoProfiler *profiler, const void *key, char *name)
{
	thread_state *state = threads_state(profiler);
	pending_load *load;

	if (state == NULL || state->loads == MAX_LOADS) {
		free(name);
		return;
	}
	load = &state->loading[state->loads++];
	load->key = key;
	load->start_counter = mprof_recorder_read_counter(profiler->recorder);
	load->name = name;
}

/*
 * Removes the load or unload of \p key from the list of this thread, and stores its times in \p element; if it is not
 * in the list, its start is the current time. Later entries are removed too: they will never end. Returns the name that
 * begin_load() saved, or NULL; the caller frees it.
 */
static char *end_load(MonoProfiler *profiler, const void *key, mprof_element *element)
{
	thread_state *state = threads_state(profiler);
	unsigned index = state == NULL ? 0 : state->loads;
	char *name = NULL;

	memset(element, 0, sizeof(*element));
	element->struct_size = sizeof(*element);
	element->end_counter = mprof_recorder_read_counter(profiler->recorder);
	element->start_counter = element->end_counter;
	element->thread = state == NULL ? 0 : state->id;
	while (index > 0 && state->loading[index - 1].key != key)
		index--;
	if (index == 0)
		return NULL;
	element->start_counter = state->loading[index - 1].start_counter;
	name = state->loading[index - 1].name;
	for (unsigned i = index; i < state->loads; i++)
		free(state->loading[i].name);
	state->loads = index - 1;
	return name;
}

static void record_loaded(MonoProfiler *profiler, const void *key, mprof_element *element, const char *name)
{
	element->name = name == NULL ? "" : name;
	element->name_length = strlen(element->name);
	if (!profiler_has_ended(profiler))
		(void)mprof_recorder_record_loaded(profiler->recorder, key_of(key), element);
}

static void end_unload(MonoProfiler *profiler, const void *key, uint32_t kind)
{
	mprof_element element;
	char *name = end_load(profiler, key, &element);

	element.kind = kind;
	element.name = name == NULL ? "" : name;
	element.name_length = strlen(element.name);
	if (!profiler_has_ended(profiler))
		(void)mprof_recorder_record_unloaded(profiler->recorder, key_of(key), &element);
	free(name);
}

/*
 * A domain that is loaded and has no name yet: the runtime names it a little later. Such a domain is recorded with its
 * name, or with its number when it is unloaded or the log ends first. nameless_lock guards the list.
 */
typedef struct nameless_domain {
	struct nameless_domain *next;
	MonoDomain *domain;
	mprof_element element;
} nameless_domain;

static pthread_mutex_t nameless_lock = PTHREAD_MUTEX_INITIALIZER;
static nameless_domain *nameless_domains;

/* A domain's friendly name, or its number, as text that the caller frees; NULL if out of memory. */
static char *name_of_domain(MonoDomain *domain)
{
	const char *name = mono_domain_get_friendly_name(domain);
	char text[16];

	if (name != NULL)
		return strdup(name);
	snprintf(text, sizeof(text), "%d", (int)mono_domain_get_id(domain));
	return strdup(text);
}

static void record_domain(MonoProfiler *profiler, MonoDomain *domain, mprof_element *element)
{
	char *name = name_of_domain(domain);

	record_loaded(profiler, domain, element, name);
	free(name);
}

/*
 * Removes \p domain, or if that is NULL any domain, from the list of domains without a name. Returns NULL if it is not
 * in the list. The caller frees the result.
 */
static nameless_domain *take_nameless(const MonoDomain *domain)
{
	nameless_domain **link = &nameless_domains;
	nameless_domain *found;

	pthread_mutex_lock(&nameless_lock);
	while (*link != NULL && domain != NULL && (*link)->domain != domain)
		link = &(*link)->next;
	found = *link;
	if (found != NULL)
		*link = found->next;
	pthread_mutex_unlock(&nameless_lock);
	return found;
}

/* Returns 0 if out of memory. */
static int add_nameless(MonoDomain *domain, const mprof_element *element)
{
	nameless_domain *added = malloc(sizeof(*added));

	if (added == NULL)
		return 0;
	added->domain = domain;
	added->element = *element;
	pthread_mutex_lock(&nameless_lock);
	added->next = nameless_domains;
	nameless_domains = added;
	pthread_mutex_unlock(&nameless_lock);
	return 1;
}

static void record_nameless(MonoProfiler *profiler, nameless_domain *nameless)
{
	if (nameless != NULL)
		record_domain(profiler, nameless->domain, &nameless->element);
	free(nameless);
}

static void domain_loading(MonoProfiler *profiler, MonoDomain *domain)
{
	begin_load(profiler, domain, NULL);
}

static void domain_loaded(MonoProfiler *profiler, MonoDomain *domain)
{
	mprof_element element;

	free(end_load(profiler, domain, &element));
	element.kind = MPROF_ELEMENT_DOMAIN | MPROF_ELEMENT_FLAG_SUCCESS;
	if (mono_domain_get_friendly_name(domain) != NULL || !add_nameless(domain, &element))
		record_domain(profiler, domain, &element);
}

static void domain_named(MonoProfiler *profiler, MonoDomain *domain, const char *name)
{
	(void)name;
	record_nameless(profiler, take_nameless(domain));
}

/*
 * Vtables and code are freed with the domain. Classes and methods are freed with their images, and the runtime reports
 * each image separately.
 */
static void domain_unloading(MonoProfiler *profiler, MonoDomain *domain)
{
	record_nameless(profiler, take_nameless(domain));
	begin_load(profiler, domain, name_of_domain(domain));
	unnamed_methods_define(profiler);
	method_search_cancel(domain);
	(void)key_set_remove_owned(&profiler->compiled, domain, NULL, 0);
	names_forget_shared(profiler);
}

static void domain_unloaded(MonoProfiler *profiler, MonoDomain *domain)
{
	names_forget_shared(profiler);
	end_unload(profiler, domain, MPROF_ELEMENT_DOMAIN);
}

static const char *image_name(MonoImage *image)
{
	const char *name = mono_image_get_filename(image);

	/* A module created by the program has no file. */
	return name == NULL || name[0] == '\0' ? mono_image_get_name(image) : name;
}

static void image_loading(MonoProfiler *profiler, MonoImage *image)
{
	begin_load(profiler, image, NULL);
}

static void record_image(MonoProfiler *profiler, MonoImage *image, uint32_t result)
{
	mprof_element element;

	free(end_load(profiler, image, &element));
	element.kind = MPROF_ELEMENT_MODULE | result;
	record_loaded(profiler, image, &element, image_name(image));
}

static void image_loaded(MonoProfiler *profiler, MonoImage *image)
{
	record_image(profiler, image, MPROF_ELEMENT_FLAG_SUCCESS);
}

static void image_failed(MonoProfiler *profiler, MonoImage *image)
{
	record_image(profiler, image, MPROF_ELEMENT_FLAG_FAILURE);
}

static void image_unloading(MonoProfiler *profiler, MonoImage *image)
{
	const char *name = image_name(image);

	begin_load(profiler, image, name == NULL ? NULL : strdup(name));
	unnamed_methods_define(profiler);
	names_unload(profiler, image);
}

static void image_unloaded(MonoProfiler *profiler, MonoImage *image)
{
	names_forget_shared(profiler);
	end_unload(profiler, image, MPROF_ELEMENT_MODULE);
}

static void assembly_loading(MonoProfiler *profiler, MonoAssembly *assembly)
{
	begin_load(profiler, assembly, NULL);
}

static void split_name(MonoAssemblyName *name, const char *full_name, mprof_assembly_name *split)
{
	const char *culture = mono_assembly_name_get_culture(name);
	/* In spite of its type, the token is a NUL-terminated text. */
	const char *token = (const char *)mono_assembly_name_get_pubkeytoken(name);
	uint16_t minor = 0;
	uint16_t build = 0;
	uint16_t revision = 0;

	split->base_name = mono_assembly_name_get_name(name);
	split->culture = culture == NULL || culture[0] == '\0' ? "neutral" : culture;
	split->public_key_token = token == NULL || token[0] == '\0' ? "null" : token;
	split->major = mono_assembly_name_get_version(name, &minor, &build, &revision);
	split->minor = minor;
	split->build = build;
	split->revision = revision;
	split->struct_size = sizeof(*split);
	split->reserved = 0;
	split->retargetable = strstr(full_name, "Retargetable=Yes") != NULL;
}

static void assembly_loaded(MonoProfiler *profiler, MonoAssembly *assembly)
{
	MonoAssemblyName *name = mono_assembly_get_name(assembly);
	char *full_name = mono_stringify_assembly_name(name);
	mprof_assembly_name split;
	mprof_element element;

	free(end_load(profiler, assembly, &element));
	element.kind = MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS;
	split_name(name, full_name == NULL ? "" : full_name, &split);
	element.assembly = &split;
	record_loaded(profiler, assembly, &element, full_name);
	mono_free(full_name);
	precompiled_record(profiler, mono_assembly_get_image(assembly));
}

static void assembly_unloading(MonoProfiler *profiler, MonoAssembly *assembly)
{
	char *full_name = mono_stringify_assembly_name(mono_assembly_get_name(assembly));

	begin_load(profiler, assembly, full_name == NULL ? NULL : strdup(full_name));
	mono_free(full_name);
}

static void assembly_unloaded(MonoProfiler *profiler, MonoAssembly *assembly)
{
	end_unload(profiler, assembly, MPROF_ELEMENT_ASSEMBLY);
}

void elements_end(MonoProfiler *profiler)
{
	for (nameless_domain *remaining = take_nameless(NULL); remaining != NULL; remaining = take_nameless(NULL))
		record_nameless(profiler, remaining);
}

void elements_install(MonoProfiler *profiler)
{
	MonoProfilerHandle handle = profiler->handle;

	mono_profiler_set_domain_loading_callback(handle, domain_loading);
	mono_profiler_set_domain_loaded_callback(handle, domain_loaded);
	mono_profiler_set_domain_name_callback(handle, domain_named);
	mono_profiler_set_domain_unloading_callback(handle, domain_unloading);
	mono_profiler_set_domain_unloaded_callback(handle, domain_unloaded);
	mono_profiler_set_image_loading_callback(handle, image_loading);
	mono_profiler_set_image_loaded_callback(handle, image_loaded);
	mono_profiler_set_image_failed_callback(handle, image_failed);
	mono_profiler_set_image_unloading_callback(handle, image_unloading);
	mono_profiler_set_image_unloaded_callback(handle, image_unloaded);
	mono_profiler_set_assembly_loading_callback(handle, assembly_loading);
	mono_profiler_set_assembly_loaded_callback(handle, assembly_loaded);
	mono_profiler_set_assembly_unloading_callback(handle, assembly_unloading);
	mono_profiler_set_assembly_unloaded_callback(handle, assembly_unloaded);
}
