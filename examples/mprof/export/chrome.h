/* SPDX-License-Identifier: MIT */
/**
 * \file export/chrome.h
 * \brief mprof export --to=chrome: JSON of the trace event format.
 */
#ifndef EXPORT_CHROME_H
#define EXPORT_CHROME_H

#include "export/target.h"

extern const export_target export_chrome;

#endif
