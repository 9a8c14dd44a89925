// Puts together what was inferred and what the file declares of the same value. What was inferred wins where
// it is certain; a declaration fills gaps and gives sizes readable names.
import { axisSize, type Dim, sameDim } from '../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../graph/types.js';

/** @param name of the value; sizes called after it (`name[0]`) are ones inference could not tell. */
export function refine(inferred: ValueType, declared: ValueType, name: string): ValueType {
  if (inferred.kind === 'unknown') return declared;
  if (declared.kind === 'unknown') return inferred;
  if (inferred.kind === 'tensor' && declared.kind === 'tensor') {
    const dtype = inferred.dtype ?? declared.dtype;
    const shape = refineShape(inferred.shape, declared.shape, name);
    if (dtype === inferred.dtype && shape === inferred.shape) return inferred;
    return new TensorType(dtype, shape, inferred.mayBeKnown ? () => inferred.elements : undefined);
  }
  if (inferred.kind === 'sequence' && declared.kind === 'sequence') {
    return { ...inferred, element: refine(inferred.element, declared.element, name) };
  }
  if (inferred.kind === 'optional' && declared.kind === 'optional') {
    return { ...inferred, element: refine(inferred.element, declared.element, name) };
  }
  return inferred;
}

function refineShape(
  inferred: Shape | undefined,
  declared: Shape | undefined,
  name: string,
): Shape | undefined {
  if (inferred === undefined) return declared;
  if (declared === undefined || declared.length !== inferred.length) return inferred;
  let changed = false;
  const shape = inferred.map((d, i): Dim => {
    const hint = declared[i]!;
    if (typeof d === 'number' || !sameDim(d, axisSize(name, i)) || sameDim(d, hint)) return d;
    changed = true;
    return hint;
  });
  return changed ? shape : inferred;
}
