/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/api.h
 * \brief Linkage macros shared by the public headers.
 */
#ifndef MPROF_API_H
#define MPROF_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MPROF_BEGIN_DECLS extern "C" {
#define MPROF_END_DECLS }
#else
#define MPROF_BEGIN_DECLS
#define MPROF_END_DECLS
#endif

#if defined(_WIN32) && defined(MPROF_BUILDING)
#define MPROF_API __declspec(dllexport)
#elif defined(_WIN32)
#define MPROF_API
#elif defined(__GNUC__)
#define MPROF_API __attribute__((visibility("default")))
#else
#define MPROF_API
#endif

#if defined(__GNUC__)
#define MPROF_NODISCARD __attribute__((warn_unused_result))
#else
#define MPROF_NODISCARD
#endif

#endif
