/* SPDX-License-Identifier: MIT */
/* Filters, compares and formats the rows of a difference. */
#include "diff/rows.h"

#include <fnmatch.h>
#include <string.h>

const char *diff_side_name(int side)
{
	return side == DIFF_BEFORE ? "before" : "after";
}

int diff_wants_class(const log_diff *diff, const char *name)
{
	/* Objects belong to no method, and their rows add up all assemblies. */
	if (diff->options.method_pattern != NULL || diff->options.assembly_pattern != NULL)
		return 0;
	return diff->options.class_pattern == NULL || fnmatch(diff->options.class_pattern, name, 0) == 0;
}

size_t diff_rows(const log_diff *diff, size_t count)
{
	return diff->options.top != 0 && diff->options.top < count ? (size_t)diff->options.top : count;
}

int diff_compare_growth(const uint64_t left[DIFF_SIDES], const uint64_t right[DIFF_SIDES])
{
	int left_grew = left[DIFF_AFTER] >= left[DIFF_BEFORE];
	int right_grew = right[DIFF_AFTER] >= right[DIFF_BEFORE];
	uint64_t left_size = left_grew ? left[DIFF_AFTER] - left[DIFF_BEFORE] : left[DIFF_BEFORE] - left[DIFF_AFTER];
	uint64_t right_size =
		right_grew ? right[DIFF_AFTER] - right[DIFF_BEFORE] : right[DIFF_BEFORE] - right[DIFF_AFTER];

	if (left_grew != right_grew)
		return right_grew - left_grew;
	if (left_size == right_size)
		return 0;
	return (left_size > right_size) == left_grew ? -1 : 1;
}

void diff_print_shown(size_t shown, size_t all)
{
	char text[2][TEXT_NUMBER_SIZE];

	if (shown < all)
		printf(" (%s of %s)\n", text_count(text[0], shown), text_count(text[1], all));
	else
		putchar('\n');
}

char *diff_text_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES])
{
	char size[TEXT_NUMBER_SIZE];
	int is_less = values[DIFF_AFTER] < values[DIFF_BEFORE];

	text_count(size, is_less ? values[DIFF_BEFORE] - values[DIFF_AFTER] : values[DIFF_AFTER] - values[DIFF_BEFORE]);
	snprintf(text, TEXT_NUMBER_SIZE, "%s%.30s",
		 is_less                                    ? "-"
		 : values[DIFF_AFTER] > values[DIFF_BEFORE] ? "+"
							    : "",
		 size);
	return text;
}

char *diff_text_percent(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES])
{
	double growth = (double)values[DIFF_AFTER] - (double)values[DIFF_BEFORE];

	text[0] = '\0';
	if (values[DIFF_BEFORE] > 0)
		snprintf(text, TEXT_NUMBER_SIZE, "%+.1f %%", growth / (double)values[DIFF_BEFORE] * 100);
	return text;
}

void diff_print_counts(const uint64_t values[DIFF_SIDES])
{
	char text[4][TEXT_NUMBER_SIZE];

	printf("  %15s %15s %15s %10s", text_count(text[0], values[DIFF_BEFORE]),
	       text_count(text[1], values[DIFF_AFTER]), diff_text_growth(text[2], values),
	       diff_text_percent(text[3], values));
}

char *diff_text_time_growth(char text[TEXT_NUMBER_SIZE], const uint64_t values[DIFF_SIDES])
{
	int is_less = values[DIFF_AFTER] < values[DIFF_BEFORE];
	uint64_t size = is_less ? values[DIFF_BEFORE] - values[DIFF_AFTER] : values[DIFF_AFTER] - values[DIFF_BEFORE];
	char duration[TEXT_NUMBER_SIZE];

	snprintf(text, TEXT_NUMBER_SIZE, "%s%.30s", is_less ? "-" : size > 0 ? "+" : "", text_duration(duration, size));
	return text;
}

void diff_print_times(const uint64_t values[DIFF_SIDES])
{
	char text[4][TEXT_NUMBER_SIZE];

	printf("  %15s %15s %15s %10s", text_duration(text[0], values[DIFF_BEFORE]),
	       text_duration(text[1], values[DIFF_AFTER]), diff_text_time_growth(text[2], values),
	       diff_text_percent(text[3], values));
}

double diff_share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

void diff_print_shares(const uint64_t values[DIFF_SIDES], const uint64_t sums[DIFF_SIDES])
{
	double before = 100 * diff_share(values[DIFF_BEFORE], sums[DIFF_BEFORE]);
	double after = 100 * diff_share(values[DIFF_AFTER], sums[DIFF_AFTER]);
	char percent[TEXT_NUMBER_SIZE] = "";

	if (before > 0)
		snprintf(percent, sizeof(percent), "%+.1f %%", (after - before) / before * 100);
	printf("  %13.3f %% %13.3f %% %+15.3f %10s", before, after, after - before, percent);
}

void diff_print_match(uint32_t match)
{
	const uint64_t values[DIFF_SIDES] = {match & MPROF_DIFF_BEFORE, match & MPROF_DIFF_AFTER};

	diff_print_presence(values);
}

void diff_print_presence(const uint64_t values[DIFF_SIDES])
{
	if (values[DIFF_BEFORE] == 0 && values[DIFF_AFTER] > 0)
		fputs("  (new)", stdout);
	else if (values[DIFF_BEFORE] > 0 && values[DIFF_AFTER] == 0)
		fputs("  (gone)", stdout);
	putchar('\n');
}
