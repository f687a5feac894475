/* SPDX-License-Identifier: MIT */
/* Finds what makes figures of two logs hard to compare. */
#include "diff/notes.h"

#include "diff/recorded.h"
#include "diff/rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef struct note_output {
	json_writer *json; /* NULL for text. */
} note_output;

__attribute__((format(printf, 2, 3))) static void put_note(const note_output *out, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (out->json != NULL)
		json_string(out->json, NULL, text);
	else
		printf("note    %s\n", text);
}

static void note_missing(const note_output *out, const char *what, int has_before, int has_after)
{
	if (has_before != has_after)
		put_note(out, "%s cannot be compared: the log %s has none", what,
			 diff_side_name(has_before ? DIFF_AFTER : DIFF_BEFORE));
}

static void note_sites(const note_output *out, const log_diff *diff)
{
	int has_before = recorded_has(diff, DIFF_BEFORE, MPROF_TABLE_ALLOCATION_SITES);
	int has_after = recorded_has(diff, DIFF_AFTER, MPROF_TABLE_ALLOCATION_SITES);

	note_missing(out, "call sites of allocations", has_before, has_after);
	if (!has_before && !has_after && diff->sides[DIFF_BEFORE].totals.allocations > 0)
		put_note(out, "no call sites of allocations are known: they require --alloc=objects+stack");
}

static void note_losses(const note_output *out, const log_diff *diff, int side)
{
	const diff_side *log = &diff->sides[side];
	const mprof_session *session = &log->summary.session;

	if (!session->complete)
		put_note(out, "the log %s is incomplete or damaged from offset %" PRIu64 " on", diff_side_name(side),
			 session->valid_bytes);
	if (session->lost_events > 0)
		put_note(out, "the log %s lacks %" PRIu64 " lost events: its figures are too small",
			 diff_side_name(side), session->lost_events);
	if (log->totals.limited)
		put_note(out, "the profile of the log %s exceeds its memory limit: figures are missing",
			 diff_side_name(side));
	if (log->summary.ring.is_partial)
		put_note(out, "the log %s is that of a ring buffer, which overwrote older events",
			 diff_side_name(side));
}

static void note_options(const note_output *out, const diff_side *before, const diff_side *after)
{
	const sampling_facts *old = &before->summary.sampling;
	const sampling_facts *new = &after->summary.sampling;

	if (before->totals.samples > 0 && after->totals.samples > 0 &&
	    (old->requested_hz != new->requested_hz || strcmp(old->clock, new->clock) != 0))
		put_note(out,
			 "samples were taken at %" PRIu64 " Hz of %s time before, at %" PRIu64
			 " Hz of %s time after (0: unknown)",
			 old->requested_hz, old->clock[0] != '\0' ? old->clock : "unknown", new->requested_hz,
			 new->clock[0] != '\0' ? new->clock : "unknown");
	if (summary_lacks_calls(&before->summary) != summary_lacks_calls(&after->summary))
		put_note(out, "calls in precompiled code are missing in the log %s only",
			 diff_side_name(summary_lacks_calls(&before->summary) ? DIFF_BEFORE : DIFF_AFTER));
	if (strcmp(before->summary.filters.only, after->summary.filters.only) != 0 ||
	    strcmp(before->summary.filters.excluded, after->summary.filters.excluded) != 0 ||
	    before->summary.filters.are_changed || after->summary.filters.are_changed)
		put_note(out,
			 "the logs were recorded with different filters, or with filters that changed (--only, --not)");
}

static const struct {
	uint32_t table;
	const char *what;
} tables[] = {
	{MPROF_TABLE_METHODS, "calls"},
	{MPROF_TABLE_CLASSES, "allocations"},
	{MPROF_TABLE_SAMPLES, "samples"},
	{MPROF_TABLE_MONITORS, "waits for monitors"},
};

static void visit_notes(const note_output *out, const log_diff *diff)
{
	const diff_side *before = &diff->sides[DIFF_BEFORE];
	const diff_side *after = &diff->sides[DIFF_AFTER];

	note_losses(out, diff, DIFF_BEFORE);
	if (diff->profiles == NULL)
		return;
	note_losses(out, diff, DIFF_AFTER);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		note_missing(out, tables[i].what, recorded_has(diff, DIFF_BEFORE, tables[i].table),
			     recorded_has(diff, DIFF_AFTER, tables[i].table));
	note_missing(out, "heap snapshots", diff->heap[DIFF_BEFORE].shot > 0, diff->heap[DIFF_AFTER].shot > 0);
	if (diff->options.has_sites)
		note_sites(out, diff);
	note_options(out, before, after);
}

void diff_notes_print_text(const log_diff *diff)
{
	visit_notes(&(note_output){NULL}, diff);
}

void diff_notes_print_json(const log_diff *diff, json_writer *json)
{
	json_begin_array(json, "notes");
	visit_notes(&(note_output){json}, diff);
	json_end_array(json);
}
