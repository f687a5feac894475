// SPDX-License-Identifier: MIT
// Threads that wait, each in another way and named after it, and a thread that makes the runtime work for it. The
// arguments are the time in milliseconds, and the work.
using System;
using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Waits
{
	static class Program
	{
		static readonly object Taken = new object();
		static readonly ManualResetEvent Never = new ManualResetEvent(false);
		static readonly TcpListener Listener = new TcpListener(IPAddress.Loopback, 0);
		static readonly AnonymousPipeServerStream Pipe = new AnonymousPipeServerStream(PipeDirection.In);
		static volatile bool ended;
		static object kept;

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Lock()
		{
			lock (Taken)
				kept = Taken;
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Collect()
		{
			while (!ended)
				GC.Collect(0);
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Compile()
		{
			while (!ended) {
				var method = new DynamicMethod("Made", typeof(int), new Type[0]);
				var code = method.GetILGenerator();

				code.Emit(OpCodes.Ldc_I4_0);
				for (int i = 0; i < 3000; i++) {
					code.Emit(OpCodes.Ldc_I4, i);
					code.Emit(OpCodes.Add);
				}
				code.Emit(OpCodes.Ret);
				((Func<int>)method.CreateDelegate(typeof(Func<int>)))();
			}
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Compute()
		{
			while (!ended)
				for (int i = 0; i < 1000; i++)
					Thread.VolatileRead(ref number);
		}

		static int number;

		static Thread Start(string name, ThreadStart run)
		{
			var thread = new Thread(run) { Name = name, IsBackground = true };

			thread.Start();
			return thread;
		}

		static void Main(string[] arguments)
		{
			int milliseconds = int.Parse(arguments[0]);

			Listener.Start();
			lock (Taken) {
				Start("lock", Lock);
				var sleeper = Start("sleep", () => Thread.Sleep(Timeout.Infinite));
				Start("join", () => sleeper.Join());
				Start("event", () => Never.WaitOne());
				Start("accept", () => Listener.AcceptSocket());
				Start("read", () => Pipe.ReadByte());
				Start("monitor", () => { lock (Never) Monitor.Wait(Never); });
				Start("poll", () => Listener.Server.Poll(-1, SelectMode.SelectRead));
				var worker = arguments[1] == "collect" ? Start("work", Collect) :
					arguments[1] == "compile" ? Start("work", Compile) : Start("work", Compute);
				Thread.Sleep(milliseconds);
				ended = true;
				worker.Join();
			}
		}
	}
}
