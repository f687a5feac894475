/* SPDX-License-Identifier: MIT */
/**
 * \file version.c
 * \brief What this build of the library is.
 */
#include "config.h"

#include <mprof/base.h>

uint32_t mprof_version_get_number(void)
{
	return MPROF_VERSION_NUMBER;
}

const char *mprof_version_get_string(void)
{
	return MPROF_VERSION_STRING;
}

int mprof_version_has_feature(uint32_t feature)
{
	switch (feature) {
#ifdef MPROF_WITH_RECORDER
	/* Each case may be left out. NOLINTNEXTLINE(bugprone-branch-clone) */
	case MPROF_FEATURE_RECORDER:
		return 1;
#endif
#ifdef MPROF_WITH_ZLIB
	case MPROF_FEATURE_GZIP:
	case MPROF_FEATURE_DEFLATE:
		return 1;
#endif
#ifdef MPROF_WITH_ZSTD
	case MPROF_FEATURE_ZSTD:
		return 1;
#endif
	default:
		return 0;
	}
}
