/**
 * Formats and parses a checkpoint as Kubernetes' kubelet v1.36 does (KL-97), so that a node can be switched
 * between podkeep and Kubernetes' kubelet:
 *
 *     {"data":"{\"entries\":{…}}","checksum":1178570812}
 *
 *     entries    by pod UID: { ContainerResources: by container name, PodLevelResources }
 *     checksum   over the data as text, so the spacing of JSON does not matter
 *
 * A field that is absent or null where Kubernetes' kubelet allows this counts as empty, so that files from
 * before a field existed can be loaded (KL-97). A file with any other mismatch is corrupt; nothing is
 * guessed.
 *
 * Resource requirements are kept completely, with unknown fields and the spelling of amounts. Unknown fields
 * elsewhere (in a pod's entry, or beside `entries`) are dropped, as in Kubernetes' kubelet: a newer kubelet
 * can read a file without such a field, but it cannot detect that an older program has kept an outdated value
 * in the field.
 */
import type { ResourceRequirements } from '../../api/resources.ts';
import { fnv1a32 } from '../../lib/fnv.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { PodResources, PodResourcesByUid } from '../../ports/pod/state-store.ts';
import { checkpointCorrupt } from './checkpoint-errors.ts';
import { faultOfResources, isResources } from './resources-fault.ts';

/** Go prints the type of a value before the value when it is hashed. */
const HASHED_TYPE = '(string)';

const encoder = new TextEncoder();

export function formatCheckpoint(state: PodResourcesByUid): Uint8Array {
  const data = formatData(state);
  return encoder.encode(`{"data":${JSON.stringify(data)},"checksum":${checksumOf(data)}}`);
}

export function parseCheckpoint(bytes: Uint8Array): PodResourcesByUid {
  const envelope = parseJson(decode(bytes), 'the file');
  if (!isJsonObject(envelope)) throw checkpointCorrupt({ reason: 'it is not an object' });
  const { data, checksum } = envelope;
  if (typeof data !== 'string') throw checkpointCorrupt({ reason: 'its data is not a string' });
  const actual = checksumOf(data);
  if (checksum !== actual) {
    const given = JSON.stringify(checksum ?? null);
    throw checkpointCorrupt({ reason: `its checksum is ${given}, that of its data is ${actual}` });
  }
  return readData(parseJson(data, 'its data'));
}

function checksumOf(data: string): number {
  return fnv1a32(encoder.encode(HASHED_TYPE + data));
}

/** Sorted, so that the same state always has the same text. */
function formatData(state: PodResourcesByUid): string {
  if (state.size === 0) return '{}';
  return `{"entries":${formatMap(state, formatPod)}}`;
}

function formatPod({ containers, pod }: PodResources): string {
  const containersText = formatMap(containers, (resources) => JSON.stringify(resources));
  return `{"ContainerResources":${containersText},"PodLevelResources":${JSON.stringify(pod ?? null)}}`;
}

function formatMap<Value>(
  map: ReadonlyMap<string, Value>,
  format: (value: Value) => string,
): string {
  const sorted = [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const members = sorted.map(([key, value]) => `${JSON.stringify(key)}:${format(value)}`);
  return `{${members.join(',')}}`;
}

function decode(bytes: Uint8Array): string {
  try {
    // A byte order mark is not JSON, so it is not skipped either.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw checkpointCorrupt({ reason: 'it is not text in UTF-8' }, error);
  }
}

function parseJson(text: string, what: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (error) {
    const reason = text === '' ? `${what} is empty` : `${what} is not JSON`;
    throw checkpointCorrupt({ reason }, error);
  }
}

function readData(data: Json): PodResourcesByUid {
  const document = readObject(data, 'its data');
  const entries = readObject(document['entries'], 'entries');
  return new Map(
    Object.entries(entries).map(([uid, entry]) => [uid, readPod(entry, `entries.${uid}`)]),
  );
}

function readPod(entry: Json, where: string): PodResources {
  const { ContainerResources, PodLevelResources } = readObject(entry, where);
  const containers = readObject(ContainerResources, `${where}.ContainerResources`);
  return {
    containers: new Map(
      Object.entries(containers).map(([name, resources]) => [
        name,
        readResources(resources, `${where}.ContainerResources.${name}`),
      ]),
    ),
    pod:
      PodLevelResources === undefined || PodLevelResources === null
        ? undefined
        : readResources(PodLevelResources, `${where}.PodLevelResources`),
  };
}

function readObject(value: Json | undefined, where: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw checkpointCorrupt({ reason: `${where} is not an object` });
  return value;
}

function readResources(value: Json, where: string): ResourceRequirements {
  if (isResources(value)) return value;
  throw checkpointCorrupt({ reason: `${where}: ${faultOfResources(value) ?? ''}` });
}
