/** What a request for exec, attach or port-forward is about, as its path says. */
import type { StreamKind, StreamTarget } from '../ports/streaming.ts';
import { matchPattern, type Words } from './routing.ts';

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

/** Null: it is about something else. */
export function streamOf(method: string, path: string): FoundStream | null {
  if (method !== 'GET' && method !== 'POST') return null;
  for (const kind of KINDS) {
    if (!path.startsWith(`/${kind}/`)) continue;
    for (const pattern of STREAM_PATTERNS[kind]) {
      const words = matchPattern(pattern, path.slice(kind.length + 1));
      if (words) return { kind, target: targetOf(words) };
    }
  }
  return null;
}

export function targetOf(words: Words): StreamTarget {
  return {
    namespace: words.get('namespace') ?? '',
    podName: words.get('pod') ?? '',
    podUid: words.get('uid') ?? null,
    container: words.get('container') ?? '',
  };
}
