/* SPDX-License-Identifier: MIT */
/**
 * \file base/testpoint.h
 * \brief Places where a test can stop a thread, to bring about an order of steps that hardly ever happens by itself.
 *
 * They are empty but in programs of the tests that compile a source file again with MPROF_TESTPOINTS and define
 * testpoint_reach().
 */
#ifndef BASE_TESTPOINT_H
#define BASE_TESTPOINT_H

#ifdef MPROF_TESTPOINTS
/** Called on the thread that comes to a place. */
void testpoint_reach(const char *name);
#define TESTPOINT(name) testpoint_reach(name)
#else
#define TESTPOINT(name) ((void)0)
#endif

#endif
