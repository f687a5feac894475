/* SPDX-License-Identifier: MIT */
/* Names of methods, with source lines. */
#include "names.h"

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/row-indexes.h>

#include "noted_methods.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The bit for type parameters in the first byte of a signature: ECMA-335, II.23.2.1. */
#define SIGNATURE_GENERIC 0x10

/*
 * The runtime's function for full names also composes the name of the class, which is a definition of its own in the
 * log, and takes three times as long. Programs define thousands of methods while they start.
 */

/* Whether a method is in the metadata of a file and has no type parameters of its own. */
static int is_plain(MonoMethod *method)
{
	MonoImage *image = mono_class_get_image(mono_method_get_class(method));
	uint32_t token = mono_method_get_token(method);
	uint32_t index = mono_metadata_token_index(token);
	const MonoTableInfo *methods;
	const char *signature;

	/* Wrappers and generated methods have no token, or one of an image that is still being generated. */
	if (image == NULL || mono_image_is_dynamic(image) || mono_metadata_token_table(token) != MONO_TABLE_METHOD)
		return 0;
	methods = mono_image_get_table_info(image, MONO_TABLE_METHOD);
	if (methods == NULL || index == 0 || index > (uint32_t)mono_table_info_get_rows(methods))
		return 0;
	signature = mono_metadata_blob_heap(
		image, mono_metadata_decode_row_col(methods, (int)index - 1, MONO_METHOD_SIGNATURE));
	return mono_metadata_decode_blob_size(signature, &signature) != 0 && (*signature & SIGNATURE_GENERIC) == 0;
}

/*
 * The name of a method without its class, "Add (int,string[])", as at the end of mono_method_full_name(). NULL for
 * wrappers, methods that the program generated, methods with type parameters of their own, and if out of memory:
 * their names have more parts, which only the runtime can provide. The caller frees the name with free().
 */
static char *method_names_compose(MonoMethod *method)
{
	MonoMethodSignature *signature = is_plain(method) ? mono_method_signature(method) : NULL;
	const char *name = mono_method_get_name(method);
	size_t name_length = strlen(name);
	size_t types_length;
	char *types;
	char *composed;

	if (signature == NULL)
		return NULL;
	types = mono_signature_get_desc(signature, 1);
	types_length = strlen(types);
	composed = malloc(name_length + types_length + sizeof(" ()"));
	if (composed != NULL) {
		memcpy(composed, name, name_length);
		memcpy(composed + name_length, " (", 2);
		memcpy(composed + name_length + 2, types, types_length);
		memcpy(composed + name_length + 2 + types_length, ")", 2);
	}
	mono_free(types);
	return composed;
}

/* The line of code that compilers generate without a source. */
#define HIDDEN_LINE 0xfeefee

/*
 * Returns the position of a method's first code; NULL if it is unknown. The caller frees it with
 * mono_debug_free_source_location(). Takes the runtime's lock of debugging information.
 */
static MonoDebugSourceLocation *source_lines_of_method(MonoMethod *method)
{
	MonoDebugMethodInfo *debugged = mono_debug_enabled() ? mono_debug_lookup_method(method) : NULL;
	MonoDebugSourceLocation *location = debugged == NULL ? NULL : mono_debug_method_lookup_location(debugged, 0);

	if (location != NULL && (location->source_file == NULL || location->row == HIDDEN_LINE)) {
		mono_debug_free_source_location(location);
		return NULL;
	}
	return location;
}

/* The collector rounds sizes up to a multiple of this number of bytes. */
#define OBJECT_ALIGNMENT 8

static const char wrapper_prefix[] = "(wrapper ";

/*
 * Most belong to one image and are freed with it. An instance of a generic class or method belongs to all images of its
 * type arguments; the runtime does not report those, so its owner is unknown. It suffices that such an address is
 * defined again when another structure is created there.
 */

char *names_of_class(MonoClass *klass)
{
	/* The runtime has two functions for names; this one also works for classes that are not fully loaded. */
	return mono_type_full_name(mono_class_get_type(klass));
}

static int type_kind(MonoClass *klass)
{
	return mono_type_get_type(mono_class_get_type(klass));
}

