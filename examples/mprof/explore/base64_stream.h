/* SPDX-License-Identifier: MIT */
/**
 * \file explore/base64_stream.h
 * \brief A stream that writes what is written to it as base64, divided into elements of a page.
 */
#ifndef EXPLORE_BASE64_STREAM_H
#define EXPLORE_BASE64_STREAM_H

#include <stdio.h>

/**
 * Opens a stream whose output goes to \p target, which is borrowed. Every few megabytes of output are enclosed in
 * \p before and \p after, which are borrowed until the stream is closed; closing it completes the last part and leaves
 * the target open. Returns NULL with errno set if that failed.
 */
FILE *base64_stream_open(FILE *target, const char *before, const char *after);

#endif
