/* SPDX-License-Identifier: MIT */
/* Reads the rate of samples. */
#include "shared/sample_rate.h"

#include "shared/record_values.h"

#include <string.h>

#define TEXT_OF(number) #number
#define TEXT_OF_VALUE(number) TEXT_OF(number)

const char *sample_rate_parse(const char *value, uint32_t start_hz, uint32_t *hz)
{
	uint64_t number;

	if (strcmp(value, "off") == 0 || strcmp(value, "on") == 0) {
		*hz = value[1] == 'n' ? start_hz : 0;
		return NULL;
	}
	if (!record_values_number(value, 1, MAX_SAMPLE_HZ, &number))
		return "sample takes on, off, or a number from 1 to " TEXT_OF_VALUE(MAX_SAMPLE_HZ);
	*hz = (uint32_t)number;
	return NULL;
}
