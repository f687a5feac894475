/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/exception_texts.h
 * \brief The latest messages of exceptions, events of the type mprof.exception, by a number (doc/format.md, 4.11).
 */
#ifndef MODEL_RECORDS_EXCEPTION_TEXTS_H
#define MODEL_RECORDS_EXCEPTION_TEXTS_H

#include "base/memory_budget.h"
#include "model/records/meanings.h"
#include "model/records/record_table.h"

/** The texts of one class, or of one site. */
typedef struct exception_text {
	uint32_t number;  /**< The class, or the number of the site plus 1. */
	uint64_t count;   /**< Exceptions with a text. */
	uint64_t counter; /**< Of the latest one. */
	char *text;       /**< Of the latest one; NULL if there was no memory for it. */
} exception_text;

typedef struct exception_texts {
	record_table records;
	memory_budget *budget;
} exception_texts;

void exception_texts_init(exception_texts *all, memory_budget *budget);
void exception_texts_destroy(exception_texts *all);

/** Adds the text of an exception. Returns 0 if there is no memory. */
int exception_texts_add(exception_texts *all, uint32_t number, const char *text, uint64_t counter);

/** NULL if there are no texts. */
static inline const exception_text *exception_texts_find(const exception_texts *all, uint32_t number)
{
	return record_table_find(&all->records, number);
}

#endif
