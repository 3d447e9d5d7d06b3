/**
 * Root CA publisher: writes the certificate of the cluster's CA to a ConfigMap in every namespace, which
 * every pod mounts beside its token, and restores the ConfigMap when a client changes or deletes it.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { configMaps } from '../../kinds/core/config-map.ts';
import { structAt, textAt } from '../../objects/field-path.ts';
import { namespaces } from '../../kinds/core/namespace.ts';
import { withMetadata } from '../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isNamespaceGoing } from '../deletion-request.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';

const NAME = 'kube-root-ca.crt';
const ANNOTATION = 'kubernetes.io/description';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints ' +
  'such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

export class RootCertificateController implements Controller {
  readonly #parts: ServerParts;
  readonly #data: JsonObject;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];

  constructor(parts: ServerParts, certificatePem: string) {
    this.#parts = parts;
    this.#data = { 'ca.crt': certificatePem };
    const { store, clock, random, log } = parts;
    const work = (namespace: string): Promise<void> => this.#ensure(namespace);
    this.#queue = new WorkQueue({ clock, random, log, name: 'root-ca-certificate', work });
    this.#leave = [
      follow(store, prefixOf(namespaces, ''), ({ type, key, value }) => {
        const isActive = textAt(value, 'status.phase') === 'Active';
        if (type === 'put' && isActive) this.#queue.add(readKey(key).name);
      }),
      store.watch(prefixOf(configMaps, ''), store.revision, ({ key }) => {
        const { namespace, name } = readKey(key);
        if (name === NAME) this.#queue.add(namespace);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  async #ensure(namespace: string): Promise<void> {
    const { store, registry } = this.#parts;
    const target = { definition: configMaps, namespace, name: NAME };
    const found = store.get(keyOf(target))?.value;
    try {
      if (!found) {
        const metadata = { name: NAME, annotations: { [ANNOTATION]: DESCRIPTION } };
        const body = { metadata, data: this.#data };
        await registry.create({ definition: configMaps, namespace, body });
      } else if (!this.#isRight(found)) {
        await registry.update({ ...target, change: (old) => this.#setRight(old) });
      }
    } catch (error) {
      if (!isNamespaceGoing(error)) throw error;
    }
  }

  /** The description annotation may have any text, but must be present. */
  #isRight(configMap: JsonObject): boolean {
    const description = structAt(configMap, 'metadata.annotations')[ANNOTATION];
    const isDescribed = typeof description === 'string' && description !== '';
    return isDescribed && jsonEqual(structAt(configMap, 'data'), this.#data);
  }

  #setRight(old: JsonObject): JsonObject {
    if (this.#isRight(old)) return old;
    const annotations = { ...structAt(old, 'metadata.annotations'), [ANNOTATION]: DESCRIPTION };
    return withMetadata({ ...old, data: this.#data }, { annotations });
  }
}
