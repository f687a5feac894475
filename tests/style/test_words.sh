#!/bin/bash
# SPDX-License-Identifier: MIT
# The paths of clean.txt have none of the words of banned_words.txt. The list only grows: a directory that has been
# cleaned is added to it, and when it holds all that is checked it can be removed.
set -eu

style=$srcdir/tests/style
status=0

# The script finds the words, and only those.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tests/style" "$scratch/lib"
cp "$style/banned_words.sh" "$style/banned_words.txt" "$scratch/tests/style"
cat >"$scratch/lib/bad.c" <<'END'
/* The header tells its length. */
/* Comes behind the block. */
int told;
/* What the flags say. */
/* The block is
 * passed by. */
END
cat >"$scratch/lib/good.c" <<'END'
/* The header contains its length, which is known. See bad-mono-after-end; padding_behind. */
/* Arguments passed by the caller. Beginning at the start. */
END
found=$(bash "$scratch/tests/style/banned_words.sh" lib/bad.c | grep -c '^lib/bad.c:') || true
if test "$found" != 5; then
	echo "FAIL: banned_words.sh finds $found of 5 banned words"
	status=1
fi
if ! bash "$scratch/tests/style/banned_words.sh" lib/good.c; then
	echo "FAIL: banned_words.sh finds banned words where there are none"
	status=1
fi

mapfile -t clean < <(grep -v '^#' "$style/clean.txt")
for path in "${clean[@]}"; do
	# A release archive has no hidden files.
	if [[ $path != .* ]] && ! test -e "$srcdir/$path"; then
		echo "FAIL: tests/style/clean.txt has $path, which does not exist"
		status=1
	fi
done
if ! bash "$style/banned_words.sh" "${clean[@]}"; then
	echo "FAIL: banned words, see above; doc/style.md has the reasons"
	status=1
fi

exit $status
