/** Which container of a pod is meant, if nobody says: as kubectl chooses it. */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Io } from '../io.ts';
import type { ApiSession } from './api-session.ts';
import { objectsIn, textOf } from './kind-lookup.ts';

const DEFAULT_ANNOTATION = 'kubectl.kubernetes.io/default-container';

export function pathOfPod(session: ApiSession, pod: string): string {
  const name = pod.replace(/^(?:pods?|po)\//, '');
  const namespace = encodeURIComponent(session.namespace);
  return `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(name)}`;
}

/** Says which one it took, where there was a choice. */
export async function chooseContainer(
  session: ApiSession,
  pod: string,
  io: Io,
  signal: AbortSignal,
): Promise<string> {
  const { metadata, spec } = await session.ask(pathOfPod(session, pod), signal);
  const names = namesIn(spec, 'containers');
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : null;
  const wanted = isJsonObject(annotations) ? textOf(annotations[DEFAULT_ANNOTATION]) : '';
  if (wanted !== '' && names.includes(wanted)) return wanted;
  const [first = ''] = names;
  const inits = namesIn(spec, 'initContainers').map((name) => `${name} (init)`);
  if (names.length + inits.length > 1) {
    io.err(`Defaulted container "${first}" out of: ${[...names, ...inits].join(', ')}\n`);
  }
  return first;
}

function namesIn(spec: JsonObject[string] | undefined, field: string): readonly string[] {
  return isJsonObject(spec) ? objectsIn(spec[field]).map(({ name }) => textOf(name)) : [];
}
