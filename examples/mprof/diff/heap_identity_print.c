/* SPDX-License-Identifier: MIT */
/* Prints which objects of two heap snapshots are new, gone or in both. */
#include "diff/heap_identity_print.h"

#include "common/name_cut.h"
#include "diff/heap_identity_rows.h"
#include "diff/tables.h"
#include "shared/text.h"

#include <stdio.h>

/* Frames of a call stack in text. */
#define SHOWN_FRAMES 8

/* Rows that were asked for are printed even if nothing differs. */
static int shows_class(const log_diff *diff, const identity_class *row)
{
	return diff->options.class_pattern != NULL || row->added.objects > 0 || row->gone.objects > 0;
}

static int shows_site(const log_diff *diff, const identity_site *row)
{
	return diff->options.class_pattern != NULL || row->objects[DIFF_BEFORE] != row->objects[DIFF_AFTER] ||
	       row->bytes[DIFF_BEFORE] != row->bytes[DIFF_AFTER];
}

static void print_hidden(size_t count)
{
	char text[TEXT_NUMBER_SIZE];

	if (count > 0)
		printf("  Without a difference: %s\n", text_count(text, count));
}

static void print_amount(const identity_amount *amount)
{
	char text[2][TEXT_NUMBER_SIZE];

	printf(" %12s %15s", text_count(text[0], amount->objects), text_count(text[1], amount->bytes));
}

static void print_amounts(const identity_class *row)
{
	putchar(' ');
	print_amount(&row->added);
	print_amount(&row->gone);
	print_amount(&row->surviving);
	fputs("  ", stdout);
}

static void print_unknown(const heap_identity *identity)
{
	const identity_amount *unknown = identity->sum.unknown;
	char text[DIFF_SIDES][TEXT_NUMBER_SIZE];

	if (unknown[DIFF_BEFORE].objects == 0 && unknown[DIFF_AFTER].objects == 0)
		return;
	printf("  Without a known origin, in none of the columns: %s before, %s after: %s\n",
	       text_count(text[DIFF_BEFORE], unknown[DIFF_BEFORE].objects),
	       text_count(text[DIFF_AFTER], unknown[DIFF_AFTER].objects), identity->reason);
}

static void print_classes(const log_diff *diff, const heap_identity *identity)
{
	size_t changed = 0;
	size_t shown;

	for (size_t i = 0; i < identity->class_count; i++)
		changed += shows_class(diff, &identity->classes[i]) != 0;
	shown = diff_rows(diff, changed);
	fputs("\nNew, gone and surviving objects by class", stdout);
	diff_print_shown(shown, changed);
	print_hidden(identity->class_count - changed);
	print_unknown(identity);
	printf("  %12s %15s %12s %15s %12s %15s  class\n", "new", "bytes", "gone", "bytes", "surviving", "bytes");
	for (size_t i = 0, printed = 0; printed < shown; i++) {
		if (!shows_class(diff, &identity->classes[i]))
			continue;
		print_amounts(&identity->classes[i]);
		name_print(identity->classes[i].name);
		putchar('\n');
		printed++;
	}
	print_amounts(&identity->sum);
	puts("in all");
}

static void print_stack(const log_diff *diff, const identity_site *row)
{
	for (size_t i = 0; i < row->frame_count && i < SHOWN_FRAMES; i++) {
		const char *name = names_frame(diff->sides[DIFF_BEFORE].input.names, &row->frames[i]);

		printf("  %74s    in ", "");
		name_print(name != NULL ? name : "?");
		putchar('\n');
	}
	if (row->frame_count > SHOWN_FRAMES)
		printf("  %74s    (%zu more)\n", "", row->frame_count - SHOWN_FRAMES);
	if (row->frame_count == 0)
		printf("  %74s    at a call stack that is not in the log\n", "");
}

