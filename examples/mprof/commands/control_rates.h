/* SPDX-License-Identifier: MIT */
/**
 * \file commands/control_rates.h
 * \brief Measures what recording costs a program at present.
 */
#ifndef CONTROL_RATES_H
#define CONTROL_RATES_H

#include "commands/control_connection.h"
#include "common/json.h"

/**
 * Asks for totals twice and prints the difference per second; into \p json unless that is NULL. Returns an exit status.
 */
int control_rates_print(control_connection *connection, unsigned seconds, json_writer *json);

#endif
