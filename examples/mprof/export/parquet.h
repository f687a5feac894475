/* SPDX-License-Identifier: MIT */
/**
 * \file export/parquet.h
 * \brief Tables of logs as files of Parquet.
 */
#ifndef EXPORT_PARQUET_H
#define EXPORT_PARQUET_H

#include "export/target.h"

extern const export_target export_parquet;

#endif
