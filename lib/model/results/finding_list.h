/* SPDX-License-Identifier: MIT */
/**
 * \file model/results/finding_list.h
 * \brief A list of findings while it is filled, and the parts of their sentences.
 *
 * Rules (findings.c, finding_frames.c) look at the tables of a profile. Each adds at most a few findings, with a
 * severity from 0 to 100 that is about the share of the run that the matter takes, so that findings of different rules
 * can be compared.
 */
#ifndef MODEL_RESULTS_FINDING_LIST_H
#define MODEL_RESULTS_FINDING_LIST_H

#include <mprof/profile.h>

/** Room for a sentence, a command, a name and a number; longer ones are cut. */
enum {
	FINDING_TEXT_SIZE = 640,
	FINDING_COMMAND_SIZE = 768,
	FINDING_NAME_SIZE = 96,
	FINDING_WORDS_SIZE = 61,
	FINDING_HOLDER_SIZE = 320,
	FINDING_NUMBER_SIZE = 40
};

/** The largest number that finding_scaled() returns. */
#define FINDING_SCALED_MAX (UINT64_C(1) << 62)

/** The most findings that rules add together. */
enum { FINDINGS_MAX = 32 };

typedef struct finding {
	const char *kind;
	const char *section;
	uint32_t severity;
	char text[FINDING_TEXT_SIZE];
	char command[FINDING_COMMAND_SIZE];
} finding;

struct mprof_finding_list {
	mprof_allocator allocator;
	size_t count;
	finding items[FINDINGS_MAX];
};

/** What rules look at. */
typedef struct finding_source {
	const mprof_profile *profile;
	const mprof_reader *reader;
	mprof_finding_list_options options;
	mprof_allocator allocator;
	mprof_profile_totals totals;
	mprof_finding_list *list;
} finding_source;

/** Adds a finding; its command is "mprof WORDS LOG". The text is as of printf(). A severity above 100 counts as 100. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void finding_add(finding_source *source, const char *kind, const char *section, uint64_t severity, const char *words,
		 const char *format, ...);

/** A part of a whole times a factor, rounded down, at most #FINDING_SCALED_MAX; 0 of nothing. */
uint64_t finding_scaled(uint64_t part, uint64_t whole, double factor);

/** The largest whole number of percent that a part is of a whole; 0 of nothing. */
uint64_t finding_percent(uint64_t part, uint64_t whole);

/** Each writes a number with its unit, as reports do, and returns \p text. */
char *finding_count(char text[FINDING_NUMBER_SIZE], uint64_t count);
char *finding_duration(char text[FINDING_NUMBER_SIZE], uint64_t nanoseconds);
char *finding_bytes(char text[FINDING_NUMBER_SIZE], uint64_t bytes);
char *finding_share(char text[FINDING_NUMBER_SIZE], uint64_t part, uint64_t whole);

/** Writes the name of a frame or a class, without arguments, and with its end if it is too long. Returns \p text. */
char *finding_name(const finding_source *source, uint32_t kind, uint32_t id, char text[FINDING_NAME_SIZE]);

/** Copies what fits of a text that a terminal may print. Returns \p to. */
char *finding_printable(char *to, size_t size, const char *from);

/** Writes a text of the log that is no name of code, with its beginning if it is too long. Returns \p text. */
char *finding_words(char text[FINDING_WORDS_SIZE], const char *name);

/** Whether a name is that of code that every program calls, so that its caller is of more interest. */
int finding_is_of_runtime(const char *name);

/** Makes a pattern of a name that matches it, for a command. */
void finding_pattern(const finding_source *source, uint32_t kind, uint32_t id, char text[FINDING_COMMAND_SIZE]);

/** Sorts the findings, the most severe first, and drops those beyond a number, and those that hardly matter. */
void finding_list_keep(mprof_finding_list *list, size_t most);

#endif
