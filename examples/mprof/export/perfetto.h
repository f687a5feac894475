/* SPDX-License-Identifier: MIT */
/**
 * \file export/perfetto.h
 * \brief mprof export --to=perfetto: a trace of Perfetto.
 */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include "export/target.h"

extern const export_target export_perfetto;

#endif
