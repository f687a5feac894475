/* SPDX-License-Identifier: MIT */
/**
 * \file base/testpoint.h
 * \brief Points in the code where a test can stop a thread, to force an interleaving that hardly ever happens
 * otherwise.
 *
 * They are empty, except in test programs that compile a source file again with MPROF_TESTPOINTS and define
 * testpoint_reach().
 */
#ifndef BASE_TESTPOINT_H
#define BASE_TESTPOINT_H

#ifdef MPROF_TESTPOINTS
/** Called on the thread that reaches a point. */
void testpoint_reach(const char *name);
#define TESTPOINT(name) testpoint_reach(name)
#else
#define TESTPOINT(name) ((void)0)
#endif

#endif
