// Names like the one that a user wrote.

const MOST = 4;

/** The names that share most with a text: those that contain its parts first, then by edits. */
export function nearestNames(text: string, names: readonly string[], most = MOST): string[] {
  const wanted = text.toLowerCase();
  const parts = wanted.split(/[^a-z0-9]+/).filter((part) => part.length > 1);
  const score = (name: string): number =>
    edits(wanted, name) / Math.max(wanted.length, name.length) -
    parts.filter((part) => name.includes(part)).length;
  return [...names]
    .map((name) => ({ name, at: score(name) }))
    .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** Insertions, deletions and replacements that make one text of another (Levenshtein 1966). */
export function edits(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = before[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      row.push(Math.min(replaced, before[j]! + 1, row[j - 1]! + 1));
    }
    before = row;
  }
  return before[b.length]!;
}
