/* SPDX-License-Identifier: MIT */
/**
 * \file native/module_finder.h
 * \brief The modules of the addresses that libunwind looks up, found without the loader's lock.
 *
 * libunwind looks for the module of an address with dl_iterate_phdr(), which waits while another thread is inside that
 * function. That thread may wait for the one whose stack is walked. So the module interposes the function: for
 * libunwind, it visits the one module that contains the address; for all other callers, all modules.
 */
#ifndef NATIVE_MODULE_FINDER_H
#define NATIVE_MODULE_FINDER_H

#include <stdint.h>

/**
 * Before the module of \p address is looked up, in a walk that shows what libunwind passes to dl_iterate_phdr(). To be
 * called at the start, on one thread. 0 ends this.
 */
void module_finder_learn(uintptr_t address);

#endif
