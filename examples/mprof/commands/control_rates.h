/* SPDX-License-Identifier: MIT */
/**
 * \file commands/control_rates.h
 * \brief Measures what recording costs a program at present.
 */
#ifndef CONTROL_RATES_H
#define CONTROL_RATES_H

#include "common/control_connection.h"
#include "common/json.h"

/**
 * Asks the program for its totals twice, \p seconds apart, and prints the difference per second: to \p json, or as text
 * if that is NULL. Returns an exit status; if it is not #STATUS_OK, a message was printed.
 */
int control_rates_print(control_connection *connection, unsigned seconds, json_writer *json);

#endif
