/* SPDX-License-Identifier: MIT */
/**
 * \file format/record_texts.h
 * \brief The texts of records, whatever their kind.
 */
#ifndef FORMAT_RECORD_TEXTS_H
#define FORMAT_RECORD_TEXTS_H

#include <mprof/format.h>

#include <string.h>

/** The name of a record, or the file of a module; NULL if its kind has none. */
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
	default:
		return NULL;
	}
}

/** The other text of a record: the build ID of a module, the section of a metric; NULL if its kind has none. */
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

/** The name of a record to look at, "" if its kind has none. */
static inline const char *record_get_name(const mprof_record *record)
{
	const char **name = record_name((mprof_record *)record);

	return name != NULL ? *name : "";
}

/** The same for the other text. */
static inline const char *record_get_second_text(const mprof_record *record)
{
	const char **text = record_second_text((mprof_record *)record);

	return text != NULL ? *text : "";
}

/** Makes all texts that are NULL "". */
static inline void record_complete(mprof_record *record)
{
	const char **name = record_name(record);
	const char **second = record_second_text(record);

	if (name != NULL && *name == NULL)
		*name = "";
	if (second != NULL && *second == NULL)
		*second = "";
}

/** An empty record of a kind: all is 0 or "". */
static inline void record_clear(mprof_record *record, uint32_t kind)
{
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record_complete(record);
}

#endif
