/* SPDX-License-Identifier: MIT */
/* Names in programs that are built with a sanitizer. */
#include "shared/sanitizers.h"

#include <stddef.h>

const char *const sanitizer_libraries[] = {
	"libasan.so",       "libtsan.so",       "liblsan.so",         "libhwasan.so",
	"libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan", NULL,
};

const char *const sanitizer_functions[] = {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init", NULL};
