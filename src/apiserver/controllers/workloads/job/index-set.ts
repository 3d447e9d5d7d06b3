/** Parses and prints sets of completion indexes, in the form of a Job's status: `1,3-5`. */

export function parseIndexes(text: string): ReadonlySet<number> {
  const indexes = new Set<number>();
  for (const part of text.split(',')) {
    const [first, last = first] = part.split('-').map(Number);
    if (part === '' || first === undefined || last === undefined) continue;
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

export function printIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let start = 0; start < sorted.length;) {
    let end = start;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    const [first, last] = [sorted[start], sorted[end]];
    parts.push(first === last ? `${first}` : `${first}-${last}`);
    start = end + 1;
  }
  return parts.join(',');
}
