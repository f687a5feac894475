/* SPDX-License-Identifier: MIT */
/**
 * \file flame/script.h
 * \brief The script in a flame graph: zoom, search and keys. The picture is complete without it.
 */
#ifndef FLAME_SCRIPT_H
#define FLAME_SCRIPT_H

/** The script, which contains no character that XML would need to escape in CDATA. */
extern const char flame_script[];

#endif
