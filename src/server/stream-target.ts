/** Parses the path of a request for exec, attach or port-forward. */
import type { StreamKind, StreamTarget } from '../ports/api/streaming.ts';
import { matchPattern, type PathParameters } from './routing.ts';

export const STREAM_PATTERNS: Readonly<Record<StreamKind, readonly string[]>> = {
  exec: [':namespace/:pod/:container', ':namespace/:pod/:uid/:container'],
  attach: [':namespace/:pod/:container', ':namespace/:pod/:uid/:container'],
  portForward: [':namespace/:pod', ':namespace/:pod/:uid'],
};

const KINDS: readonly StreamKind[] = ['exec', 'attach', 'portForward'];

export interface FoundStream {
  readonly kind: StreamKind;
  readonly target: StreamTarget;
}

/** Null: the request is not for a stream. */
export function streamOf(method: string, path: string): FoundStream | null {
  if (method !== 'GET' && method !== 'POST') return null;
  for (const kind of KINDS) {
    if (!path.startsWith(`/${kind}/`)) continue;
    for (const pattern of STREAM_PATTERNS[kind]) {
      const parameters = matchPattern(pattern, path.slice(kind.length + 1));
      if (parameters) return { kind, target: targetOf(parameters) };
    }
  }
  return null;
}

export function targetOf(parameters: PathParameters): StreamTarget {
  return {
    namespace: parameters.get('namespace') ?? '',
    podName: parameters.get('pod') ?? '',
    podUid: parameters.get('uid') ?? null,
    container: parameters.get('container') ?? '',
  };
}
