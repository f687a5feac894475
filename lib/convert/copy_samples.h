/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_samples.h
 * \brief Copies samples.
 */
#ifndef CONVERT_COPY_SAMPLES_H
#define CONVERT_COPY_SAMPLES_H

#include <mprof/convert.h>

mprof_status copy_samples(mprof_converter *converter, const mprof_block *block);

#endif
