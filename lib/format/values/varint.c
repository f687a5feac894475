/* SPDX-License-Identifier: MIT */
/* Stop-bit varints, one by one and eight bytes at a time, and addresses as differences. */
#include "format/values/varint.h"

size_t varint_encode(uint64_t value, uint8_t *out)
{
	return (size_t)(varint_put(out, value) - out);
}

int varint_decode(const uint8_t *bytes, size_t length, uint64_t *value)
{
	uint64_t result = 0;
	size_t longest = length < MPROF_VARINT_MAX_LENGTH ? length : MPROF_VARINT_MAX_LENGTH;

	for (size_t i = 0; i < longest; i++) {
		uint64_t group = bytes[i] & 127;

		/* The tenth group has one bit left. */
		if (i == MPROF_VARINT_MAX_LENGTH - 1 && group > 1)
			return -1;
		result |= group << 7 * i;
		if ((bytes[i] & VARINT_LAST_BIT) != 0) {
			*value = result;
			return (int)i + 1;
		}
	}
	return longest < MPROF_VARINT_MAX_LENGTH ? 0 : -1;
}

const uint8_t *varint_get_long(const uint8_t *cursor, const uint8_t *limit, uint64_t *value)
{
	return varint_read(&cursor, limit, value) > 0 ? cursor : NULL;
}
