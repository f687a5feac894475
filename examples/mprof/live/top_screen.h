/* SPDX-License-Identifier: MIT */
/**
 * \file live/top_screen.h
 * \brief A live view on the whole terminal.
 */
#ifndef LIVE_TOP_SCREEN_H
#define LIVE_TOP_SCREEN_H

#include "live/top_view.h"

/**
 * Shows a log until the user quits. Returns 0 without any output if the terminal cannot be used, or if the program was
 * built without ncurses.
 */
int top_screen_run(live_profile *live, top_sort sort, unsigned interval_ms);

#endif
