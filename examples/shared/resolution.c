/* SPDX-License-Identifier: MIT */
/* Parses the value of --resolution. */
#include "shared/resolution.h"

#include <stddef.h>
#include <string.h>

/* That of mprof_recorder_options::resolution_ns. */
#define MAX_NANOSECONDS 10000

int resolution_parse(const char *text, uint32_t *nanoseconds)
{
	static const struct {
		const char *name;
		uint32_t nanoseconds;
	} units[] = {{"ns", 1}, {"us", 1000}};
	const char *unit = text;
	uint32_t number = 0;

	*nanoseconds = 0;
	if (strcmp(text, "full") == 0 || strcmp(text, "0") == 0)
		return 1;
	for (; *unit >= '0' && *unit <= '9'; unit++) {
		number = number * 10 + (uint32_t)(*unit - '0');
		if (number > MAX_NANOSECONDS)
			return 0;
	}
	for (size_t i = 0; unit != text && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].name) == 0 && number <= MAX_NANOSECONDS / units[i].nanoseconds) {
			*nanoseconds = number * units[i].nanoseconds;
			return 1;
		}
	}
	return 0;
}
