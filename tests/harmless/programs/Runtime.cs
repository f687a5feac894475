// SPDX-License-Identifier: MIT
/*
 * A Mono program's waits, files, threads, children and ends. Prints nothing that differs from run to run.
 *
 * cases: Runtime waits | Runtime receive | Runtime files | Runtime threads | Runtime process | Runtime exit
 *        | Runtime fail_fast | Runtime unhandled | Runtime abort_thread | Runtime collect | Runtime native
 */
using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Threading;

public static class Runtime
{
	[DllImport("libc", SetLastError = true)]
	static extern int usleep(uint microseconds);
	[DllImport("libc", SetLastError = true)]
	static extern int poll(IntPtr descriptors, ulong count, int milliseconds);
	[DllImport("libc")]
	static extern int getpid();
	[DllImport("libc")]
	static extern int kill(int process, int number);

	[DllImport("libc")]
	static extern int getrlimit(int which, ulong[] limit);
	[DllImport("libc")]
	static extern int setrlimit(int which, ulong[] limit);

	static long sum;

	static void Compute(int milliseconds)
	{
		var watch = Stopwatch.StartNew();

		while (watch.ElapsedMilliseconds < milliseconds)
			for (int i = 0; i < 1000; i++)
				sum += i;
	}

	static void Wait()
	{
		int interrupted = 0;

		for (int i = 0; i < 60; i++) {
			Compute(3);
			if (usleep(3000) != 0)
				interrupted++;
			Compute(3);
			if (poll(IntPtr.Zero, 0, 3) < 0)
				interrupted++;
		}
		Console.WriteLine("{0} interrupted", interrupted);
	}

	static void Receive()
	{
		var listener = new TcpListener(IPAddress.Loopback, 0);
		int ended = 0;

		listener.Start();
		using (var client = new TcpClient("127.0.0.1", ((IPEndPoint)listener.LocalEndpoint).Port))
			for (int i = 0; i < 10; i++) {
				client.Client.ReceiveTimeout = 20;
				Compute(15);
				try {
					client.Client.Receive(new byte[1]);
				} catch (SocketException e) {
					if (e.SocketErrorCode == SocketError.TimedOut || e.SocketErrorCode == SocketError.WouldBlock)
						ended++;
				}
			}
		listener.Stop();
		Console.WriteLine("{0} receives ended in time", ended);
	}

	static void UseFiles()
	{
		var threads = new Thread[60];
		var go = new ManualResetEvent(false);
		var limit = new ulong[2];
		int opened = 0;

		getrlimit(7, limit);
		limit[0] = 128;
		setrlimit(7, limit);
		for (int i = 0; i < threads.Length; i++) {
			threads[i] = new Thread(() => { Compute(2); go.WaitOne(); });
			threads[i].Start();
		}
		try {
			for (; opened < 60; opened++)
				new FileStream("/dev/null", FileMode.Open, FileAccess.Read);
		} catch (IOException) {
		}
		go.Set();
		foreach (var thread in threads)
			thread.Join();
		Console.WriteLine("{0} files", opened);
	}

	static void UseThreads()
	{
		int done = 0;

		for (int i = 0; i < 200; i++) {
			var thread = new Thread(() => { var text = new string('x', 100); Interlocked.Add(ref done, text.Length / 100); });

			thread.Start();
			thread.Join();
		}
		Console.WriteLine("{0} threads", done);
	}

	static void RunProcess()
	{
		for (int i = 0; i < 3; i++) {
			var information = new ProcessStartInfo("/bin/sh", "-c \"exit " + (i + 3) + "\"") { UseShellExecute = false };

			using (var process = Process.Start(information)) {
				process.WaitForExit();
				Console.WriteLine("status {0}", process.ExitCode);
			}
		}
	}

	static void AbortThreads()
	{
		int aborted = 0;

		for (int i = 0; i < 5; i++) {
			var started = new ManualResetEvent(false);
			var thread = new Thread(() => {
				try {
					started.Set();
					while (true)
						Thread.Sleep(1);
				} catch (ThreadAbortException) {
					Interlocked.Increment(ref aborted);
				}
			});

			thread.Start();
			started.WaitOne();
			thread.Abort();
			thread.Join();
		}
		Console.WriteLine("{0} aborted", aborted);
	}

	static void Collect()
	{
		object kept = null;

		for (int i = 0; i < 200000; i++)
			kept = new object[10];
		GC.Collect();
		Console.WriteLine("collected, {0} kept", kept != null ? 1 : 0);
	}

	public static int Main(string[] arguments)
	{
		switch (arguments[0]) {
		case "waits": Wait(); break;
		case "receive": Receive(); break;
		case "files": UseFiles(); break;
		case "threads": UseThreads(); break;
		case "process": RunProcess(); break;
		case "abort_thread": AbortThreads(); break;
		case "collect": Collect(); break;
		case "exit": Compute(30); Environment.Exit(7); break;
		case "fail_fast": Compute(30); Environment.FailFast(null); break;
		case "unhandled": Compute(30); throw new InvalidOperationException();
		case "native": Compute(100); kill(getpid(), 15); Thread.Sleep(10000); break;
		}
		Console.WriteLine("{0}: ended well", arguments[0]);
		return 3;
	}
}
