/* SPDX-License-Identifier: MIT */
/* The list of formats that can be imported. */
#include "import/formats.h"

#include "common/nearest.h"

#include <stdio.h>
#include <string.h>

/* A text is looked at last: any could be meant by it. */
static const import_format *const formats[] = {&import_mlpd, &import_hprof, &import_heapsnapshot, &import_cpuprofile,
					       &import_perf_script};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

const import_format *formats_find(const char *name)
{
	nearest_name nearest;

	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	nearest_init(&nearest, name);
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		nearest_offer_word(&nearest, formats[i]->name, formats[i]->name);
	fprintf(stderr, "mprof: --from: unknown format '%s'; ", name);
	if (nearest.found != NULL)
		fprintf(stderr, "did you mean '%s'?\n", nearest.found);
	else
		fputs("'mprof import --from=help' lists the formats\n", stderr);
	nearest_release(&nearest);
	return NULL;
}

const import_format *formats_recognize(const uint8_t *start, size_t length)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (formats[i]->recognizes(start, length))
			return formats[i];
	}
	return NULL;
}

void formats_print_list(void)
{
	puts("Formats of mprof import --from=FORMAT:");
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		printf("  %-12s %s\n", formats[i]->name, formats[i]->description);
		printf("  %-12s %s\n", "", formats[i]->lacks);
	}
}
