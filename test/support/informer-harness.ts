/** An informer on a scripted transport and a clock that stands still, and short helpers for both. */
import { onTestFinished } from 'vitest';
import { createInformer } from '../../src/client/informer.ts';
import { createKubeApi } from '../../src/client/kube-api.ts';
import type { Informer, InformerRequest } from '../../src/ports/api/informer.ts';
import { json, ScriptedTransport, type Reply } from './scripted-transport.ts';
import { silentLog } from './silent-ports.ts';
import { VirtualClock } from './virtual-clock.ts';

const PODS = '/api/v1/pods';

export function pod(name: string, resourceVersion: string, uid = name): object {
  return { metadata: { namespace: 'n', name, uid, resourceVersion } };
}

export function bookmark(resourceVersion: string, isEnd = false): object {
  const annotations = isEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
  return { metadata: { resourceVersion, annotations } };
}

export const NO_STREAM = json(422, {
  kind: 'Status',
  code: 422,
  reason: 'Invalid',
  message: 'no such',
});
export const EXPIRED = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };

export function listOf(resourceVersion: string, items: readonly object[], next?: string): Reply {
  const metadata = { resourceVersion, ...(next !== undefined && { continue: next }) };
  return json(200, { kind: 'PodList', apiVersion: 'v1', metadata, items });
}

export class InformerHarness {
  readonly clock = new VirtualClock();
  readonly transport = new ScriptedTransport();
  readonly notified: string[] = [];
  readonly #api = createKubeApi(this.transport, { clock: this.clock, version: '0' });

  start(request: Partial<InformerRequest> = {}): Informer {
    const say = (word: string, object: object) =>
      this.notified.push(`${word} ${(object as { metadata: { name: string } }).metadata.name}`);
    const informer = createInformer(
      {
        path: PODS,
        handlers: {
          added: (object) => say('added', object),
          updated: (_before, object) => say('updated', object),
          deleted: (object) => say('deleted', object),
        },
        ...request,
      },
      { api: this.#api, clock: this.clock, random: { next: () => 0 }, log: silentLog },
    );
    onTestFinished(() => informer.stop());
    return informer;
  }

  /** The queries of all requests so far, without the parameters of every watch. */
  get queries(): readonly string[] {
    return this.transport.requests.map(({ target }) =>
      decodeURIComponent(target.replace(PODS, '').replace(/^\?/, '')).replace(
        /&?allowWatchBookmarks=true&timeoutSeconds=\d+/,
        '',
      ),
    );
  }
}
