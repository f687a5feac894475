// SPDX-License-Identifier: MIT
// Starts programs: Starter.exe [PROGRAM ARGUMENTS]...

using System;
using System.Diagnostics;

class Starter
{
	static int Start(string program, string arguments)
	{
		var start = new ProcessStartInfo(program, arguments) { UseShellExecute = false };
		using (var process = Process.Start(start)) {
			process.WaitForExit();
			return process.ExitCode;
		}
	}

	static int Main(string[] arguments)
	{
		int status = 0;

		for (int i = 0; i + 1 < arguments.Length; i += 2)
			status |= Start(arguments[i], arguments[i + 1]);
		return status;
	}
}
