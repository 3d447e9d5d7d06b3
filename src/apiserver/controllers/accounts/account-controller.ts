/**
 * Service account controller: creates the service account `default` in every active namespace, so that pods
 * have an identity, and recreates it when it is deleted.
 */
import { namespaces } from '../../kinds/core/namespace.ts';
import { serviceAccounts } from '../../kinds/rbac/service-account.ts';
import { textAt } from '../../objects/field-path.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isAlreadyThere, isNamespaceGoing } from '../deletion-request.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';

const NAME = 'default';

export class AccountController implements Controller {
  readonly #parts: ServerParts;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { store, clock, random, log } = parts;
    const work = (namespace: string): Promise<void> => this.#ensure(namespace);
    this.#queue = new WorkQueue({ clock, random, log, name: 'serviceaccount', work });
    this.#leave = [
      follow(store, prefixOf(namespaces, ''), ({ type, key }) => {
        if (type === 'put') this.#queue.add(readKey(key).name);
      }),
      store.watch(prefixOf(serviceAccounts, ''), store.revision, ({ type, key }) => {
        const { namespace, name } = readKey(key);
        if (type === 'delete' && name === NAME) this.#queue.add(namespace);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  async #ensure(namespace: string): Promise<void> {
    const { store, registry } = this.#parts;
    const namespaceObject = store.get(
      keyOf({ definition: namespaces, namespace: '', name: namespace }),
    )?.value;
    if (!namespaceObject || textAt(namespaceObject, 'status.phase') !== 'Active') return;
    const definition = serviceAccounts;
    if (store.get(keyOf({ definition, namespace, name: NAME }))) return;
    try {
      await registry.create({ definition, namespace, body: { metadata: { name: NAME } } });
    } catch (error) {
      if (!isAlreadyThere(error) && !isNamespaceGoing(error)) throw error;
    }
  }
}
