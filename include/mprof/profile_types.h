/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/profile_types.h
 * \brief The handle of a profile. Included by mprof/profile.h.
 */
#ifndef MPROF_PROFILE_TYPES_H
#define MPROF_PROFILE_TYPES_H

#ifndef MPROF_UNSTABLE
#error "mprof/profile.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/reader.h>

MPROF_BEGIN_DECLS

/**
 * \brief A profile. One thread at a time while blocks are added; any number of threads may read it after that.
 * \since 0.1
 */
typedef struct mprof_profile mprof_profile;

MPROF_END_DECLS

#endif
