// SPDX-License-Identifier: MIT
// Comparisons of a test, which are counted and reported at its end.
let failures = 0;
let compared = 0;

export function expect(what, found, wanted) {
	compared++;
	if (Object.is(found, wanted))
		return;
	failures++;
	console.log(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

/** Fails if the test compared less than it should have. */
export function expectMany(least) {
	expect('enough comparisons', compared >= least, true);
}

/** Ends the test. */
export function finish() {
	console.log(`${failures > 0 ? 'FAIL' : 'PASS'}: ${compared} comparisons, ${failures} differ`);
	process.exit(failures > 0 ? 1 : 0);
}
