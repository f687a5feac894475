// SPDX-License-Identifier: MIT
// The statuses of the library, and the error that is thrown for those that are not statements about a log.

export const statusNames = {
	0: 'ok', 1: 'end', 2: 'again', 16: 'argument', 17: 'state', 18: 'memory', 19: 'io', 20: 'not-mprof',
	21: 'truncated', 22: 'malformed', 23: 'checksum', 24: 'limit', 25: 'unsupported', 26: 'undefined-id',
	27: 'redefined-id', 28: 'name', 29: 'interrupted',
};

export const statusOk = 0;
export const statusEnd = 1;
export const statusAgain = 2;
export const statusArgument = 16;
export const statusState = 17;
export const statusMemory = 18;
export const statusInterrupted = 29;

// Statuses that are errors of the caller or final, not statements about the log.
export const thrownStatuses = new Set(['argument', 'state', 'memory', 'io']);

/** An error of the library, or of a call that is not allowed. */
export class MprofError extends Error {
	constructor(status, message, fault) {
		super(message);
		this.name = 'MprofError';
		this.status = status;
		this.fault = fault ?? null;
	}
}
