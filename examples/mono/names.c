/* SPDX-License-Identifier: MIT */
/**
 * \file names.c
 * \brief Gives classes and methods their names in the log.
 */
#include "names.h"

#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>

#include <stdio.h>
#include <string.h>

static const char wrapper_prefix[] = "(wrapper ";

static char *class_name(MonoClass *klass)
{
	/* Of the runtime's two spellings this one also works for classes that are not complete. */
	return mono_type_full_name(mono_class_get_type(klass));
}

static mprof_key assembly_of(MonoClass *klass)
{
	MonoImage *image = mono_class_get_image(klass);

	return image == NULL ? 0 : key_of(mono_image_get_assembly(image));
}

static void define_class(MonoProfiler *profiler, MonoClass *klass, const char *name)
{
	mprof_description description;

	mprof_description_init(&description);
	description.name = name;
	description.name_length = strlen(name);
	description.assembly_key = assembly_of(klass);
	/* A failure shows as a key without a name, which the end of the run reports. */
	(void)mprof_recorder_define_class(profiler->recorder, key_of(klass), &description);
	key_set_add(&profiler->classes, klass, CLASS_DEFINED);
}

void names_define_class(MonoProfiler *profiler, MonoClass *klass)
{
	char *name = class_name(klass);

	define_class(profiler, klass, name == NULL ? "" : name);
	mono_free(name);
}

void names_define_class_once(MonoProfiler *profiler, MonoClass *klass)
{
	if ((key_set_get(&profiler->classes, klass) & CLASS_DEFINED) == 0)
		names_define_class(profiler, klass);
}

/* The runtime tells what made a wrapper only in its full name: "(wrapper KIND) Class:Name (types)". */
static uint8_t flags_of(const char *full_name)
{
	const char *kind;

	if (strncmp(full_name, wrapper_prefix, sizeof(wrapper_prefix) - 1) != 0)
		return METHOD_DEFINED;
	kind = full_name + sizeof(wrapper_prefix) - 1;
	/* These are written by the program, at run time. */
	if (strncmp(kind, "dynamic-method)", 15) == 0)
		return METHOD_DEFINED;
	if (strncmp(kind, "native-to-managed)", 18) == 0)
		return METHOD_DEFINED | METHOD_WRAPPER | METHOD_FROM_NATIVE;
	return METHOD_DEFINED | METHOD_WRAPPER;
}

/* What follows the class in a full name; the class may hold colons, and the wrapper's kind stands before it. */
static const char *name_in_full_name(const char *full_name, const char *class_text)
{
	const char *start = full_name;
	size_t class_length = strlen(class_text);
	const char *colon;

	if (strncmp(start, wrapper_prefix, sizeof(wrapper_prefix) - 1) == 0) {
		const char *end = strstr(start, ") ");

		start = end == NULL ? start : end + 2;
	}
	if (strncmp(start, class_text, class_length) == 0 && start[class_length] == ':')
		return start + class_length + 1;
	colon = strchr(start, ':');
	return colon == NULL ? start : colon + 1;
}

static void define_method(MonoProfiler *profiler, MonoMethod *method, const char *name, uint8_t flags)
{
	mprof_description description;

	mprof_description_init(&description);
	description.name = name;
	description.name_length = strlen(name);
	description.class_key = key_of(mono_method_get_class(method));
	description.flags = flags & METHOD_WRAPPER ? MPROF_METHOD_WRAPPER : 0;
	(void)mprof_recorder_define_method(profiler->recorder, key_of(method), &description);
	key_set_add(&profiler->methods, method, flags);
}

uint8_t names_define_method(MonoProfiler *profiler, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class(method);
	char *full_name = mono_method_full_name(method, 1);
	char *class_text = class_name(klass);
	uint8_t flags = METHOD_DEFINED;

	names_define_class_once(profiler, klass);
	if (full_name != NULL && class_text != NULL) {
		flags = flags_of(full_name);
		define_method(profiler, method, name_in_full_name(full_name, class_text), flags);
	}
	mono_free(full_name);
	mono_free(class_text);
	return flags;
}

uint8_t names_define_method_once(MonoProfiler *profiler, MonoMethod *method)
{
	uint8_t flags = key_set_get(&profiler->methods, method);

	return flags & METHOD_DEFINED ? flags : names_define_method(profiler, method);
}

void names_forget(MonoProfiler *profiler)
{
	key_set_clear(&profiler->methods);
	key_set_clear(&profiler->classes);
}
