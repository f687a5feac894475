// SPDX-License-Identifier: MIT
// Works in functions of which one seems to execute another program. Then it tries to execute one, works, and executes
// one.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

static class Exec
{
	[DllImport("busy")]
	static extern int exec_busy();

	[DllImport("busy")]
	static extern int busy();

	[DllImport("libc", EntryPoint = "execv")]
	static extern int sys_execv(string path, string[] arguments);

	[DllImport("libc")]
	static extern int exec_missing(string path);

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int WorkBefore()
	{
		return busy();
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int WorkAsExec()
	{
		return exec_busy();
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int WorkAfter()
	{
		return busy();
	}

	static int Main()
	{
		if (WorkBefore() + WorkAsExec() != 0 || sys_execv("/does/not/exist", new[] { "x", null }) != -1)
			return 1;
		try {
			exec_missing("x");
			return 2;
		} catch (EntryPointNotFoundException) {
		}
		if (WorkAfter() != 0)
			return 3;
		sys_execv("/bin/grep", new[] { "grep", "^Sig[PB]", "/proc/self/status", null });
		return 4;
	}
}
