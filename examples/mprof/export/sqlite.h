/* SPDX-License-Identifier: MIT */
/**
 * \file export/sqlite.h
 * \brief A database of SQLite with the tables of logs.
 */
#ifndef EXPORT_SQLITE_H
#define EXPORT_SQLITE_H

#include "export/target.h"

extern const export_target export_sqlite;

#endif
