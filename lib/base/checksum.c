/* SPDX-License-Identifier: MIT */
/* Computes CRC-32C with the instructions of the processor, or with a table. */
#include "base/checksum.h"

#include "base/bytes.h"

/*
 * Polynomial 0x1EDC6F41, bits reversed. Element n is the checksum register after shifting out the four bits n. A larger
 * table would be faster, but most machines have an instruction for this checksum.
 */
static const uint32_t nibble_table[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t checksum_update_portable(uint32_t checksum, const void *bytes, size_t length)
{
	const uint8_t *cursor = bytes;

	checksum = ~checksum;
	while (length-- > 0) {
		checksum ^= *cursor++;
		checksum = checksum >> 4 ^ nibble_table[checksum & 15];
		checksum = checksum >> 4 ^ nibble_table[checksum & 15];
	}
	return ~checksum;
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <nmmintrin.h>
#include <wmmintrin.h>

/* The instruction takes three cycles, but one can start in each cycle, so three lanes are computed side by side. */
#define LANE_LENGTH ((size_t)256)

/*
 * x to the power 8 * N - 33 modulo the polynomial, bits reversed: multiplying by it advances a register over N zero
 * bytes.
 */
#define OVER_ONE_LANE UINT32_C(0xb9e02b86)
#define OVER_TWO_LANES UINT32_C(0xdd7e3b0c)

/* Advances a register over the zero bytes of one or two lanes: \p constant is OVER_ONE_LANE or OVER_TWO_LANES. */
__attribute__((target("sse4.2,pclmul"))) static uint64_t carry_over(uint64_t state, uint32_t constant)
{
	__m128i product =
		_mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)state), _mm_cvtsi32_si128((int)constant), 0);

	return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t checksum_update_machine(uint32_t checksum, const void *bytes,
										 size_t length)
{
	const uint8_t *cursor = bytes;
	uint64_t state = ~checksum;

	for (; length >= 3 * LANE_LENGTH; length -= 3 * LANE_LENGTH, cursor += 3 * LANE_LENGTH) {
		uint64_t second = 0;
		uint64_t third = 0;

		for (size_t i = 0; i < LANE_LENGTH; i += 8) {
			state = _mm_crc32_u64(state, bytes_load_64(cursor + i));
			second = _mm_crc32_u64(second, bytes_load_64(cursor + LANE_LENGTH + i));
			third = _mm_crc32_u64(third, bytes_load_64(cursor + 2 * LANE_LENGTH + i));
		}
		state = carry_over(state, OVER_TWO_LANES) ^ carry_over(second, OVER_ONE_LANE) ^ third;
	}
	for (; length >= 8; length -= 8, cursor += 8)
		state = _mm_crc32_u64(state, bytes_load_64(cursor));
	for (; length > 0; length--)
		state = _mm_crc32_u8((uint32_t)state, *cursor++);
	return ~(uint32_t)state;
}

static int checksum_machine_can(void)
{
	return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

#include <arm_acle.h>

static uint32_t checksum_update_machine(uint32_t checksum, const void *bytes, size_t length)
{
	const uint8_t *cursor = bytes;
	uint32_t state = ~checksum;

	for (; length >= 8; length -= 8, cursor += 8)
		state = __crc32cd(state, bytes_load_64(cursor));
	for (; length > 0; length--)
		state = __crc32cb(state, *cursor++);
	return ~state;
}

static int checksum_machine_can(void)
{
	return 1;
}

#else

static uint32_t checksum_update_machine(uint32_t checksum, const void *bytes, size_t length)
{
	return checksum_update_portable(checksum, bytes, length);
}

static int checksum_machine_can(void)
{
	return 0;
}

#endif

uint32_t checksum_update(uint32_t checksum, const void *bytes, size_t length)
{
	if (checksum_machine_can())
		return checksum_update_machine(checksum, bytes, length);
	return checksum_update_portable(checksum, bytes, length);
}
