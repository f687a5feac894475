/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_events.h
 * \brief Copies EVENTS blocks.
 */
#ifndef CONVERT_COPY_EVENTS_H
#define CONVERT_COPY_EVENTS_H

#include <mprof/convert.h>

mprof_status copy_events(mprof_converter *converter, const mprof_block *block);

#endif
