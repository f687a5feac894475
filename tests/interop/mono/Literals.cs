// SPDX-License-Identifier: MIT
// Objects that the compiler makes on behalf of the method that it compiles, and those that code makes which it has run.
// Where APART is defined, what Fail() calls is in a library of its own.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

#if !APART
public static class NotThere { public static void Call() { } }
#endif

namespace Literals
{
	class Made { }
	class Caught { }
	class Resolving { }

	class Program
	{
		static readonly List<object> kept = new List<object>(1000);

		// All of its strings are made when it is compiled.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Speak()
		{
			kept.Add("literal 1");
			kept.Add("literal 2");
			kept.Add("literal 3");
			kept.Add("literal 4");
			kept.Add("literal 5");
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Make() { kept.Add(new Made()); }

		// The compiler asks Resolve() for it and then fails.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Fail() { NotThere.Call(); }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static Assembly Resolve(object sender, ResolveEventArgs wanted)
		{
			kept.Add(new Resolving());
			return null;
		}

		static void Main()
		{
			AppDomain.CurrentDomain.AssemblyResolve += Resolve;
			for (int i = 0; i < 10; i++)
				Speak();
			for (int i = 0; i < 3; i++) {
				try {
					Fail();
				} catch (Exception) {
					kept.Add(new Caught());
				}
			}
			for (int i = 0; i < 20; i++)
				Make();
		}
	}
}
