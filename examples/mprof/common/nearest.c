/* SPDX-License-Identifier: MIT */
/* Finds the name that is most similar to a mistyped one. */
#include "common/nearest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/*
 * Weight of one edit. For a name that contains the typed text, each additional character counts 1: less than any edit.
 */
#define MISTAKE (NEAREST_LENGTH + 1)

void nearest_init(nearest_name *nearest, const char *wanted)
{
	memset(nearest, 0, sizeof(*nearest));
	nearest->misses = SIZE_MAX;
	nearest->is_start = wanted[0] != '\0' && wanted[strlen(wanted) - 1] == '*';
	for (; *wanted != '\0' && nearest->length < NEAREST_LENGTH; wanted++) {
		if (strchr("*?[]", *wanted) == NULL)
			nearest->wanted[nearest->length++] = (char)tolower((unsigned char)*wanted);
	}
}

static size_t smallest_of(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* The edit distance: insertions, deletions, substitutions and transpositions that convert the typed text to the key. */
static size_t count_mistakes(const nearest_name *nearest, const char *key, size_t key_length)
{
	size_t rows[3][NEAREST_LENGTH + 1];
	size_t *before = rows[0];
	size_t *above = rows[1];
	size_t *row = rows[2];

	for (size_t column = 0; column <= nearest->length; column++)
		above[column] = column;
	for (size_t i = 1; i <= key_length; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= nearest->length; j++) {
			const char *typed = nearest->wanted;

			row[j] = smallest_of(above[j] + 1, row[j - 1] + 1, above[j - 1] + (key[i - 1] != typed[j - 1]));
			if (i > 1 && j > 1 && key[i - 1] == typed[j - 2] && key[i - 2] == typed[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[nearest->length];
}

static void compare_name(nearest_name *nearest, const char *key, const char *name, size_t least_part,
			 size_t most_mistakes)
{
	char lower[NEAREST_LENGTH + 1];
	size_t length = 0;
	size_t misses;
	char *copy;

	for (; length < NEAREST_LENGTH && key[length] != '\0'; length++)
		lower[length] = (char)tolower((unsigned char)key[length]);
	if (nearest->is_start && length > nearest->length)
		length = nearest->length;
	lower[length] = '\0';
	if (nearest->length >= least_part && strstr(lower, nearest->wanted) != NULL) {
		misses = length - nearest->length;
	} else {
		size_t difference = length > nearest->length ? length - nearest->length : nearest->length - length;
		size_t mistakes;

		if (difference > most_mistakes || difference * MISTAKE >= nearest->misses)
			return;
		mistakes = count_mistakes(nearest, lower, length);
		if (mistakes > most_mistakes)
			return;
		misses = mistakes * MISTAKE;
	}
	if (misses >= nearest->misses)
		return;
	copy = strdup(name);
	if (copy == NULL)
		return;
	free(nearest->found);
	nearest->found = copy;
	nearest->misses = misses;
}

void nearest_offer(nearest_name *nearest, const char *key, const char *name)
{
	/* A name of which more is different is as good as any other. */
	compare_name(nearest, key, name, 1, nearest->length / 2 + 1);
}

void nearest_offer_word(nearest_name *nearest, const char *key, const char *name)
{
	compare_name(nearest, key, name, 4, nearest->length > 5 ? 2 : 1);
}

void nearest_offer_options(nearest_name *nearest, const struct option *options)
{
	nearest->length = strcspn(nearest->wanted, "=");
	nearest->wanted[nearest->length] = '\0';
	while (nearest->length > 0 && nearest->wanted[0] == '-')
		memmove(nearest->wanted, nearest->wanted + 1, nearest->length--);
	for (; options->name != NULL; options++)
		nearest_offer_word(nearest, options->name, options->name);
}

void nearest_release(nearest_name *nearest)
{
	free(nearest->found);
	nearest->found = NULL;
}
