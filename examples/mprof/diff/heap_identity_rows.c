/* SPDX-License-Identifier: MIT */
/* Adds up the rows of a difference by identity that have the same name or call stack, and sorts them. */
#include "diff/heap_identity_rows.h"

#include "diff/tables.h"

#include <stdlib.h>
#include <string.h>

static void add_amount(identity_amount *sum, const identity_amount *amount)
{
	sum->objects += amount->objects;
	sum->bytes += amount->bytes;
}

static void add_class(identity_class *sum, const identity_class *row)
{
	add_amount(&sum->added, &row->added);
	add_amount(&sum->gone, &row->gone);
	add_amount(&sum->surviving, &row->surviving);
	for (int side = 0; side < DIFF_SIDES; side++)
		add_amount(&sum->unknown[side], &row->unknown[side]);
}

static int compare_class_names(const void *left, const void *right)
{
	return strcmp(((const identity_class *)left)->name, ((const identity_class *)right)->name);
}

static int compare_classes(const void *left, const void *right)
{
	const identity_class *a = left;
	const identity_class *b = right;
	const uint64_t bytes[2][DIFF_SIDES] = {{a->gone.bytes, a->added.bytes}, {b->gone.bytes, b->added.bytes}};
	const uint64_t objects[2][DIFF_SIDES] = {{a->gone.objects, a->added.objects},
						 {b->gone.objects, b->added.objects}};
	int order = diff_compare_growth(bytes[0], bytes[1]);

	order = order != 0 ? order : diff_compare_growth(objects[0], objects[1]);
	return order != 0 ? order : strcmp(a->name, b->name);
}

void heap_identity_merge_classes(const log_diff *diff, heap_identity *identity)
{
	identity_class *rows = identity->classes;
	size_t kept = 0;

	qsort(rows, identity->class_count, sizeof(*rows), compare_class_names);
	for (size_t i = 0; i < identity->class_count; i++) {
		if (!diff_wants_class(diff, rows[i].name))
			continue;
		add_class(&identity->sum, &rows[i]);
		if (kept > 0 && strcmp(rows[kept - 1].name, rows[i].name) == 0)
			add_class(&rows[kept - 1], &rows[i]);
		else
			rows[kept++] = rows[i];
	}
	identity->class_count = kept;
	qsort(rows, kept, sizeof(*rows), compare_classes);
}

static int compare_numbers(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* Whether two sites are the same in both snapshots. */
static int compare_places(const void *left, const void *right)
{
	const identity_site *a = left;
	const identity_site *b = right;
	int order = strcmp(a->class_name, b->class_name);

	order = order != 0 ? order : compare_numbers(a->frame_count, b->frame_count);
	for (size_t i = 0; i < a->frame_count && order == 0; i++) {
		order = compare_numbers(a->frames[i].id, b->frames[i].id);
		order = order != 0 ? order : compare_numbers(a->frames[i].is_native, b->frames[i].is_native);
		order = order != 0 ? order : compare_numbers(a->frames[i].is_compiling, b->frames[i].is_compiling);
	}
	return order;
}

static int compare_sites(const void *left, const void *right)
{
	const identity_site *a = left;
	const identity_site *b = right;
	int order = diff_compare_growth(a->bytes, b->bytes);

	order = order != 0 ? order : diff_compare_growth(a->objects, b->objects);
	return order != 0 ? order : compare_places(left, right);
}

static void add_site(identity_site *sum, const identity_site *row)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		sum->objects[side] += row->objects[side];
		sum->bytes[side] += row->bytes[side];
	}
}

void heap_identity_merge_sites(const log_diff *diff, heap_identity *identity)
{
	identity_site *rows = identity->sites;
	size_t kept = 0;

	qsort(rows, identity->site_count, sizeof(*rows), compare_places);
	for (size_t i = 0; i < identity->site_count; i++) {
		int is_wanted = diff_wants_class(diff, rows[i].class_name);

		if (is_wanted && (kept == 0 || compare_places(&rows[kept - 1], &rows[i]) != 0)) {
			rows[kept++] = rows[i];
			continue;
		}
		if (is_wanted)
			add_site(&rows[kept - 1], &rows[i]);
		free(rows[i].frames);
	}
	identity->site_count = kept;
	qsort(rows, kept, sizeof(*rows), compare_sites);
}
