/* SPDX-License-Identifier: MIT */
/* Suggests names that are similar to a filter that matched nothing. */
#include "record/filter_hint.h"

#include "common/names.h"
#include "common/nearest.h"
#include "shared/text.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger IDs are not looked up. IDs are dense in all recorded logs. */
#define MAX_IDS (UINT32_C(1) << 24)

typedef struct filter_hint {
	const char *pattern;
	nearest_name nearest;
	int has_match;
} filter_hint;

/* Offers the full name and its last part, which is what users usually type. */
static void offer_class(filter_hint *hint, const char *name)
{
	const char *dot = strrchr(name, '.');

	hint->has_match |= fnmatch(hint->pattern, name, 0) == 0;
	nearest_offer_word(&hint->nearest, name, name);
	if (dot != NULL)
		nearest_offer_word(&hint->nearest, dot + 1, name);
}

static void offer_classes(filter_hint *hint, const mprof_reader *reader)
{
	uint64_t left = mprof_reader_get_class_count(reader);

	for (uint32_t id = 1; left > 0 && id < MAX_IDS && !hint->has_match; id++) {
		class_name name;

		names_class(reader, id, &name);
		if (name.name == name.undefined)
			continue;
		left--;
		offer_class(hint, name.name);
	}
}

/* Offers the name in the form of --only, "Class:Method", and with a dot instead of the colon, the usual mistake. */
static void offer_method(filter_hint *hint, const method_name *name)
{
	size_t class_length = strlen(name->class_name);
	size_t length = strcspn(name->name, " (");
	char *text = malloc(class_length + length + 2);
	char *dotted = malloc(class_length + length + 2);

	if (text != NULL && dotted != NULL) {
		snprintf(text, class_length + length + 2, "%s:%.*s", name->class_name, (int)length, name->name);
		memcpy(dotted, text, class_length + length + 2);
		dotted[class_length] = '.';
		hint->has_match |= fnmatch(hint->pattern, text, 0) == 0;
		nearest_offer_word(&hint->nearest, text, text);
		nearest_offer_word(&hint->nearest, dotted, text);
	}
	free(text);
	free(dotted);
}

static void offer_methods(filter_hint *hint, const mprof_reader *reader)
{
	uint64_t left = mprof_reader_get_method_count(reader);

	for (uint32_t id = 1; left > 0 && id < MAX_IDS && !hint->has_match; id++) {
		method_name name;

		names_method(reader, id, &name);
		if (name.name == name.undefined)
			continue;
		left--;
		if (name.class_name[0] != '\0')
			offer_method(hint, &name);
	}
}

void filter_hint_print(const mprof_reader *reader, const char *pattern)
{
	static const char *const subjects[] = {"assembly:", "namespace:", "class:", "method:"};
	filter_hint hint = {.pattern = pattern};

	/* These prefixes match a part of a name that the log need not contain. */
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		if (strncmp(pattern, subjects[i], strlen(subjects[i])) == 0)
			return;
	}
	nearest_init(&hint.nearest, pattern);
	if (strchr(pattern, ':') == NULL)
		offer_classes(&hint, reader);
	offer_methods(&hint, reader);
	if (!hint.has_match && hint.nearest.found != NULL) {
		fputs("; nearest: ", stderr);
		text_name(stderr, hint.nearest.found);
	}
	nearest_release(&hint.nearest);
}
