// SPDX-License-Identifier: MIT
// Exceptions through frames with and without handlers. Prints the calls and the exceptions to be found.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Exceptions
{
	class Problem : Exception
	{
		public int Number;
		public Problem(int number) { Number = number; }
	}

	class Broken
	{
		public static int Value;
		// Explicit, so that it runs at the first use and not when its user is compiled.
		static Broken() { Value = Fail(); }
		static int Fail() { throw new Problem(-1); }
	}

	class Program
	{
		static int finallies;

		static void Thrower(int depth)
		{
			if (depth == 0)
				throw new Problem(depth);
			Thrower(depth - 1);
		}

		static void Cleaner(int depth)
		{
			try {
				Thrower(depth);
			} finally {
				CountFinally();
			}
		}

		static void CountFinally() { finallies++; }

		static void Rethrower(int depth)
		{
			try {
				Cleaner(depth);
			} catch (Problem) {
				throw;
			}
		}

		static void Wrapper(int depth)
		{
			try {
				Rethrower(depth);
			} catch (Problem problem) {
				throw new InvalidOperationException("wrapped", problem);
			}
		}

		static bool Accepts(Problem problem, int number) { return problem.Number == number; }

		static int Filtered(int number)
		{
			try {
				try {
					throw new Problem(number);
				} catch (Problem problem) when (Accepts(problem, 1)) {
					return 1;
				}
			} catch (Problem) {
				return 2;
			}
		}

		static int Catcher(int depth)
		{
			try {
				Wrapper(depth);
			} catch (InvalidOperationException) {
				return 1;
			}
			return 0;
		}

		static int Divide(int a, int b) { return a / b; }
		static int Length(string text) { return text.Length; }
		static string Cast(object text) { return (string)text; }

		static int FromHardware()
		{
			int caught = 0;
			try { Divide(1, caught); } catch (DivideByZeroException) { caught++; }
			try { Length(null); } catch (NullReferenceException) { caught++; }
			try { Cast(new int[1]); } catch (InvalidCastException) { caught++; }
			return caught;
		}

		// Each is thrown by code of the runtime.
		static int FromNative()
		{
			int caught = 0;
			for (int i = 0; i < 5; i++)
				try { Monitor.Exit(new object()); } catch (SynchronizationLockException) { caught++; }
			try { Array.CreateInstance(typeof(void), 1); } catch (NotSupportedException) { caught++; }
			try { Assembly.Load("not there"); } catch (FileNotFoundException) { caught++; }
			try { FromReflection(); } catch (TargetInvocationException) { caught++; }
			return caught;
		}

		static void FromReflection()
		{
			MethodInfo method = typeof(Program).GetMethod("Thrower", BindingFlags.NonPublic | BindingFlags.Static);
			method.Invoke(null, new object[] {2});
		}

		static void Forever(ManualResetEvent running)
		{
			running.Set();
			Thread.Sleep(Timeout.Infinite);
		}

		static void Aborted(object running)
		{
			try {
				Forever((ManualResetEvent)running);
			} catch (ThreadAbortException) {
				Thread.ResetAbort();
			}
			CountFinally();
		}

		static void AbortThreads(int count)
		{
			for (int i = 0; i < count; i++) {
				ManualResetEvent running = new ManualResetEvent(false);
				Thread thread = new Thread(Aborted);
				thread.Start(running);
				running.WaitOne();
				thread.Abort();
				thread.Join();
			}
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static int Initializer()
		{
			try { return Broken.Value; } catch (TypeInitializationException) { return 1; }
		}

		static void Expect(string what, string type, string method, int number)
		{
			Console.WriteLine(what + "\t" + type + "\t" + (method == "" ? "" : method + "\t") + number);
		}

		static void Main()
		{
			int caught = 0;
			for (int i = 0; i < 7; i++)
				caught += Catcher(4);
			for (int i = 0; i < 6; i++)
				caught += Filtered(i % 2);
			caught += FromHardware();
			caught += Initializer();
			caught += FromNative();
			AbortThreads(5);

			Expect("calls", "Exceptions.Program", "Catcher (int)", 7);
			Expect("calls", "Exceptions.Program", "Wrapper (int)", 7);
			Expect("calls", "Exceptions.Program", "Rethrower (int)", 7);
			Expect("calls", "Exceptions.Program", "Cleaner (int)", 7);
			Expect("calls", "Exceptions.Program", "Thrower (int)", 38);
			Expect("calls", "Exceptions.Program", "CountFinally ()", finallies);
			Expect("calls", "Exceptions.Program", "Accepts (Exceptions.Problem,int)", 6);
			Expect("calls", "Exceptions.Program", "Filtered (int)", 6);
			Expect("calls", "Exceptions.Program", "Divide (int,int)", 1);
			Expect("calls", "Exceptions.Program", "Aborted (object)", 5);
			Expect("calls", "Exceptions.Program", "Forever (System.Threading.ManualResetEvent)", 5);
			Expect("calls", "Exceptions.Broken", "Fail ()", 1);
			// 7 thrown and 7 thrown again, 6 for the filter, 1 in the initializer, 1 through reflection, which throws it again
			Expect("exception", "Exceptions.Problem", "", 23);
			Expect("exception", "System.Threading.SynchronizationLockException", "", 5);
			Expect("exception", "System.InvalidOperationException", "", 7);
			Expect("exception", "System.DivideByZeroException", "", 1);
			Expect("exception", "System.NullReferenceException", "", 1);
			Expect("exception", "System.InvalidCastException", "", 1);
			Expect("exception", "System.TypeInitializationException", "", 1);
			if (caught != 7 + 9 + 3 + 1 + 8 || finallies != 7 + 5)
				Environment.Exit(1);
		}
	}
}
