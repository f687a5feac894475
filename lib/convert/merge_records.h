/* SPDX-License-Identifier: MIT */
/**
 * \file convert/merge_records.h
 * \brief Translates the records of a log that is merged with others.
 */
#ifndef CONVERT_MERGE_RECORDS_H
#define CONVERT_MERGE_RECORDS_H

#include "convert/converter_internal.h"

/** Translates what a record refers to and what is no ID of another record. Returns 0 if there is no memory. */
int merge_translate_references(mprof_converter *converter, mprof_record *record);

/**
 * Begins the content of a definition with what its translation removes. Call it before the references of the record are
 * translated.
 */
void merge_begin_definition(mprof_converter *converter, const mprof_record *record);

/**
 * Finds a definition in the merged log, or gives it the next ID. Returns 1 if it has to be written, with the ID in
 * \p record, 0 if another log has written it, and -1 if there is no memory.
 */
int merge_define_record(mprof_converter *converter, mprof_record *record);

/** Whether the merged log has fields of the class from another log. Returns -1 if there is no memory. */
int merge_has_fields(mprof_converter *converter, uint32_t class_id);

#endif
