/**
 * The real kube-scheduler, with which podkeep's is compared: both get the same cluster, and what the real one decides,
 * with its scores, is read from its log and from the API.
 */
import { mkdirSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { ApiServer } from '../../../src/apiserver/http/api-server.ts';
import { builtInKinds } from '../../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../../src/apiserver/store/memory-store.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { openHttpListener, type HttpListener } from '../../../src/platform/http-listener.ts';
import { systemClock } from '../../../src/platform/system-clock.ts';
import { systemRandom } from '../../../src/platform/system-random.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { startScheduler } from '../support/controller-manager.ts';
import type { Daemon } from '../support/daemon.ts';
import { waitFor } from '../support/patience.ts';
import { makeWorkFolder, removeWorkFolder } from '../support/work-folder.ts';
import { NAMESPACES, PRIORITY_CLASSES, type GeneratedObject } from './generated-cluster.ts';

const WAIT_MS = 20_000;
const LOG = 'kube-scheduler.log';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const SCORED =
  /"Calculated node's final score for pod" pod="([^"]+)" node="([^"]+)" score=(-?\d+)/g;

export class ReferenceScheduler {
  readonly server: ApiServer;
  readonly #folder = makeWorkFolder('reference');
  #listener: HttpListener | null = null;
  #daemon: Daemon | null = null;
  #file = 0;
  #read = 0;
  #log = '';

  private constructor() {
    this.server = new ApiServer({
      store: openMemoryStore({ clock: systemClock, log: silentLog }),
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      kinds: builtInKinds,
      version: { major: '1', minor: '36' },
    });
  }

  static async start(): Promise<ReferenceScheduler> {
    const reference = new ReferenceScheduler();
    try {
      await reference.#prepare();
      return reference;
    } catch (error) {
      await reference.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.#daemon?.stop();
    await this.#listener?.close();
    removeWorkFolder(this.#folder);
  }

  async create({ path: collection, body }: GeneratedObject): Promise<JsonObject> {
    const created = await this.#send('POST', collection, body);
    const { status } = body;
    if (status === undefined || collection === '/api/v1/nodes') return created;
    const own = `${collection}/${body.metadata.name}/status`;
    return this.#send('PATCH', own, { status }, 'application/merge-patch+json');
  }

  async remove({ path: collection, body }: GeneratedObject): Promise<void> {
    const own = `${collection}/${body.metadata.name}?gracePeriodSeconds=0`;
    await this.#send('DELETE', own);
  }

  get({ path: collection, body }: GeneratedObject): Promise<JsonObject> {
    return this.#send('GET', `${collection}/${body.metadata.name}`);
  }

  /** The kube-scheduler's log says that it knows the object, or that it is gone. */
  async untilSeen(
    event: 'Add' | 'Delete',
    kind: 'node' | 'scheduled pod',
    { body }: GeneratedObject,
  ): Promise<void> {
    const { name } = body.metadata;
    const line = new RegExp(`"${event} event for ${kind}" (?:node|pod)="(?:[^"/]*/)?${name}"`);
    await waitFor({ what: `${kind} ${name} to be seen`, deadlineMs: WAIT_MS }, () =>
      line.test(this.#readLog()) ? true : undefined,
    );
  }

  /** The pod once it is bound or refused. The claims for which a node was selected are bound meanwhile. */
  async untilDecided(
    pod: GeneratedObject,
    claims: readonly GeneratedObject[],
  ): Promise<JsonObject> {
    return waitFor({ what: 'a decision', deadlineMs: WAIT_MS }, async () => {
      for (const claim of claims) await this.#bindClaim(claim);
      const found = await this.get(pod);
      const spec = found['spec'] as JsonObject;
      const status = found['status'] as { readonly conditions?: readonly JsonObject[] };
      const isDecided = spec['nodeName'] !== undefined || (status.conditions ?? []).length > 0;
      return isDecided ? found : undefined;
    });
  }

  /** Of the pod's first attempt, by node. Empty: at most one node fits. */
  scoresOf(pod: string): ReadonlyMap<string, number> {
    const scores = new Map<string, number>();
    for (const [, found, node, score] of this.#readLog().matchAll(SCORED)) {
      if (found !== pod || node === undefined) continue;
      if (scores.has(node)) break;
      scores.set(node, Number(score));
    }
    return scores;
  }

  /** What was logged so far is not needed any more. */
  forgetLog(): void {
    this.#readLog();
    this.#log = '';
  }

  /** As the volume controller and a provisioner would: the volume has the name of the claim. */
  async #bindClaim(claim: GeneratedObject): Promise<void> {
    const { name } = claim.body.metadata;
    const { metadata, spec } = (await this.get(claim)) as Record<string, JsonObject>;
    const volume = await this.#send('GET', `/api/v1/persistentvolumes/${name}`);
    const isSelected =
      (metadata?.['annotations'] as JsonObject | undefined)?.[SELECTED_NODE] !== undefined ||
      (volume['spec'] as JsonObject)['claimRef'] !== undefined;
    if (!isSelected || spec?.['volumeName'] !== undefined) return;
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    const change = { metadata: { annotations }, spec: { volumeName: name } };
    await this.#send('PATCH', `${claim.path}/${name}`, change, 'application/merge-patch+json');
  }

  async #prepare(): Promise<void> {
    this.#listener = await openHttpListener({ handler: this.server, host: '127.0.0.1', port: 0 });
    const at = (collection: string, name: string, more: JsonObject = {}): GeneratedObject => {
      const { metadata, ...rest } = more;
      return {
        path: collection,
        body: { metadata: { name, ...(metadata as JsonObject) }, ...rest },
      };
    };
    for (const [name, labels] of Object.entries(NAMESPACES)) {
      await this.create(at('/api/v1/namespaces', name, { metadata: { labels } }));
      await this.create(at(`/api/v1/namespaces/${name}/serviceaccounts`, 'default'));
    }
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    for (const [name, value] of Object.entries(PRIORITY_CLASSES)) {
      await this.create(at(classes, name, { value }));
    }
    await this.create(at(classes, 'never', { value: 500, preemptionPolicy: 'Never' }));
    const storage = '/apis/storage.k8s.io/v1/storageclasses';
    const volumeBindingMode = 'WaitForFirstConsumer';
    const provisioner = 'kubernetes.io/no-provisioner';
    await this.create(at(storage, 'late', { provisioner, volumeBindingMode }));
    await this.create(at(storage, 'new', { provisioner: 'example.com/disk', volumeBindingMode }));
    this.#daemon = await startScheduler(this.#kubeconfig(), this.#folder, 'reference', [
      '--v=2',
      '--vmodule=schedule_one=10,eventhandlers=4',
    ]);
    this.#file = openSync(path.join(this.#folder, LOG), 'r');
  }

  #kubeconfig(): string {
    mkdirSync(this.#folder, { recursive: true });
    const file = path.join(this.#folder, 'kubeconfig');
    const content = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'reference',
      clusters: [
        { name: 'reference', cluster: { server: `http://127.0.0.1:${this.#listener?.port ?? 0}` } },
      ],
      contexts: [{ name: 'reference', context: { cluster: 'reference', user: 'reference' } }],
      users: [{ name: 'reference', user: {} }],
    };
    writeFileSync(file, stringify(content));
    return file;
  }

  async #send(
    method: string,
    url: string,
    body?: JsonObject,
    contentType = 'application/json',
  ): Promise<JsonObject> {
    const response = await this.server.fetch(
      new Request(`http://podkeep${url}`, {
        method,
        headers: { 'content-type': contentType },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const answer = (await response.json()) as JsonObject;
    if (response.status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answer)}`);
    return answer;
  }

  #readLog(): string {
    const size = statSync(path.join(this.#folder, LOG)).size;
    if (size > this.#read) {
      const bytes = Buffer.alloc(size - this.#read);
      readSync(this.#file, bytes, 0, bytes.length, this.#read);
      this.#read = size;
      this.#log += bytes.toString();
    }
    return this.#log;
  }
}
