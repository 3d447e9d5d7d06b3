/** Prints values as Go does, for messages that must be the same as those of Kubernetes' kubelet. */

/** `[a b]`, as Go prints a list. */
export function goList(items: readonly string[]): string {
  return `[${items.join(' ')}]`;
}

/** `"text"`, as Go quotes; equal to JSON for all but rare control characters. */
export function goQuote(text: string): string {
  return JSON.stringify(text);
}
