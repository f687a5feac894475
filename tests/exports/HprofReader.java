// SPDX-License-Identifier: MIT
// HprofReader NAME...: writes what VisualVM's heap library reads from NAME.hprof to NAME.visualvm: the lines of hprof.py,
// and "retained ADDRESS BYTES" and "nearest ADDRESS ADDRESS", the next object on the way to the nearest root, or the same
// one if it is a root or in a static field.
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import org.graalvm.visualvm.lib.jfluid.heap.ArrayItemValue;
import org.graalvm.visualvm.lib.jfluid.heap.FieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.GCRoot;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;

public class HprofReader {
	private static PrintStream out;

	private static void printReference(Instance from, String label, Instance to) {
		if (to != null)
			out.printf("reference\t%x\t%s\t%x%n", from.getInstanceId(), label, to.getInstanceId());
	}

	private static void printReferences(Instance object) {
		if (object instanceof ObjectArrayInstance) {
			for (ArrayItemValue item : ((ObjectArrayInstance) object).getItems())
				printReference(object, "[" + item.getIndex() + "]", item.getInstance());
			return;
		}
		for (FieldValue value : object.getFieldValues()) {
			if (value instanceof ObjectFieldValue)
				printReference(object, value.getField().getName(), ((ObjectFieldValue) value).getInstance());
		}
	}

	private static void printClass(JavaClass javaClass) {
		out.printf("class\t%s\t%d\t%d%n", javaClass.getName(), javaClass.getInstancesCount(),
			javaClass.getAllInstancesSize());
		for (FieldValue value : javaClass.getStaticFieldValues()) {
			Instance target = ((ObjectFieldValue) value).getInstance();

			// The class loader is one of them.
			if (target != null)
				out.printf("static\t%s\t%s\t%x%n", javaClass.getName(), value.getField().getName(),
					target.getInstanceId());
		}
	}

	private static void printRoot(Heap heap, GCRoot root) {
		long id = root.getInstance().getInstanceId();
		JavaClass javaClass = heap.getJavaClassByID(id);

		out.printf("root\t%s\t%s%n", javaClass != null ? javaClass.getName() : Long.toHexString(id), root.getKind());
	}

	private static void printObject(Heap heap, Instance object) {
		Instance nearest = object.getNearestGCRootPointer();
		long id = object.getInstanceId();

		out.printf("object\t%x\t%d\t%s%n", id, object.getSize(), object.getJavaClass().getName());
		out.printf("retained\t%x\t%d%n", id, object.getRetainedSize());
		if (nearest != null && heap.getJavaClassByID(nearest.getInstanceId()) == null)
			out.printf("nearest\t%x\t%x%n", id, nearest.getInstanceId());
		else if (nearest != null)
			out.printf("nearest\t%x\t%x%n", id, id);
		printReferences(object);
	}

	private static void printHeap(Heap heap) {
		for (JavaClass javaClass : heap.getAllClasses())
			printClass(javaClass);
		for (GCRoot root : heap.getGCRoots())
			printRoot(heap, root);
		for (Iterator<Instance> i = heap.getAllInstancesIterator(); i.hasNext();)
			printObject(heap, i.next());
	}

	public static void main(String[] names) throws Exception {
		for (String name : names) {
			out = new PrintStream(new File(name + ".visualvm"), StandardCharsets.UTF_8);
			printHeap(HeapFactory.createHeap(new File(name + ".hprof")));
			out.close();
		}
	}
}
