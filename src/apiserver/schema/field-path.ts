/** Builds field paths as Kubernetes writes them: `spec.list[0].labels[a/b]`. */

/** A field below a path. The empty path means the object itself. */
export function fieldBelow(fieldPath: string, name: string): string {
  return fieldPath === '' ? name : `${fieldPath}.${name}`;
}

/** An item of a list, or the value of a map key. */
export function entryBelow(fieldPath: string, key: string | number): string {
  return `${fieldPath}[${key}]`;
}
