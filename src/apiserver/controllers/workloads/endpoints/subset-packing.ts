/**
 * Packs the subsets of Endpoints: addresses with the same ports share a subset, and so do ports with the same
 * addresses.
 *
 *     {10.0.0.1}×{80}, {10.0.0.2}×{80}, {10.0.0.1}×{443} ──> {10.0.0.1, 10.0.0.2}×{80} and {10.0.0.1}×{443}
 *
 * The order is canonical, so that two packings of the same endpoints are equal. An address that is listed as
 * both ready and not ready for a port is not ready.
 */
import { readText } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, textAt } from '../../../objects/field-path.ts';

interface PortEntry {
  /** Null: a headless Service without ports. */
  readonly port: JsonObject | null;
  /** Whether an address is ready, by its key. */
  readonly isReady: Map<string, boolean>;
}

export function packSubsets(subsets: readonly JsonObject[]): readonly JsonObject[] {
  const addresses = new Map<string, JsonObject>();
  const entries = new Map<string, PortEntry>();
  for (const subset of subsets) {
    const ports = objectsAt(subset, 'ports');
    for (const port of ports.length > 0 ? ports : [null]) {
      const entry = entryOf(entries, port);
      for (const address of objectsAt(subset, 'addresses')) note(addresses, entry, address, true);
      for (const address of objectsAt(subset, 'notReadyAddresses')) {
        note(addresses, entry, address, false);
      }
    }
  }
  const shared = new Map<string, { ports: JsonObject[]; isReady: PortEntry['isReady'] }>();
  for (const { port, isReady } of entries.values()) {
    const key = JSON.stringify([...isReady].toSorted(byKey));
    const found = shared.get(key) ?? { ports: [], isReady };
    if (port) found.ports.push(port);
    shared.set(key, found);
  }
  return [...shared.values()]
    .map(({ ports, isReady }) => subsetOf(addresses, ports, isReady))
    .map((subset) => [JSON.stringify(subset), subset] as const)
    .toSorted(byKey)
    .map(([, subset]) => subset);
}

function entryOf(entries: Map<string, PortEntry>, port: JsonObject | null): PortEntry {
  const key = port ? portText(port) : '';
  const found = entries.get(key) ?? { port, isReady: new Map<string, boolean>() };
  entries.set(key, found);
  return found;
}

function note(
  addresses: Map<string, JsonObject>,
  { isReady }: PortEntry,
  address: JsonObject,
  isReadyHere: boolean,
): void {
  const key = JSON.stringify([readText(address['ip']), textAt(address, 'targetRef.uid')]);
  if (!addresses.has(key)) addresses.set(key, address);
  isReady.set(key, (isReady.get(key) ?? true) && isReadyHere);
}

function subsetOf(
  addresses: ReadonlyMap<string, JsonObject>,
  ports: readonly JsonObject[],
  isReady: ReadonlyMap<string, boolean>,
): JsonObject {
  const sorted = [...isReady].toSorted(byKey);
  const select = (wanted: boolean): readonly JsonObject[] =>
    sorted.flatMap(([key, isReadyHere]) => {
      const address = addresses.get(key);
      return address && isReadyHere === wanted ? [address] : [];
    });
  const [ready, notReady] = [select(true), select(false)];
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports.length > 0 && {
      ports: ports
        .map((port) => [portText(port), port] as const)
        .toSorted(byKey)
        .map(([, port]) => port),
    }),
  };
}

function portText({ name = '', port = 0, protocol = '', appProtocol = '' }: JsonObject): string {
  return JSON.stringify([name, port, protocol, appProtocol]);
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