uint32_t names_object_size(MonoClass *klass)
{
	int kind = type_kind(klass);

	if (kind == MONO_TYPE_STRING || kind == MONO_TYPE_SZARRAY || kind == MONO_TYPE_ARRAY)
		return 0;
	return ((uint32_t)mono_class_instance_size(klass) + OBJECT_ALIGNMENT - 1) & ~(uint32_t)(OBJECT_ALIGNMENT - 1);
}

static mprof_key assembly_of(MonoClass *klass)
{
	MonoImage *image = mono_class_get_image(klass);

	return image == NULL ? 0 : key_of(mono_image_get_assembly(image));
}

/* The image with which a class is freed, or NULL if there is not a single one. */
static const void *owner_of_class(MonoClass *klass)
{
	int kind = type_kind(klass);

	while (kind == MONO_TYPE_SZARRAY || kind == MONO_TYPE_ARRAY || kind == MONO_TYPE_PTR) {
		klass = mono_class_get_element_class(klass);
		kind = type_kind(klass);
	}
	return kind == MONO_TYPE_GENERICINST ? NULL : mono_class_get_image(klass);
}

static void define_class(MonoProfiler *profiler, MonoClass *klass, const char *name, uint32_t object_size)
{
	mprof_description description;

	if (profiler_has_ended(profiler))
		return;
	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	description.assembly_key = assembly_of(klass);
	description.object_size = object_size;
	/* A failure results in a key without a name; those are reported at the end of the run. */
	(void)mprof_recorder_define_class(profiler->recorder, key_of(klass), &description);
	key_set_put(&profiler->classes, klass, owner_of_class(klass), CLASS_DEFINED);
}

void names_define_class(MonoProfiler *profiler, MonoClass *klass)
{
	char *name = names_of_class(klass);

	define_class(profiler, klass, name == NULL ? "" : name, 0);
	mono_free(name);
}

void names_define_class_once(MonoProfiler *profiler, MonoClass *klass)
{
	if ((key_set_get(&profiler->classes, klass) & CLASS_DEFINED) == 0)
		names_define_class(profiler, klass);
}

void names_define_class_of_objects(MonoProfiler *profiler, MonoClass *klass)
{
	char *name = names_of_class(klass);

	define_class(profiler, klass, name == NULL ? "" : name, names_object_size(klass));
	mono_free(name);
}

/* The kind of a wrapper is only available from its full name: "(wrapper KIND) Class:Name (types)". */
static uint8_t flags_of(const char *full_name)
{
	const char *kind;

	if (strncmp(full_name, wrapper_prefix, sizeof(wrapper_prefix) - 1) != 0)
		return METHOD_DEFINED;
	kind = full_name + sizeof(wrapper_prefix) - 1;
	/* The program generated this method at run time. */
	if (strncmp(kind, "dynamic-method)", 15) == 0)
		return METHOD_DEFINED;
	if (strncmp(kind, "native-to-managed)", 18) == 0)
		return METHOD_DEFINED | METHOD_WRAPPER | METHOD_FROM_NATIVE;
	/*
	 * While allocations are profiled, the runtime replaces its usual allocator by a method that reports them, which
	 * calls the report function through another wrapper.
	 */
	if (strstr(kind, " object:ProfilerAlloc") != NULL ||
	    strstr(kind, " object:__icall_wrapper_mono_profiler_raise_gc_allocation ") != NULL)
		return METHOD_DEFINED | METHOD_WRAPPER | METHOD_ARTIFACT;
	return METHOD_DEFINED | METHOD_WRAPPER;
}

/*
 * Where the method's name starts in its full name: after the wrapper's kind, the class and a colon. All of these may
 * contain colons. The short name is followed by type arguments or the signature.
 */
static const char *name_in_full_name(const char *full_name, const char *called)
{
	size_t length = strlen(called);
	const char *colon = strchr(full_name, ':');
	const char *first = colon == NULL ? full_name : colon + 1;

	for (; colon != NULL; colon = strchr(colon + 1, ':')) {
		const char *after = colon + 1 + length;

		if (strncmp(colon + 1, called, length) == 0 && (*after == ' ' || *after == '<'))
			return colon + 1;
	}
	return first;
}

/*
 * The image with which a method is freed, or NULL if there is not a single one. In its name, type arguments follow the
 * short name.
 */
