/* SPDX-License-Identifier: MIT */
/**
 * \file export/firefox_markers.h
 * \brief Markers of a profile of Firefox: what happens at a time, or for a while, apart from calls and samples.
 */
#ifndef FIREFOX_MARKERS_H
#define FIREFOX_MARKERS_H

#include "export/firefox_tables.h"
#include "export/spool.h"

/** What a marker is; each kind has fields of its own. */
typedef enum firefox_marker_kind {
	FIREFOX_EXCEPTION,
	FIREFOX_COMPILATION,
	FIREFOX_CLASS_LOAD,
	FIREFOX_FINALIZER,
	FIREFOX_WAIT,
	FIREFOX_COLLECTION,
	FIREFOX_WORLD_STOP,
	FIREFOX_USER_MARK,
	FIREFOX_LOSS,
	FIREFOX_METRIC,
	FIREFOX_MARKER_KINDS
} firefox_marker_kind;

#define FIREFOX_MARKER_FIELDS 5

/** A marker. Times are nanoseconds from the start of the log. */
typedef struct firefox_marker {
	uint64_t start;
	uint64_t end;  /**< The same as the start if it has no duration. */
	uint32_t name; /**< Index of a string; #FIREFOX_NONE: the name of the kind. */
	uint32_t kind; /**< A #firefox_marker_kind. */
	uint64_t values[FIREFOX_MARKER_FIELDS];
} firefox_marker;

/** Writes the descriptions of all kinds. */
void firefox_write_marker_schemas(json_writer *json);

/** Writes the markers of a thread. */
void firefox_write_markers(firefox_tables *tables, json_writer *json, spool *spool, const spool_stream *markers);

#endif
