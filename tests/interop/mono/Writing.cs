// SPDX-License-Identifier: MIT
// Spends the given milliseconds of processor time, most of them in the kernel: overwrites a file again and again.
using System;
using System.IO;

namespace Writing
{
	class Program
	{
		static void Main(string[] arguments)
		{
			byte[] bytes = new byte[1 << 20];
			TimeSpan time = TimeSpan.FromMilliseconds(int.Parse(arguments[0]));
			FileStream file = new FileStream(arguments[1], FileMode.Create, FileAccess.Write, FileShare.None, 1);

			while (System.Diagnostics.Process.GetCurrentProcess().TotalProcessorTime < time) {
				for (int i = 0; i < 32; i++) {
					file.Position = 0;
					file.Write(bytes, 0, bytes.Length);
				}
			}
		}
	}
}