static void print_sites(const log_diff *diff, const heap_identity *identity)
{
	size_t changed = 0;
	size_t shown;

	for (size_t i = 0; i < identity->site_count; i++)
		changed += shows_site(diff, &identity->sites[i]) != 0;
	shown = diff_rows(diff, changed);
	if (identity->site_count == 0)
		return;
	fputs("\nLive objects by allocation site", stdout);
	diff_print_shown(shown, changed);
	print_hidden(identity->site_count - changed);
	if (shown > 0)
		printf("  %15s %15s %15s %10s %15s  class, call stack\n", "bytes before", "after", "growth", "",
		       "objects");
	for (size_t i = 0, printed = 0; printed < shown; i++) {
		const identity_site *row = &identity->sites[i];
		char growth[TEXT_NUMBER_SIZE];

		if (!shows_site(diff, row))
			continue;
		diff_print_counts(row->bytes);
		printf(" %15s  ", diff_text_growth(growth, row->objects));
		name_print(row->class_name);
		diff_print_presence(row->objects);
		print_stack(diff, row);
		printed++;
	}
}

void heap_identity_print_text(const log_diff *diff)
{
	const heap_identity *identity = diff->heap_identity;

	if (identity == NULL)
		return;
	if (!identity->is_known) {
		if (identity->reason != NULL)
			printf("\nWhich objects are new, gone or surviving is not known: %s.\n", identity->reason);
		return;
	}
	if (identity->class_count == 0)
		return;
	print_classes(diff, identity);
	print_sites(diff, identity);
}

static void json_number(const heap_identity *identity, json_writer *json, const char *key, uint64_t number)
{
	if (identity->is_known)
		json_unsigned(json, key, number);
	else
		json_null(json, key);
}

static void json_amounts(const heap_identity *identity, json_writer *json, const identity_class *row)
{
	json_number(identity, json, "new_objects", row->added.objects);
	json_number(identity, json, "new_bytes", row->added.bytes);
	json_number(identity, json, "gone_objects", row->gone.objects);
	json_number(identity, json, "gone_bytes", row->gone.bytes);
	json_number(identity, json, "surviving_objects", row->surviving.objects);
	json_number(identity, json, "surviving_bytes", row->surviving.bytes);
	json_number(identity, json, "unknown_objects_before", row->unknown[DIFF_BEFORE].objects);
	json_number(identity, json, "unknown_bytes_before", row->unknown[DIFF_BEFORE].bytes);
	json_number(identity, json, "unknown_objects_after", row->unknown[DIFF_AFTER].objects);
	json_number(identity, json, "unknown_bytes_after", row->unknown[DIFF_AFTER].bytes);
}

static void json_site(const log_diff *diff, json_writer *json, const identity_site *row)
{
	json_begin_object(json, NULL);
	json_string(json, "class", row->class_name);
	json_unsigned(json, "objects_before", row->objects[DIFF_BEFORE]);
	json_unsigned(json, "objects_after", row->objects[DIFF_AFTER]);
	json_unsigned(json, "bytes_before", row->bytes[DIFF_BEFORE]);
	json_unsigned(json, "bytes_after", row->bytes[DIFF_AFTER]);
	json_begin_array(json, "stack");
	for (size_t i = 0; i < row->frame_count; i++)
		json_string(json, NULL, names_frame(diff->sides[DIFF_BEFORE].input.names, &row->frames[i]));
	json_end_array(json);
	json_end_object(json);
}

void heap_identity_print_json(const log_diff *diff, json_writer *json)
{
	const heap_identity none = {.reason = NULL};
	const heap_identity *identity = diff->heap_identity != NULL ? diff->heap_identity : &none;
	size_t classes = identity->is_known ? diff_rows(diff, identity->class_count) : 0;
	size_t sites = diff_rows(diff, identity->site_count);

	if (diff->heap_identity == NULL) {
		json_null(json, "heap_identity");
	} else {
		json_begin_object(json, "heap_identity");
		json_string(json, "reason", identity->reason);
		json_amounts(identity, json, &identity->sum);
		json_end_object(json);
	}
	json_begin_array(json, "heap_identity_classes");
	for (size_t i = 0; i < classes; i++) {
		json_begin_object(json, NULL);
		json_string(json, "name", identity->classes[i].name);
		json_amounts(identity, json, &identity->classes[i]);
		json_end_object(json);
	}
	json_end_array(json);
	json_begin_array(json, "heap_growth_sites");
	for (size_t i = 0; i < sites; i++)
		json_site(diff, json, &identity->sites[i]);
	json_end_array(json);
}
