/**
 * Builds the files of a projected volume from all its sources. If two sources have a file of the same path,
 * the last one wins. The errors of all sources are reported together.
 */
import type { Pod } from '../../../api/pod.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { LookedUpObject } from '../../../ports/api/object-lookup.ts';
import { isNotFound } from '../../../ports/api/api-client.ts';
import { downwardPayload } from './downward-payload.ts';
import { joinErrors } from '../teardown/joined-errors.ts';
import { objectPayload } from './object-payload.ts';
import type { FileProjection, Payload } from './payload.ts';
import { volumeUnsupported } from '../volume-errors.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import {
  commonUserOf,
  volumeSpecOf,
  type ProjectedSource,
  type Projection,
  type TokenProjection,
} from '../volume-spec.ts';

export interface ProjectedPayload {
  readonly files: Payload;
  /** Wall time at which the first token in it should be renewed; null: the volume has no token. */
  readonly renewAtMs: number | null;
}

type PayloadDeps = Pick<VolumeDeps, 'objects' | 'tokens' | 'node'>;

const DEFAULT_MODE = 0o644;
const TOKEN_MODE = 0o600;
const TOKEN_SECONDS = 3600;

export async function projectedPayload(
  deps: PayloadDeps,
  pod: Pod,
  { sources = [], defaultMode = DEFAULT_MODE }: ProjectedSource,
  signal: AbortSignal,
): Promise<ProjectedPayload> {
  const files = new Map<string, FileProjection>();
  const errors: unknown[] = [];
  let renewAtMs: number | null = null;
  for (const source of sources) {
    try {
      const part = await payloadOf(deps, pod, source, defaultMode, signal);
      for (const [path, file] of part.files) files.set(path, file);
      if (part.renewAtMs !== null) renewAtMs = Math.min(part.renewAtMs, renewAtMs ?? Infinity);
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (errors.length > 0) throw joinErrors(errors);
  return { files, renewAtMs };
}

async function payloadOf(
  deps: PayloadDeps,
  pod: Pod,
  source: Projection,
  defaultMode: number,
  signal: AbortSignal,
): Promise<ProjectedPayload> {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  const { namespace = '' } = pod.metadata;
  const items = secret ?? configMap;
  if (items) {
    const kind = secret ? 'Secret' : 'ConfigMap';
    const reference = { kind, namespace, name: items.name ?? '' } as const;
    const object = await findObject(deps, reference, items.optional, signal);
    return { files: objectPayload(kind, object, items, defaultMode), renewAtMs: null };
  }
  if (downwardAPI) {
    const allocatable = deps.node.allocatable();
    const files = downwardPayload(pod, downwardAPI.items ?? [], allocatable, defaultMode);
    return { files, renewAtMs: null };
  }
  if (serviceAccountToken) return tokenPayload(deps, pod, serviceAccountToken, defaultMode, signal);
  const kind = Object.keys(source)[0];
  if (kind === undefined) return { files: new Map(), renewAtMs: null };
  throw volumeUnsupported({ kind: `projected ${kind}` });
}

/** If all containers run as the same user, or the pod has an fsGroup, other users may not read the token. */
async function tokenPayload(
  { tokens }: PayloadDeps,
  pod: Pod,
  { audience = '', expirationSeconds = TOKEN_SECONDS, path }: TokenProjection,
  defaultMode: number,
  signal: AbortSignal,
): Promise<ProjectedPayload> {
  const { uid = '', name = '', namespace = '' } = pod.metadata;
  const { serviceAccountName: account = 'default', securityContext } = volumeSpecOf(pod);
  const spec = { audiences: audience === '' ? [] : [audience], expirationSeconds };
  const held = await tokens.get({ pod: { uid, name, namespace }, account, spec }, signal);
  const user = commonUserOf(pod);
  const isOwned = user !== undefined || securityContext?.fsGroup !== undefined;
  const mode = isOwned ? TOKEN_MODE : defaultMode;
  const file = { data: Buffer.from(held.token), mode, user };
  return { files: new Map([[path, file]]), renewAtMs: held.renewAtMs };
}

/** Null: the object is optional and does not exist. */
export async function findObject(
  { objects }: Pick<VolumeDeps, 'objects'>,
  reference: LookedUpObject,
  optional = false,
  signal: AbortSignal,
): Promise<JsonObject | null> {
  try {
    return await objects.get(reference, signal);
  } catch (error) {
    if (optional && isNotFound(error)) return null;
    throw error;
  }
}
