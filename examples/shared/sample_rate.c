/* SPDX-License-Identifier: MIT */
/* Reads the rate of samples. */
#include "shared/sample_rate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *sample_rate_parse(const char *value, uint32_t start_hz, uint32_t *hz)
{
	char *end;
	unsigned long number;

	if (strcmp(value, "off") == 0 || strcmp(value, "on") == 0) {
		*hz = value[1] == 'n' ? start_hz : 0;
		return NULL;
	}
	errno = 0;
	number = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || number < 1 || number > MAX_SAMPLE_HZ)
		return "sample takes on, off, or a number from 1 to 10000";
	*hz = (uint32_t)number;
	return NULL;
}
