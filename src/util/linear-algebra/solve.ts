// Linear equations of few unknowns.

/**
 * Gauss with pivots; an unknown that others determine is 0.
 *
 * @param system rows of coefficients, each with its right side at the end; it is changed
 */
export function solvedSystem(system: number[][]): number[] {
  const n = system.length;
  for (let j = 0; j < n; j++) {
    let pivot = j;
    for (let i = j + 1; i < n; i++) if (Math.abs(system[i]![j]!) > Math.abs(system[pivot]![j]!)) pivot = i;
    [system[j], system[pivot]] = [system[pivot]!, system[j]!];
    if (Math.abs(system[j]![j]!) < 1e-13) continue;
    for (let i = 0; i < n; i++) {
      if (i === j) continue;
      const factor = system[i]![j]! / system[j]![j]!;
      for (let k = j; k <= n; k++) system[i]![k]! -= factor * system[j]![k]!;
    }
  }
  return system.map((row, j) => (Math.abs(row[j]!) < 1e-13 ? 0 : row[n]! / row[j]!));
}
