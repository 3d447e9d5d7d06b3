/** How long an answer is that is there as a whole. */

export function lengthOf(body: string | Uint8Array | null): number {
  if (body === null) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** Answers that never have a body do not say how long it is (RFC 9110, 8.6). */
export function saysLength(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}
