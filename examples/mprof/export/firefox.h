/* SPDX-License-Identifier: MIT */
/**
 * \file export/firefox.h
 * \brief mprof export --to=firefox: processed profiles of the Firefox Profiler.
 */
#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include "export/target.h"

extern const export_target export_firefox;

#endif
