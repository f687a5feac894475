// SPDX-License-Identifier: MIT
// Reads the last heap snapshot of a log with the library of mprof-heap-viewer, and prints sets of its objects as the
// viewer makes them: a line for each set with the class, the name of the set, its objects and their bytes.
//
// usage: Sets.exe LOG
using System;
using Mono.Profiler;

class Sets
{
	static void Print(string name, string what, long objects, long bytes)
	{
		Console.WriteLine("{0}\t{1}\t{2}\t{3}", name, what, objects, bytes);
	}

	static void Print(string name, string what, HeapItemSet<HeapObject> set)
	{
		Print(name, what, set.Elements.Length, set.AllocatedBytes);
	}

	// What is in a set and not in another one. The library's comparison fails if one of them ends before the other; the
	// difference is what its intersection leaves.
	static void PrintDifference(string name, string what, HeapItemSet<HeapObject> set, HeapItemSet<HeapObject> both)
	{
		Print(name, what, set.Elements.Length - both.Elements.Length, (long)set.AllocatedBytes - both.AllocatedBytes);
	}

	static HeapItemSet<HeapObject> Filter(HeapItemSet<HeapObject> set, IHeapItemFilter<HeapObject> filter)
	{
		return new HeapItemSetFromFilter<HeapObject>(set, filter);
	}

	static void PrintClass(HeapItemSet<HeapObject> all, LoadedClass of)
	{
		HeapItemSet<HeapObject> referencing = Filter(all, new HeapObjectReferencesObjectOfClass(of));
		HeapItemSet<HeapObject> referenced = Filter(all, new HeapObjectIsReferencedByObjectOfClass(of));
		HeapItemSet<HeapObject> both = referencing.IntersectWithSet(referenced);

		Print(of.Name, "class", Filter(all, new HeapObjectIsOfClass(of)));
		Print(of.Name, "referencing", referencing);
		Print(of.Name, "referenced", referenced);
		Print(of.Name, "both", both);
		PrintDifference(of.Name, "referencing only", referencing, both);
		PrintDifference(of.Name, "referenced only", referenced, both);
		Print(of.Name, "referencing those", referencing.ObjectsReferencingItemInSet(all));
		Print(of.Name, "referenced by those", referenced.ObjectsReferencedByItemInSet(all));
	}

	static int Main(string[] arguments)
	{
		ProfilerEventHandler events = new ProfilerEventHandler();
		SyncLogFileReader reader = new SyncLogFileReader(arguments[0]);

		events.LoadedElements.RecordHeapSnapshots = true;
		while (!reader.HasEnded)
			reader.ReadBlock().Decode(events, reader);
		HeapSnapshot[] snapshots = events.LoadedElements.HeapSnapshots;
		HeapItemSet<HeapObject> all = new HeapObjectSetFromSnapshot(snapshots[snapshots.Length - 1]);
		Print("*", "all", all);
		foreach (HeapItemSetClassStatistics row in all.ClassStatistics)
			PrintClass(all, row.Class);
		return 0;
	}
}
