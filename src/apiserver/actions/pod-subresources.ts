/** The handlers of POST requests to subresources of pods (binding, eviction). */
import type { Actions } from '../objects/action.ts';
import { nameOf } from '../objects/metadata.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';

export function podActions(parts: ServerParts): Actions {
  const { registry, clock } = parts;
  return new Map([
    ['/pods/binding', (request) => bindPod(registry, clock, request)],
    // The oldest way to bind is to create a Binding, which names the pod itself.
    [
      '/bindings',
      (request) => bindPod(registry, clock, { ...request, name: nameOf(request.body) }),
    ],
    ['/pods/eviction', (request) => evictPod(parts, request)],
  ]);
}
