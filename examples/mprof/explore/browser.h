/* SPDX-License-Identifier: MIT */
/**
 * \file explore/browser.h
 * \brief Opens a page in the browser of the user.
 */
#ifndef EXPLORE_BROWSER_H
#define EXPLORE_BROWSER_H

/** The file:// link of an existing file. The caller frees it; NULL with errno set if that failed. */
char *browser_file_link(const char *path);

/**
 * Starts the program of the environment variable BROWSER, or xdg-open if that is not set. \p waits: a program of
 * BROWSER, which may use the terminal, is waited for. Returns NULL, or why no program was started, such as that there
 * is no display.
 */
const char *browser_open(const char *link, int waits);

#endif
