/** `podkeep explain` on a virtual node: the API server's answers and the node's own decision records. */
import { explain, readSubject } from '../../src/cli/commands/explain/explain-objects.ts';
import type { Ask } from '../../src/cli/commands/explain/api-reader.ts';
import type { Explanation } from '../../src/core/explain/explanation.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiError } from '../../src/ports/api/api-client.ts';
import type { DecisionRecord } from '../../src/ports/observe/decision-log.ts';
import { NAMESPACE, VirtualNode, type VirtualNodeOptions } from '../kubelet/node/virtual-node.ts';

const TIMELINE = /^\/api\/v1\/nodes\/[^/]+\/proxy\/podkeep\/v1\/pods\/([^/]+)\/([^/]+)\/timeline$/;

export class ExplainHarness {
  readonly node: VirtualNode;
  /** The newest UID of each `namespace/name`. */
  readonly #uids = new Map<string, string>();
  /** Another agent than podkeep. */
  isForeign = false;

  private constructor(node: VirtualNode) {
    this.node = node;
    node.decisions.subscribe(({ pod: { namespace, name, uid }, from, waitsFor = '' }) => {
      const key = `${namespace}/${name}`;
      const isNew = from === 'forgotten' || waitsFor.startsWith('the older static pod');
      if (isNew || !this.#uids.has(key)) this.#uids.set(key, uid);
    });
  }

  static async open(options: VirtualNodeOptions = {}): Promise<ExplainHarness> {
    return new ExplainHarness(await VirtualNode.open(options));
  }

  async explain(...words: readonly string[]): Promise<Explanation> {
    const { clock } = this.node;
    return explain(this.#ask, readSubject(words), NAMESPACE, () => clock.now());
  }

  readonly #ask: Ask = async (target) => {
    const [, namespace, name] = TIMELINE.exec(target) ?? [];
    if (namespace === undefined || name === undefined) return this.node.cluster.send('GET', target);
    const uid = this.#uids.get(`${namespace}/${name}`);
    if (uid === undefined || this.isForeign) {
      throw new ApiError({ statusCode: 404, reason: 'NotFound', message: '404 page not found' });
    }
    return timelineOf({ namespace, name, uid }, this.node.decisions.of(uid));
  };
}

/** As the kubelet's server answers. */
function timelineOf(pod: JsonObject, records: readonly DecisionRecord[]): JsonObject {
  const items = records.map(({ atMs, machine, from, to, why, ...wait }) => {
    const { waitsFor, sinceMs, attempts, nextAtMs } = wait;
    return {
      at: time(atMs),
      machine,
      from,
      to,
      why,
      ...(waitsFor !== undefined && { waitsFor }),
      ...(sinceMs !== undefined && { since: time(sinceMs) }),
      ...(attempts !== undefined && { attempts }),
      ...(nextAtMs !== undefined && { nextAt: time(nextAtMs) }),
    };
  });
  return { kind: 'PodTimeline', apiVersion: 'podkeep/v1', pod, items };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
