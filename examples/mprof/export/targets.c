/* SPDX-License-Identifier: MIT */
/* The table of the formats that mprof export writes. */
#include "export/targets.h"

#include "common/arguments.h"

#include <string.h>

static const export_target *const targets[] = {
	&export_pprof,        &export_speedscope,   &export_folded,   &export_callgrind, &export_dot,
	&export_heapsnapshot, &export_hprof,        &export_otlp,     &export_sqlite,    &export_csv,
	&export_clickhouse,   &export_parquet,      &export_perfetto, &export_firefox,   &export_chrome,
	&export_otlp_traces,  &export_otlp_metrics,
};

#define TARGET_COUNT (sizeof(targets) / sizeof(targets[0]))

const export_target *targets_find(const char *name)
{
	nearest_name nearest;

	for (size_t i = 0; i < TARGET_COUNT; i++) {
		if (strcmp(targets[i]->name, name) == 0)
			return targets[i];
	}
	nearest_init(&nearest, name);
	for (size_t i = 0; i < TARGET_COUNT; i++)
		nearest_offer_word(&nearest, targets[i]->name, targets[i]->name);
	fprintf(stderr, "mprof: --to: unknown format '%s'; ", name);
	if (nearest.found != NULL)
		fprintf(stderr, "did you mean '%s'?\n", nearest.found);
	else
		fputs("'mprof export --to=help' lists the formats\n", stderr);
	nearest_release(&nearest);
	return NULL;
}

static void print_values(const export_target *target)
{
	const char *separator = "--value: ";

	if (target->values == 0)
		return;
	printf("  %-12s ", "");
	for (int value = 0; value < EXPORT_VALUES; value++) {
		if (target->values & EXPORT_VALUE_BIT(value)) {
			printf("%s%s", separator, export_value_name((export_value)value));
			separator = ", ";
		}
	}
	putchar('\n');
}

void targets_print_list(void)
{
	puts("Formats of mprof export --to=FORMAT:");
	for (size_t i = 0; i < TARGET_COUNT; i++) {
		printf("  %-12s %s\n", targets[i]->name, targets[i]->description);
		print_values(targets[i]);
		if (targets[i]->lacks != NULL)
			printf("  %-12s %s\n", "", targets[i]->lacks);
	}
}
