/* SPDX-License-Identifier: MIT */
/* CRC-32C: the machine's instruction and the tables agree, in one go or in pieces. */
#include "base/checksum.h"

#include <criterion/criterion.h>

#include <string.h>

/* Long enough for the three lanes that long runs are taken in, twice and some more. */
static uint8_t buffer[1700];

static void fill(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < sizeof(buffer); i++) {
		state = state * 1664525 + 1013904223;
		buffer[i] = (uint8_t)(state >> 24);
	}
}

Test(checksum, known_values)
{
	uint8_t zeros[32];
	uint8_t ones[32];

	memset(zeros, 0, sizeof(zeros));
	memset(ones, 0xff, sizeof(ones));
	cr_assert_eq(checksum_update(0, "123456789", 9), 0xe3069283);
	cr_assert_eq(checksum_update_portable(0, "123456789", 9), 0xe3069283);
	cr_assert_eq(checksum_update(0, "", 0), 0);
	cr_assert_eq(checksum_update_portable(0, "", 0), 0);
	/* RFC 3720, appendix B.4. */
	cr_assert_eq(checksum_update(0, zeros, sizeof(zeros)), 0x8a9136aa);
	cr_assert_eq(checksum_update(0, ones, sizeof(ones)), 0x62a8ab43);
}

Test(checksum, all_lengths_and_alignments)
{
	fill();
	for (size_t start = 0; start < 16; start++) {
		for (size_t length = 0; length <= sizeof(buffer) - 16; length++)
			cr_assert_eq(checksum_update(0, buffer + start, length),
				     checksum_update_portable(0, buffer + start, length));
	}
}

Test(checksum, goes_on_where_it_stopped)
{
	uint32_t whole;

	fill();
	whole = checksum_update(0, buffer, sizeof(buffer));
	for (size_t cut = 0; cut <= sizeof(buffer); cut++) {
		uint32_t first = checksum_update(0, buffer, cut);
		uint32_t first_portable = checksum_update_portable(0, buffer, cut);

		cr_assert_eq(checksum_update(first, buffer + cut, sizeof(buffer) - cut), whole);
		cr_assert_eq(checksum_update_portable(first_portable, buffer + cut, sizeof(buffer) - cut), whole);
	}
}

Test(checksum, every_flipped_bit_shows)
{
	uint32_t whole;

	fill();
	whole = checksum_update(0, buffer, 64);
	for (size_t bit = 0; bit < 64 * 8; bit++) {
		buffer[bit / 8] ^= (uint8_t)(1 << bit % 8);
		cr_assert_neq(checksum_update(0, buffer, 64), whole);
		buffer[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
