/**
 * Token controller: fills Secrets of type service-account-token with a token, deletes those whose account no
 * longer exists, and removes deleted Secrets from their account's list.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { secrets } from '../../kinds/core/secret.ts';
import { serviceAccounts } from '../../kinds/rbac/service-account.ts';
import { metadataOf, textOf } from '../../objects/metadata.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing, removeIfThere } from '../deletion-request.ts';
import { follow } from '../../registry/object-feed.ts';
import { readKey } from '../object-key.ts';
import { WorkQueue } from '../work-queue.ts';
import {
  accountNameOf,
  belongsTo,
  decideTokenSecret,
  fill,
  isTokenSecret,
} from './token-secret.ts';

/** A token for the account that does not expire, bound to the secret that holds it. */
export type MakeToken = (account: JsonObject, secret: JsonObject) => Promise<string> | string;

export interface TokenOptions {
  readonly makeToken: MakeToken;
  /** Empty: the Secrets get no certificate. */
  readonly certificatePem: string;
}

export class TokenController implements Controller {
  readonly #parts: ServerParts;
  readonly #options: TokenOptions;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];

  constructor(parts: ServerParts, options: TokenOptions) {
    this.#parts = parts;
    this.#options = options;
    const { store, clock, random, log } = parts;
    const work = (key: string): Promise<void> => this.#settle(key);
    this.#queue = new WorkQueue({ clock, random, log, name: 'serviceaccount-token', work });
    this.#leave = [
      follow(store, prefixOf(secrets, ''), ({ type, key, value }) => {
        if (!isTokenSecret(value)) return;
        if (type === 'put') this.#queue.add(key);
        else void this.#forget(key, value);
      }),
      store.watch(prefixOf(serviceAccounts, ''), store.revision, ({ type, key, value }) => {
        if (type === 'delete') this.#wakeSecretsOf(readKey(key).namespace, value);
      }),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  #wakeSecretsOf(namespace: string, account: JsonObject): void {
    for (const { key, value } of this.#parts.store.list(prefixOf(secrets, namespace)).objects) {
      if (isTokenSecret(value) && belongsTo(value, account)) this.#queue.add(key);
    }
  }

  async #settle(key: string): Promise<void> {
    const { store, registry } = this.#parts;
    const { certificatePem, makeToken } = this.#options;
    const secret = store.get(key)?.value;
    if (!secret) return;
    const { namespace, name } = readKey(key);
    const account = this.#accountOf(namespace, secret);
    const decision = decideTokenSecret(secret, account, certificatePem);
    if (decision === 'keep') return;
    const target = { definition: secrets, namespace, name };
    const uid = textOf(metadataOf(secret)['uid']);
    if (decision === 'remove' || !account) {
      await removeIfThere(registry, target, { uid });
      return;
    }
    const token = await makeToken(account, secret);
    const change = (old: JsonObject): JsonObject =>
      metadataOf(old)['uid'] === uid ? fill(old, account, token, certificatePem) : old;
    await registry.update({ ...target, change }).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  #accountOf(namespace: string, secret: JsonObject): JsonObject | undefined {
    const name = accountNameOf(secret);
    if (name === '') return undefined;
    return this.#parts.store.get(keyOf({ definition: serviceAccounts, namespace, name }))?.value;
  }

  /** Old accounts list the names of their Secrets. */
  async #forget(key: string, secret: JsonObject): Promise<void> {
    const { namespace, name } = readKey(key);
    const account = this.#accountOf(namespace, secret);
    const lists = (one: JsonObject): boolean =>
      objectsAt(one, 'secrets').some((entry) => entry['name'] === name);
    if (!account || !belongsTo(secret, account) || !lists(account)) return;
    const target = { definition: serviceAccounts, namespace, name: accountNameOf(secret) };
    const change = (old: JsonObject): JsonObject => ({
      ...old,
      secrets: objectsAt(old, 'secrets').filter((entry) => entry['name'] !== name),
    });
    try {
      await this.#parts.registry.update({ ...target, change });
    } catch (error) {
      this.#parts.log.warn('Failed to remove a deleted Secret from its service account', {
        key,
        error,
      });
    }
  }
}
