/* SPDX-License-Identifier: MIT */
/**
 * \file common/losses_json.h
 * \brief Data that a dialect cannot represent, by kind, as JSON.
 */
#ifndef LOSSES_JSON_H
#define LOSSES_JSON_H

#include "common/json.h"

#include <mprof/writer.h>

/** Prints an object with the key "left_out". */
void losses_print_json(const mprof_writer_stats *stats, json_writer *json);

#endif
