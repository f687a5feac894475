// SPDX-License-Identifier: MIT
// Executes commands from its standard input, one per line, and prints a line when each is done.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Mono.Profiler
{
	// What the module defines, for programs that control their own recording.
	static class RuntimeControls
	{
		[MethodImpl(MethodImplOptions.InternalCall)]
		public static extern void EnableProfiler();

		[MethodImpl(MethodImplOptions.InternalCall)]
		public static extern void DisableProfiler();

		[MethodImpl(MethodImplOptions.InternalCall)]
		public static extern void TakeHeapSnapshot();
	}
}

namespace Controlled
{
	class Kept { public Kept next; }

	static class Program
	{
		static Kept kept;
		static volatile bool storming;

		[MethodImpl(MethodImplOptions.NoInlining)]
		static int Step(int n) { return n + 1; }

		// Limited, in case no command ends it.
		static void Storm()
		{
			for (int round = 0; storming && round < 50000; round++) {
				Kept list = null;
				for (int i = 0; i < 1000; i++)
					list = new Kept { next = list };
				kept = list;
			}
		}

		static void Main()
		{
			Thread storm = null;
			Console.WriteLine("ready");
			for (string line; (line = Console.ReadLine()) != null; Console.WriteLine("done")) {
				string[] words = line.Split(' ');
				int number;
				int.TryParse(words.Length > 1 ? words[1] : "", out number);
				if (words[0] == "step")
					for (int i = 0; i < number; i++)
						Step(i);
				else if (words[0] == "keep")
					for (int i = 0; i < number; i++)
						kept = new Kept { next = kept };
				else if (words[0] == "collect")
					for (int i = 0; i < number; i++)
						GC.Collect();
				else if (words[0] == "go")
					System.IO.Directory.SetCurrentDirectory(words[1]);
				else if (words[0] == "enable")
					Mono.Profiler.RuntimeControls.EnableProfiler();
				else if (words[0] == "disable")
					Mono.Profiler.RuntimeControls.DisableProfiler();
				else if (words[0] == "shot")
					Mono.Profiler.RuntimeControls.TakeHeapSnapshot();
				else if (words[0] == "storm") {
					storming = true;
					storm = new Thread(Storm);
					storm.Start();
				} else if (words[0] == "calm") {
					storming = false;
					storm.Join();
				}
			}
		}
	}
}
