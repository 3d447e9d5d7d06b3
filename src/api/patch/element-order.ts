/**
 * The order of a merged list (P-1).
 *
 * Some elements are named, by `$setElementOrder` or else by the patch itself; only the server has the
 * others. Named ones keep the order in which they are named, the server's keep theirs, and the two
 * sequences are interleaved:
 *
 *     a server's element goes first only if it and the named one were both in the original,
 *     and it stood before; otherwise the named one goes first
 *
 * So a new element lands in front of what follows the last named element placed before it.
 */
import type { Json } from '../../lib/json.ts';
import { indexElements, type Identify, type Identity } from './list-elements.ts';

interface Placed {
  readonly item: Json;
  readonly identity: Identity;
}

/** All `items`, in order. `named` and `original` give the order; neither adds an element. */
export function orderElements(
  items: readonly Json[],
  named: readonly Json[],
  original: readonly Json[],
  identify: Identify,
): readonly Json[] {
  const namedPlaces = indexElements(named, identify);
  const originalPlaces = indexElements(original, identify);
  const namedRow: Placed[] = [];
  const serverRow: Placed[] = [];
  for (const item of items) {
    const identity = identify(item);
    (namedPlaces.has(identity) ? namedRow : serverRow).push({ item, identity });
  }
  sortByPlace(namedRow, namedPlaces);
  sortByPlace(serverRow, originalPlaces);
  return interleave(namedRow, serverRow, originalPlaces);
}

/** A stable sort, so elements that share an identity keep their order. Unknown ones go in front. */
function sortByPlace(row: Placed[], places: ReadonlyMap<Identity, number>): void {
  const placeOf = ({ identity }: Placed): number => places.get(identity) ?? -1;
  row.sort((a, b) => placeOf(a) - placeOf(b));
}

function interleave(
  namedRow: readonly Placed[],
  serverRow: readonly Placed[],
  originalPlaces: ReadonlyMap<Identity, number>,
): readonly Json[] {
  const ordered: Json[] = [];
  let next = 0;
  for (const named of namedRow) {
    const namedPlace = originalPlaces.get(named.identity);
    for (let server = serverRow[next]; server !== undefined; server = serverRow[next]) {
      const serverPlace = originalPlaces.get(server.identity);
      if (namedPlace === undefined || serverPlace === undefined) break;
      if (serverPlace >= namedPlace) break;
      ordered.push(server.item);
      next += 1;
    }
    ordered.push(named.item);
  }
  for (const server of serverRow.slice(next)) ordered.push(server.item);
  return ordered;
}
