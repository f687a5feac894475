#!/bin/bash
# SPDX-License-Identifier: MIT
# Native programs behave the same alone and in every recording mode, for the user of the test.
set -eu
. "$srcdir/tests/harmless/harness.sh"
needs_compression
needs_native_sampling
as_user=(env)
check_programs "$(id -un)" "${mode_names[@]}"
