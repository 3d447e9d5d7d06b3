/**
 * The IDs of events: `EPOCH-REVISION`.
 *
 * Revisions count the changes of one process. The epoch names that process, so that a revision of an earlier
 * one is not taken for a revision of this one. Revision 0 means that the client has seen nothing whole: the
 * events of the first state have it, so a client that is cut in the middle gets the whole state again.
 */
export const NOTHING_SEEN = 0;

export function formatEventId(epoch: string, revision: number): string {
  return `${epoch}-${revision}`;
}

/** Null: no ID of ours. */
export function parseEventId(
  text: string,
): { readonly epoch: string; readonly revision: number } | null {
  const [, epoch, digits] = /^([0-9a-z]{1,32})-(\d{1,15})$/.exec(text) ?? [];
  return epoch === undefined ? null : { epoch, revision: Number(digits) };
}
