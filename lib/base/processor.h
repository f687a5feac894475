/* SPDX-License-Identifier: MIT */
/**
 * \file base/processor.h
 * \brief What the processor can do beyond the instructions that the library is compiled for.
 *
 * The compiler has functions for the same, but what they bring into each program is longer than a small reader's own
 * code.
 */
#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <stdint.h>

/** Whether it has the CRC-32C of SSE 4.2, and the multiplication without carry. */
static inline int processor_has_crc32_and_clmul(void)
{
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t d;

	return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0 && (c & bit_PCLMUL) != 0;
}

/** Whether it has a fast PEXT instruction. On Zen 1 and 2, AMD's family 17h, it is slow. */
static inline int processor_has_fast_pext(void)
{
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint32_t d;

	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & bit_BMI) == 0 || (b & bit_BMI2) == 0)
		return 0;
	(void)__get_cpuid(1, &a, &b, &c, &d);
	/* The family and its extension. */
	if ((a >> 8 & 0xf) + (a >> 20 & 0xff) != 0x17)
		return 1;
	(void)__get_cpuid(0, &a, &b, &c, &d);
	return b != signature_AMD_ebx;
}

#endif

#endif
