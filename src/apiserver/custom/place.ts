/** Names of places inside an object, as Kubernetes writes them: `spec.list[0].labels[a/b]`. */

/** A field below a place; the empty place is the object itself. */
export function fieldBelow(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

/** An item of a list, or the value of a key of a map. */
export function entryBelow(place: string, key: string | number): string {
  return `${place}[${key}]`;
}
