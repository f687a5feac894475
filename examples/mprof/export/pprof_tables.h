/* SPDX-License-Identifier: MIT */
/**
 * \file export/pprof_tables.h
 * \brief The tables of a pprof profile that samples refer to: texts, mappings, functions, locations. An entry is
 * written to the stream when it is first used; readers accept the fields in any order.
 */
#ifndef EXPORT_PPROF_TABLES_H
#define EXPORT_PPROF_TABLES_H

#include "export/intern.h"
#include "export/plain_text.h"
#include "export/protobuf.h"
#include "export/stack_tree.h"

/** Field numbers of the message Profile. */
enum {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_TIME_NANOS = 9,
	PPROF_DURATION_NANOS = 10,
	PPROF_PERIOD_TYPE = 11,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,
	PPROF_DEFAULT_SAMPLE_TYPE = 14
};

/** Initialized with 0, apart from stream. */
typedef struct pprof_tables {
	FILE *stream;
	intern_table texts;
	intern_table mappings;
	intern_table functions;
	intern_table locations;
	plain_buffer plain;
	protobuf_message entry;
	protobuf_message part;
	int has_failed; /**< Memory was exhausted. */
} pprof_tables;

/** The index of a text. */
uint32_t pprof_text(pprof_tables *tables, const char *text);

/** The ID of the mapping of an assembly or module. pprof takes the one that is added first for the main program. */
uint32_t pprof_mapping(pprof_tables *tables, const char *file);

/** The ID of the location of a frame. \p main_file: for a frame without a module. */
uint32_t pprof_location(pprof_tables *tables, const stack_frame *frame, const char *main_file);

void pprof_tables_release(pprof_tables *tables);

#endif
