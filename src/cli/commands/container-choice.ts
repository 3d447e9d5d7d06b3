/**
 * Chooses the container for `podkeep logs` and `podkeep exec` if the command line names none, as kubectl
 * does.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Io } from '../io.ts';
import { visibleText } from '../terminal-text.ts';
import type { ApiSession } from './api-session.ts';
import { objectsIn, textOf } from './kind-lookup.ts';

const DEFAULT_ANNOTATION = 'kubectl.kubernetes.io/default-container';

export function pathOfPod(session: ApiSession, pod: string): string {
  const name = pod.replace(/^(?:pods?|po)\//, '');
  const namespace = encodeURIComponent(session.namespace);
  return `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(name)}`;
}

/** Prints its choice if the pod has several containers. */
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
    const choice = `Defaulted container "${first}" out of: ${[...names, ...inits].join(', ')}\n`;
    io.err(visibleText(choice));
  }
  return first;
}

function namesIn(spec: JsonObject[string] | undefined, field: string): readonly string[] {
  return isJsonObject(spec) ? objectsIn(spec[field]).map(({ name }) => textOf(name)) : [];
}
