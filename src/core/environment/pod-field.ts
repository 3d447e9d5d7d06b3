/**
 * Resolves the downward API's `fieldRef`: a field of the pod by path, for a variable (`envFieldOf`) or a file
 * (`metadataFieldOf`). Files support fewer paths, because the pod has no addresses yet when they are first
 * written.
 */
import type { Pod } from '../../api/pod.ts';
import { checkLabelKey } from '../../api/validation-names.ts';
import { inputUnresolved } from './environment-errors.ts';
import { quoteAsGo } from './go-quote.ts';
import { inputSpecOf, type FieldRef } from './input-spec.ts';

export interface PodAddresses {
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
}

const PLAIN_PATHS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const MAP_PATHS: ReadonlySet<string> = new Set(['metadata.annotations', 'metadata.labels']);

export function envFieldOf(pod: Pod, { apiVersion = 'v1', fieldPath }: FieldRef, at: PodAddresses) {
  checkEnvPath(apiVersion, fieldPath);
  switch (fieldPath) {
    // Old clients still use this path.
    case 'spec.host':
    case 'spec.nodeName':
      return pod.spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return inputSpecOf(pod).serviceAccountName ?? '';
    case 'status.hostIP':
      return knownHostIPs(at)[0] ?? '';
    case 'status.hostIPs':
      return knownHostIPs(at).join(',');
    case 'status.podIP':
      return at.podIPs[0] ?? '';
    case 'status.podIPs':
      return at.podIPs.join(',');
    default:
      return metadataFieldOf(pod, fieldPath);
  }
}

export function metadataFieldOf({ metadata }: Pod, fieldPath: string): string {
  const { path, key } = splitPath(fieldPath);
  if (key !== undefined) {
    if (!MAP_PATHS.has(path)) {
      throw unresolved(`fieldPath ${quoteAsGo(fieldPath)} does not support subscript`);
    }
    const isLabel = path === 'metadata.labels';
    const problems = checkLabelKey(isLabel ? key : key.toLowerCase());
    if (problems.length > 0) {
      throw unresolved(`invalid key subscript in ${fieldPath}: ${problems.join(';')}`);
    }
    const map = (isLabel ? metadata.labels : metadata.annotations) ?? {};
    return Object.hasOwn(map, key) ? (map[key] ?? '') : '';
  }
  switch (path) {
    case 'metadata.annotations':
      return formatMap(metadata.annotations ?? {});
    case 'metadata.labels':
      return formatMap(metadata.labels ?? {});
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    default:
      throw unresolved(`unsupported fieldPath: ${fieldPath}`);
  }
}

function checkEnvPath(version: string, fieldPath: string): void {
  if (version !== 'v1') throw unresolved(`unsupported pod version: ${version}`);
  const { path, key } = splitPath(fieldPath);
  if (key !== undefined) {
    if (MAP_PATHS.has(path)) return;
    throw unresolved(`field label does not support subscript: ${fieldPath}`);
  }
  if (!PLAIN_PATHS.has(path) && path !== 'spec.host') {
    throw unresolved(`field label not supported: ${fieldPath}`);
  }
}

/** `metadata.labels['app']` is the path `metadata.labels` and the key `app`. */
function splitPath(fieldPath: string): { readonly path: string; readonly key?: string } {
  const opener = fieldPath.indexOf("['");
  if (!fieldPath.endsWith("']") || opener <= 0) return { path: fieldPath };
  return { path: fieldPath.slice(0, opener), key: fieldPath.slice(opener + 2, -2) };
}

/** One line for each key, sorted by bytes, which for these keys is alphabetical. */
function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${quoteAsGo(map[key] ?? '')}`)
    .join('\n');
}

function knownHostIPs({ hostIPs }: PodAddresses): readonly string[] {
  if (hostIPs.length === 0) throw unresolved('host IP unknown; known addresses: []');
  return hostIPs;
}

function unresolved(reason: string) {
  return inputUnresolved({ reason });
}
