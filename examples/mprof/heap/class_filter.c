/* SPDX-License-Identifier: MIT */
/* Compares the classes of a heap snapshot with a pattern. */
#include "heap/class_filter.h"

#include "common/nearest.h"
#include "common/output.h"
#include "heap/labels.h"
#include "shared/text.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares the full name and its last part, which is what users usually type. */
static void offer(nearest_name *nearest, const char *name)
{
	const char *dot = strrchr(name, '.');

	nearest_offer(nearest, name, name);
	if (dot != NULL)
		nearest_offer(nearest, dot + 1, name);
}

static void report_mismatch(const heap_view *view, const char *option, const char *pattern)
{
	nearest_name nearest;

	nearest_init(&nearest, pattern);
	for (size_t i = 0; i < view->totals.classes; i++) {
		class_name name;

		offer(&nearest, label_class(view, i, &name));
	}
	text_begin_message(view->input.name);
	fprintf(stderr, "nothing matches %s=", option);
	text_name(stderr, pattern);
	if (nearest.found != NULL) {
		fputs("; nearest: ", stderr);
		text_name(stderr, nearest.found);
	}
	fputc('\n', stderr);
	nearest_release(&nearest);
}

int class_filter_init(class_filter *filter, const heap_view *view, const char *option, const char *pattern)
{
	memset(filter, 0, sizeof(*filter));
	filter->count = (size_t)view->totals.classes;
	if (pattern == NULL)
		return 1;
	filter->is_wanted = calloc(filter->count + 1, 1);
	if (filter->is_wanted == NULL) {
		output_out_of_memory();
		return 0;
	}
	filter->count = 0;
	for (size_t i = 0; i < view->totals.classes; i++) {
		class_name name;

		filter->is_wanted[i] = fnmatch(pattern, label_class(view, i, &name), 0) == 0;
		filter->count += filter->is_wanted[i];
	}
	if (filter->count == 0 && option != NULL)
		report_mismatch(view, option, pattern);
	return 1;
}

void class_filter_release(class_filter *filter)
{
	free(filter->is_wanted);
}

int class_filter_wants(const class_filter *filter, size_t class_index)
{
	return filter->is_wanted == NULL || filter->is_wanted[class_index];
}

static void check_pattern(const heap_view *view, const char *option, const char *pattern)
{
	class_filter filter;

	if (pattern != NULL && view->totals.classes > 0 && class_filter_init(&filter, view, option, pattern))
		class_filter_release(&filter);
}

void class_filter_check(const heap_view *view)
{
	check_pattern(view, "--class", view->options.class_pattern);
	check_pattern(view, "--paths", view->options.paths_pattern);
	check_pattern(view, "--referrers", view->options.referrers_pattern);
	check_pattern(view, "--referencing", view->options.referencing_pattern);
	check_pattern(view, "--referenced-by", view->options.referenced_pattern);
}
