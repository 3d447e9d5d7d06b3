/**
 * Reads markers: comment lines with which Kubernetes' types state what Go cannot express, such as
 * `+optional`, `+listType=map`, `+default="TCP"`. A marker may occur more than once (`+listMapKey`).
 */

export function hasMarker(markers: readonly string[], name: string): boolean {
  return markers.some((line) => keyOf(line) === name);
}

/** The values of a marker, in the order of their lines. */
export function markerValues(markers: readonly string[], name: string): readonly string[] {
  return markers
    .filter((line) => keyOf(line) === name && line.includes('='))
    .map((line) => line.slice(line.indexOf('=') + 1).trim());
}

export function markerValue(markers: readonly string[], name: string): string | undefined {
  return markerValues(markers, name)[0];
}

function keyOf(line: string): string {
  const end = line.indexOf('=');
  return line.slice(1, end === -1 ? undefined : end).trim();
}
