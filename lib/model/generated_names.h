/* SPDX-License-Identifier: MIT */
/**
 * \file model/generated_names.h
 * \brief Names that compilers generate with a number, which changes when the program does.
 */
#ifndef MODEL_GENERATED_NAMES_H
#define MODEL_GENERATED_NAMES_H

/**
 * Replaces each such number in a name by '#'. The name gets shorter or stays the same. Returns 1 if there was a number.
 */
int generated_name_strip(char *name);

/** Compares two names as text, but digits as numbers. Returns less than, equal to or greater than 0. */
int generated_name_compare(const char *left, const char *right);

#endif