static const void *owner_of_method(MonoMethod *method, const char *name)
{
	const char *called = mono_method_get_name(method);
	size_t length = strlen(called);

	if (strncmp(name, called, length) == 0 && name[length] == '<')
		return NULL;
	return owner_of_class(mono_method_get_class(method));
}

static void define_method(MonoProfiler *profiler, MonoMethod *method, const char *name, uint8_t flags)
{
	MonoDebugSourceLocation *source;
	mprof_description description;

	if (profiler_has_ended(profiler))
		return;
	source = (flags & METHOD_WRAPPER) == 0 ? source_lines_of_method(method) : NULL;
	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	description.class_key = key_of(mono_method_get_class(method));
	description.flags = flags & METHOD_WRAPPER ? MPROF_METHOD_FLAG_WRAPPER : 0;
	if (source != NULL) {
		description.source_file = source->source_file;
		description.source_file_length = strlen(source->source_file);
		description.source_line = source->row;
	}
	(void)mprof_recorder_define_method(profiler->recorder, key_of(method), &description);
	if (source != NULL)
		mono_debug_free_source_location(source);
	key_set_put(&profiler->methods, method, owner_of_method(method, name), flags);
	noted_methods_add(method, (flags & METHOD_WRAPPER) != 0);
}

static uint8_t define_by_full_name(MonoProfiler *profiler, MonoMethod *method)
{
	char *full_name = mono_method_full_name(method, 1);
	uint8_t flags = METHOD_DEFINED;

	if (full_name != NULL) {
		flags = flags_of(full_name);
		define_method(profiler, method, name_in_full_name(full_name, mono_method_get_name(method)), flags);
	}
	mono_free(full_name);
	return flags;
}

uint8_t names_define_method(MonoProfiler *profiler, MonoMethod *method)
{
	char *name = method_names_compose(method);
	uint8_t flags = METHOD_DEFINED;

	names_define_class_once(profiler, mono_method_get_class(method));
	if (name != NULL)
		define_method(profiler, method, name, flags);
	else
		flags = define_by_full_name(profiler, method);
	free(name);
	return flags;
}

uint8_t names_define_method_once(MonoProfiler *profiler, MonoMethod *method)
{
	uint8_t flags = key_set_get(&profiler->methods, method);

	return flags & METHOD_DEFINED ? flags : names_define_method(profiler, method);
}

/* Removes all classes and methods of an owner. Returns an array of their keys that the caller frees, or NULL. */
static mprof_key_range *take_owned_keys(MonoProfiler *profiler, const void *owner, size_t *count)
{
	size_t room = key_set_count(&profiler->methods, owner) + key_set_count(&profiler->classes, owner);
	uintptr_t *keys = malloc(room * sizeof(*keys));
	mprof_key_range *ranges = malloc(room * sizeof(*ranges));

	if (keys == NULL || ranges == NULL)
		room = 0;
	*count = key_set_remove_owned(&profiler->methods, owner, keys, room);
	*count += key_set_remove_owned(&profiler->classes, owner, room == 0 ? NULL : keys + *count, room - *count);
	for (size_t i = 0; i < *count; i++)
		ranges[i] = (mprof_key_range){keys[i], keys[i]};
	free(keys);
	return ranges;
}

void names_unload(MonoProfiler *profiler, MonoImage *image)
{
	size_t count = 0;
	mprof_key_range *ranges;

	if (profiler_has_ended(profiler))
		return;
	noted_methods_lock();
	ranges = take_owned_keys(profiler, image, &count);
	noted_methods_unlock();
	/* Called even without keys: events that refer to structures without a known owner must get their names now. */
	(void)mprof_recorder_retire_keys(profiler->recorder, ranges, sizeof(*ranges), count);
	free(ranges);
	names_forget_shared(profiler);
}

void names_forget_shared(MonoProfiler *profiler)
{
	noted_methods_lock();
	(void)key_set_remove_owned(&profiler->methods, NULL, NULL, 0);
	noted_methods_unlock();
	(void)key_set_remove_owned(&profiler->classes, NULL, NULL, 0);
	atomic_fetch_add_explicit(&profiler->unloads, 1, memory_order_relaxed);
}
