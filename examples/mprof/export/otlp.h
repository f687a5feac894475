/* SPDX-License-Identifier: MIT */
/**
 * \file export/otlp.h
 * \brief The profiles of OpenTelemetry, whose format may still change.
 */
#ifndef EXPORT_OTLP_H
#define EXPORT_OTLP_H

#include "export/target.h"

extern const export_target export_otlp;

#endif
