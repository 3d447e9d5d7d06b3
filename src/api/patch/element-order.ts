/**
 * Orders the elements of a merged list (P-1).
 *
 * `$setElementOrder`, or else the patch itself, names some of the elements; the others exist only in the
 * server's list. Both groups keep their own order, and are interleaved:
 *
 *     a server's element precedes a named one only if both were in the original list and
 *     the server's came first there; otherwise the named one goes first
 *
 * So a new element comes directly after the named element before it.
 */
import type { Json } from '../../lib/json.ts';
import { indexElements, type Identify, type Identity } from './list-elements.ts';

interface Placed {
  readonly item: Json;
  readonly identity: Identity;
}

/** All `items` in their new order. `named` and `original` only define the order; they add no element. */
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

/**
 * The sort is stable, so elements with the same identity keep their order. Elements without a position go
 * first.
 */
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
