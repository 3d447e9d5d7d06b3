/** Computes the content-length of an answer that is not a stream. */

export function lengthOf(body: string | Uint8Array | null): number {
  if (body === null) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** False for statuses that never have a body: they have no content-length (RFC 9110, 8.6). */
export function saysLength(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}
