/**
 * Formats and parses the IDs of query events: `EPOCH-REVISION`.
 *
 * Revisions count the changes of one process. The epoch identifies the process, so that a revision of an
 * earlier process is not mistaken for one of this process. Revision 0 means that the client has not received
 * the whole state: the events of the initial state have it, so that a client that was disconnected in between
 * gets the whole state again.
 */
export const NOTHING_SEEN = 0;

export function formatEventId(epoch: string, revision: number): string {
  return `${epoch}-${revision}`;
}

/** Null: the text is not an event ID. */
export function parseEventId(
  text: string,
): { readonly epoch: string; readonly revision: number } | null {
  const [, epoch, digits] = /^([0-9a-z]{1,32})-(\d{1,15})$/.exec(text) ?? [];
  return epoch === undefined ? null : { epoch, revision: Number(digits) };
}
