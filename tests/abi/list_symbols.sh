#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the functions that the public headers in a directory declare, sorted: list_symbols.sh INCLUDE/mprof
set -eu

# The preprocessor's lines define the marker itself.
cat "$1"/*.h |
	grep -v '^#' |
	tr '\n\t' '  ' |
	grep -o 'MPROF_API [^(]*(' |
	sed 's/ *($//; s/.*[ *]//' |
	LC_ALL=C sort
