// SPDX-License-Identifier: MIT
// Handles of each type, made and freed a number of times known beforehand.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Handles
{
	class Held { }
	class Watched { }
	class Remembered { }

	// One that can be pinned.
	[StructLayout(LayoutKind.Sequential)]
	class Pinned { public int Number; }

	class Program
	{
		static readonly List<object> alive = new List<object>();

		static List<GCHandle> Make<T>(int count, GCHandleType type) where T : class
		{
			List<GCHandle> handles = new List<GCHandle>();

			for (int i = 0; i < count; i++) {
				T target = (T)Activator.CreateInstance(typeof(T));
				alive.Add(target);
				handles.Add(GCHandle.Alloc(target, type));
			}
			return handles;
		}

		static List<GCHandle> HoldForEver(int count) { return Make<Held>(count, GCHandleType.Normal); }

		static List<GCHandle> Pin(int count)
		{
			List<GCHandle> handles = new List<GCHandle>();

			for (int i = 0; i < count; i++)
				handles.Add(GCHandle.Alloc(new Pinned(), GCHandleType.Pinned));
			return handles;
		}

		static void Free(List<GCHandle> handles, int count)
		{
			for (int i = 0; i < count; i++)
				handles[i].Free();
		}

		static void Say(string type, string name, int created, int deleted, string maker)
		{
			int alive = created - deleted;
			Console.WriteLine("handle\t{0}\tHandles.{1}\t{2}\t{3}\t{4}", type, name, created, deleted, alive);
			Console.WriteLine("made\t{0}\tHandles.{1}\tHandles.Program.{2}\t{3}\t{4}", type, name, maker, created,
				alive);
		}

		static void Main()
		{
			Free(HoldForEver(250), 32);
			Free(Make<Watched>(40, GCHandleType.Weak), 40);
			Free(Make<Remembered>(30, GCHandleType.WeakTrackResurrection), 1);
			Free(Pin(20), 5);
			GC.Collect();
			const string generic = "Make<T_REF> (int,System.Runtime.InteropServices.GCHandleType)";
			Say("normal", "Held", 250, 32, "HoldForEver (int)");
			Say("weak", "Watched", 40, 40, generic);
			Say("weak-track", "Remembered", 30, 1, generic);
			Say("pinned", "Pinned", 20, 5, "Pin (int)");
		}
	}
}
