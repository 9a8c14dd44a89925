// The order in which ONNX Runtime runs kernels: from the last ones backwards, each after what it reads, of several operands the one
// that comes later in the graph first. What is needed late, such as weights that are scaled at every run, is computed late.
import type { Kernel } from '../../analysis/kernels/kernel.js';

export function executionOrder(kernels: readonly Kernel[]): Kernel[] {
  const producers = new Map<string, number>();
  const read = new Set<string>();
  kernels.forEach(({ values }, at) => {
    for (const name of values?.writes ?? []) producers.set(name, at);
    for (const name of values?.reads ?? []) read.add(name);
  });
  const order: Kernel[] = [];
  const seen = new Set<number>();
  const last = kernels.flatMap(({ values }, at) =>
    values?.writes.some((name) => read.has(name)) ? [] : [at],
  );
  // Kernels to go to, and those to leave, as −1 − position.
  const stack = last;
  while (stack.length > 0) {
    const at = stack.pop()!;
    if (at < 0) order.push(kernels[-1 - at]!);
    else if (!seen.has(at)) {
      seen.add(at);
      stack.push(-1 - at);
      const before = (kernels[at]!.values?.reads ?? []).flatMap((name) => producers.get(name) ?? []);
      for (const one of [...new Set(before)].sort((a, b) => a - b)) if (!seen.has(one)) stack.push(one);
    }
  }
  return order;
}
