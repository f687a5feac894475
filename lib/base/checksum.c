/* SPDX-License-Identifier: MIT */
/* Computes CRC-32C with the instructions of the processor, or with a table. */
#include "base/checksum.h"

#include "base/bytes.h"
#include "base/processor.h"

/* The checksum is linear: the elements of a table are the sums of the elements of its four bits. */
#define NIBBLE_TABLE(bit_0, bit_1, bit_2, bit_3)                                                                       \
	{                                                                                                              \
		0, (bit_0), (bit_1), (bit_0) ^ (bit_1), (bit_2), (bit_0) ^ (bit_2), (bit_1) ^ (bit_2),                 \
			(bit_0) ^ (bit_1) ^ (bit_2), (bit_3), (bit_0) ^ (bit_3), (bit_1) ^ (bit_3),                    \
			(bit_0) ^ (bit_1) ^ (bit_3), (bit_2) ^ (bit_3), (bit_0) ^ (bit_2) ^ (bit_3),                   \
			(bit_1) ^ (bit_2) ^ (bit_3), (bit_0) ^ (bit_1) ^ (bit_2) ^ (bit_3)                             \
	}

/*
 * Polynomial 0x1EDC6F41, bits reversed. For each half byte of a word of eight bytes, the lower half first, the register
 * after shifting out the word. The 16 lookups do not wait for each other, as those of single bytes do. Tables of bytes
 * would be faster, but take 8 KiB, and most machines have an instruction for this checksum.
 */
static const uint32_t word_tables[16][16] = {
	NIBBLE_TABLE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da),
	NIBBLE_TABLE(0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
	NIBBLE_TABLE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53),
	NIBBLE_TABLE(0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
	NIBBLE_TABLE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f),
	NIBBLE_TABLE(0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
	NIBBLE_TABLE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91),
	NIBBLE_TABLE(0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
	NIBBLE_TABLE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6),
	NIBBLE_TABLE(0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
	NIBBLE_TABLE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5),
	NIBBLE_TABLE(0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
	NIBBLE_TABLE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8),
	NIBBLE_TABLE(0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
	NIBBLE_TABLE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf),
	NIBBLE_TABLE(0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
};

static uint32_t shift_out_word(uint64_t word)
{
	uint32_t state = 0;

	for (size_t i = 0; i < 16; i++)
		state ^= word_tables[i][word >> 4 * i & 15];
	return state;
}

static uint32_t shift_out_byte(uint32_t state)
{
	return state >> 8 ^ word_tables[14][state & 15] ^ word_tables[15][state >> 4 & 15];
}

uint32_t checksum_update_portable(uint32_t checksum, const void *bytes, size_t length)
{
	const uint8_t *cursor = bytes;
	uint32_t state = ~checksum;

	for (; length >= 8; length -= 8, cursor += 8)
		state = shift_out_word(bytes_load_64(cursor) ^ state);
	for (; length > 0; length--)
		state = shift_out_byte(state ^ *cursor++);
	return ~state;
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
	/* 0: not known yet. Asking the processor takes long, above all in a virtual machine. */
	static int known;
	int can = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (can == 0) {
		can = processor_has_crc32_and_clmul() ? 1 : -1;
		__atomic_store_n(&known, can, __ATOMIC_RELAXED);
	}
	return can > 0;
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
