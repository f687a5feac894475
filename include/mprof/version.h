/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/version.h
 * \brief Version of the headers and of the library that is loaded.
 */
#ifndef MPROF_VERSION_H
#define MPROF_VERSION_H

#include <mprof/api.h>

#define MPROF_VERSION_MAJOR 0 /**< Major version of these headers. \since 0.1 */
#define MPROF_VERSION_MINOR 1 /**< Minor version of these headers. \since 0.1 */
#define MPROF_VERSION_PATCH 0 /**< Patch level of these headers. \since 0.1 */

/**
 * \brief Version of these headers as text.
 * \since 0.1
 */
#define MPROF_VERSION_STRING "0.1.0"

/**
 * \brief One number that grows with each release: major, minor, patch, each in three decimal digits.
 * \since 0.1
 */
#define MPROF_VERSION_NUMBER (MPROF_VERSION_MAJOR * 1000000 + MPROF_VERSION_MINOR * 1000 + MPROF_VERSION_PATCH)

MPROF_BEGIN_DECLS

/**
 * \brief Gets the version of the library that is loaded, encoded like #MPROF_VERSION_NUMBER.
 *
 * Thread-safe and async-signal-safe.
 * \return The number; it differs from the macro if the program was compiled with the headers of another version.
 * \since 0.1
 */
MPROF_API uint32_t mprof_version_get_number(void);

/**
 * \brief Gets the version of the library that is loaded, as text.
 *
 * Thread-safe and async-signal-safe.
 * \return Static text such as "0.1.0".
 * \since 0.1
 */
MPROF_API const char *mprof_version_get_string(void);

/**
 * \brief Parts that a build of the library may omit.
 * \since 0.1
 */
typedef enum mprof_feature {
	MPROF_FEATURE_RECORDER = 1, /**< mprof/recorder.h is implemented; otherwise its functions exist and return
	                                 #MPROF_ERR_UNSUPPORTED or do nothing. */
	MPROF_FEATURE_GZIP = 2      /**< Compressed logs can be read and written. */
} mprof_feature;

/**
 * \brief Whether the loaded library has a part.
 *
 * Thread-safe and async-signal-safe.
 * \param feature The part.
 * \return 1 if it is available, 0 if it is not or is unknown to this library.
 * \since 0.1
 */
MPROF_API int mprof_version_has_feature(mprof_feature feature);

/**
 * \brief Gets the size of a public struct in the library that is loaded, so that a binding in another language can
 * check its declarations.
 *
 * Thread-safe.
 * \param name Name of the struct, such as "mprof_event".
 * \return Bytes; 0 for NULL and for a name that this library does not have.
 * \since 0.1
 */
MPROF_API size_t mprof_struct_get_size(const char *name);

MPROF_END_DECLS

#endif
