/** What a POST to a part of a pod does. */
import type { Actions } from '../action.ts';
import { nameOf } from '../metadata.ts';
import type { ServerParts } from '../server-parts.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';

export function podActions(parts: ServerParts): Actions {
  const { registry, clock } = parts;
  return new Map([
    ['/pods/binding', (request) => bindPod(registry, clock, request)],
    // The oldest way to bind: the binding itself names the pod.
    [
      '/bindings',
      (request) => bindPod(registry, clock, { ...request, name: nameOf(request.body) }),
    ],
    ['/pods/eviction', (request) => evictPod(parts, request)],
  ]);
}
