/* SPDX-License-Identifier: MIT */
/**
 * \file export/dot.h
 * \brief The input of Graphviz: a graph of the functions with the greatest values.
 */
#ifndef EXPORT_DOT_H
#define EXPORT_DOT_H

#include "export/target.h"

extern const export_target export_dot;

#endif
