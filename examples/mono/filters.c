/* SPDX-License-Identifier: MIT */
/* Matches the names of methods with patterns. */
#include "filters.h"

#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of a method's name that a pattern is matched with. */
typedef enum filter_subject {
	SUBJECT_CLASS_AND_METHOD,
	SUBJECT_FULL_CLASS,
	SUBJECT_ASSEMBLY,
	SUBJECT_NAMESPACE,
	SUBJECT_CLASS,
	SUBJECT_METHOD
} filter_subject;

struct filters {
	filter_action action;
	filter_subject subject;
	filters *next;
	const char *pattern; /* The part of the text after the prefix. */
	char text[];
};

static const struct {
	const char *prefix;
	filter_subject subject;
} subjects[] = {
	{"assembly:", SUBJECT_ASSEMBLY},
	{"namespace:", SUBJECT_NAMESPACE},
	{"class:", SUBJECT_CLASS},
	{"method:", SUBJECT_METHOD},
};

static filter_subject subject_of(const char **pattern)
{
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		size_t length = strlen(subjects[i].prefix);

		if (strncmp(*pattern, subjects[i].prefix, length) != 0)
			continue;
		*pattern += length;
		return subjects[i].subject;
	}
	return strchr(*pattern, ':') != NULL ? SUBJECT_CLASS_AND_METHOD : SUBJECT_FULL_CLASS;
}

int filters_add(filters **list, filter_action action, const char *pattern)
{
	const char *rest = pattern;
	filter_subject subject = subject_of(&rest);
	size_t length = strlen(pattern);
	filters *filter;

	if (rest[0] == '\0') {
		errno = EINVAL;
		return 0;
	}
	filter = malloc(sizeof(*filter) + length + 1);
	if (filter == NULL)
		return 0;
	filter->action = action;
	filter->subject = subject;
	memcpy(filter->text, pattern, length + 1);
	filter->pattern = filter->text + (rest - pattern);
	filter->next = *list;
	*list = filter;
	return 1;
}

int filters_have(const filters *list, filter_action action)
{
	while (list != NULL && list->action != action)
		list = list->next;
	return list != NULL;
}

int filters_copy(filters **list, filter_action action, const filters *from)
{
	for (; from != NULL; from = from->next) {
		if (from->action == action && !filters_add(list, action, from->text))
			return 0;
	}
	return 1;
}

char *filters_text(const filters *list, filter_action action)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (const char *separator = ""; list != NULL; list = list->next) {
		if (list->action != action)
			continue;
		fprintf(out, "%s%s", separator, list->text);
		separator = "\n";
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

void filters_release(filters *list)
{
	while (list != NULL) {
		filters *next = list->next;

		free(list);
		list = next;
	}
}

static const char *assembly_name(MonoClass *klass)
{
	MonoImage *image = mono_class_get_image(klass);
	const char *name = image == NULL ? NULL : mono_image_get_name(image);

	return name == NULL ? "" : name;
}

/* Only the outermost of nested classes has a namespace. */
static const char *namespace_name(MonoClass *klass)
{
	const char *name;

	for (MonoClass *outer = klass; outer != NULL; outer = mono_class_get_nesting_type(klass))
		klass = outer;
	name = mono_class_get_namespace(klass);
	return name == NULL ? "" : name;
}

static int matches_full_name(const filters *filter, MonoClass *klass, const char *method_name)
{
	/* Class names are spelled as in the log. */
	char *class_name = mono_type_full_name(mono_class_get_type(klass));
	size_t size = strlen(class_name) + strlen(method_name) + 2;
	char *name = malloc(size);
	int matches = 0;

	if (name != NULL) {
		snprintf(name, size, "%s%s%s", class_name, method_name[0] == '\0' ? "" : ":", method_name);
		matches = fnmatch(filter->pattern, name, 0) == 0;
	}
	free(name);
	mono_free(class_name);
	return matches;
}

static int matches_filter(const filters *filter, MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class(method);

	switch (filter->subject) {
	case SUBJECT_ASSEMBLY:
		return fnmatch(filter->pattern, assembly_name(klass), 0) == 0;
	case SUBJECT_NAMESPACE:
		return fnmatch(filter->pattern, namespace_name(klass), 0) == 0;
	case SUBJECT_CLASS:
		return fnmatch(filter->pattern, mono_class_get_name(klass), 0) == 0;
	case SUBJECT_METHOD:
		return fnmatch(filter->pattern, mono_method_get_name(method), 0) == 0;
	case SUBJECT_FULL_CLASS:
		return matches_full_name(filter, klass, "");
	case SUBJECT_CLASS_AND_METHOD:
		return matches_full_name(filter, klass, mono_method_get_name(method));
	}
	return 0;
}

int filters_admit(const filters *list, MonoMethod *method)
{
	int has_only = 0;
	int is_admitted = 0;

	for (const filters *filter = list; filter != NULL; filter = filter->next) {
		int is_only = filter->action == FILTER_ONLY;

		has_only |= is_only;
		if ((is_only && is_admitted) || !matches_filter(filter, method))
			continue;
		if (!is_only)
			return 0;
		is_admitted = 1;
	}
	return is_admitted || !has_only;
}

int filters_match(const filters *list, filter_action action, MonoMethod *method)
{
	for (const filters *filter = list; filter != NULL; filter = filter->next) {
		if (filter->action == action && matches_filter(filter, method))
			return 1;
	}
	return 0;
}
