// SPDX-License-Identifier: MIT
// Objects that handles and ephemerons keep alive, or do not: weak handles, strong and pinned ones, and a
// ConditionalWeakTable.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Retention
{
	class Watched { }          // A weak handle and a static field.
	class Tracked { }          // A weak handle that tracks resurrection, and a static field.
	class Forgotten { }        // Weak handles of both types alone.
	class Owned { public Watched Other; public byte[] Bytes = new byte[1000]; } // A strong handle.
	[StructLayout(LayoutKind.Sequential)]
	class Pinned { public int Number; }
	class Key { public int Number; }     // A static field.
	class Value { public Part Part = new Part(); } // The table, for its key.
	class Part { public long A, B, C; }
	class DeadKey { }
	class DeadValue { }        // The table, for a key that is dead.

	class Program
	{
		const int Keys = 100;

		static Watched watched;
		static Tracked tracked;
		static Key[] keys;
		static readonly ConditionalWeakTable<object, object> table = new ConditionalWeakTable<object, object>();
		static GCHandle[] handles;

		static void Build()
		{
			watched = new Watched();
			tracked = new Tracked();
			handles = new GCHandle[] {
				GCHandle.Alloc(watched, GCHandleType.Weak),
				GCHandle.Alloc(tracked, GCHandleType.WeakTrackResurrection),
				GCHandle.Alloc(new Forgotten(), GCHandleType.Weak),
				GCHandle.Alloc(new Forgotten(), GCHandleType.WeakTrackResurrection),
				GCHandle.Alloc(new Owned { Other = watched }, GCHandleType.Normal),
				GCHandle.Alloc(new Pinned(), GCHandleType.Pinned),
			};
			keys = new Key[Keys];
			for (int i = 0; i < Keys; i++) {
				keys[i] = new Key { Number = i };
				table.Add(keys[i], new Value());
				table.Add(new DeadKey(), new DeadValue());
			}
		}

		static void Run(ThreadStart start)
		{
			Thread thread = new Thread(start);

			thread.Start();
			thread.Join();
		}

		// On a thread of its own: nothing stays on the stack.
		static void Main()
		{
			Run(Build);
			GC.Collect();
			GC.Collect();
		}
	}
}
