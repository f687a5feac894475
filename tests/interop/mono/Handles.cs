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
			int left = created - deleted;
			Console.WriteLine("handle\t" + type + "\t" + name + "\t" + created + "\t" + deleted + "\t" + left);
			Console.WriteLine("made\t" + type + "\t" + name + "\tHandles.Program." + maker + "\t" + created + "\t" + left);
		}

		static void Main()
		{
			Free(HoldForEver(250), 32);
			Free(Make<Watched>(40, GCHandleType.Weak), 40);
			Free(Make<Remembered>(30, GCHandleType.WeakTrackResurrection), 1);
			Free(Pin(20), 5);
			GC.Collect();
			Say("normal", "Handles.Held", 250, 32, "HoldForEver (int)");
			Say("weak", "Handles.Watched", 40, 40, "Make<T_REF> (int,System.Runtime.InteropServices.GCHandleType)");
			Say("weak-track", "Handles.Remembered", 30, 1, "Make<T_REF> (int,System.Runtime.InteropServices.GCHandleType)");
			Say("pinned", "Handles.Pinned", 20, 5, "Pin (int)");
		}
	}
}
