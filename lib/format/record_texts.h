/* SPDX-License-Identifier: MIT */
/**
 * \file format/record_texts.h
 * \brief Access to the strings of records of any kind.
 */
#ifndef FORMAT_RECORD_TEXTS_H
#define FORMAT_RECORD_TEXTS_H

#include <mprof/format.h>

#include <string.h>

/** A pointer to the name of a record, or to the file of a module; NULL if the kind has no name. */
static inline const char **record_name(mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		return &record->as.module.file;
	case MPROF_RECORD_FUNCTION:
		return &record->as.function.name;
	case MPROF_RECORD_ROOT:
		return &record->as.root.name;
	case MPROF_RECORD_METRIC:
		return &record->as.metric.name;
	case MPROF_RECORD_FIELD:
		return &record->as.field.name;
	default:
		return NULL;
	}
}

/** A pointer to the build ID of a module or to the section of a metric; NULL for other kinds. */
static inline const char **record_second_text(mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		return &record->as.module.build_id;
	case MPROF_RECORD_METRIC:
		return &record->as.metric.section;
	default:
		return NULL;
	}
}

/** The name of a record, or the file of a module; "" if the kind has no name. */
static inline const char *record_get_name(const mprof_record *record)
{
	const char **name = record_name((mprof_record *)record);

	return name != NULL ? *name : "";
}

/** The build ID of a module or the section of a metric; "" for other kinds. */
static inline const char *record_get_second_text(const mprof_record *record)
{
	const char **text = record_second_text((mprof_record *)record);

	return text != NULL ? *text : "";
}

/** Replaces strings that are NULL by "". */
static inline void record_complete(mprof_record *record)
{
	const char **name = record_name(record);
	const char **second = record_second_text(record);

	if (name != NULL && *name == NULL)
		*name = "";
	if (second != NULL && *second == NULL)
		*second = "";
}

/** Initializes a record: all numbers are 0, all strings "". */
static inline void record_clear(mprof_record *record, uint32_t kind)
{
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record_complete(record);
}

#endif
