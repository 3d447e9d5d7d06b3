/**
 * Approves the certificate requests of kubelets whose requester has the permission (approval.ts).
 *
 *     request ──> recognized? ──no──> left to a person
 *                     └─yes──> allowed? ──yes──> Approved ──> certificate-signer
 *                                  └─no──> remembered, and tried again when a role or a binding changes
 *
 * kube-controller-manager tries refused requests again after a while instead.
 */
import { PodkeepError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { readSigningRequest } from '../../../lib/x509/signing-request.ts';
import { certificateSigningRequests } from '../../kinds/rbac/certificate-signing-request.ts';
import { clusterRoleBindings } from '../../kinds/rbac/rbac-binding.ts';
import { clusterRoles } from '../../kinds/rbac/rbac-role.ts';
import type { Access } from '../../objects/access.ts';
import { textAt } from '../../objects/field-path.ts';
import { nameOf } from '../../objects/metadata.ts';
import { follow } from '../../registry/object-feed.ts';
import { keyOf, prefixOf } from '../../registry/registry.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import type { Controller } from '../controller.ts';
import { isMissing } from '../deletion-request.ts';
import { WorkQueue } from '../work-queue.ts';
import {
  isUndecided,
  permissionFor,
  recognize,
  requesterOf,
  withApproval,
  type Recognition,
} from './approval.ts';

export type PermissionCheck = Access['authorize'];

export class CertificateApprover implements Controller {
  readonly #parts: ServerParts;
  readonly #authorize: PermissionCheck;
  readonly #queue: WorkQueue;
  readonly #leave: readonly (() => void)[];
  /** Recognized requests whose requester lacks the permission, by name. */
  readonly #refused = new Set<string>();

  constructor(parts: ServerParts, authorize: PermissionCheck) {
    this.#parts = parts;
    this.#authorize = authorize;
    const { store, clock, random, log } = parts;
    const work = (name: string): Promise<void> => this.#settle(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'certificate-approver', work });
    const retry = (): void => {
      for (const name of this.#refused) this.#queue.add(name);
    };
    this.#leave = [
      follow(store, prefixOf(certificateSigningRequests, ''), ({ type, value }) => {
        const isOpen = type === 'put' && isUndecided(value);
        if (isOpen) this.#queue.add(nameOf(value));
        else this.#refused.delete(nameOf(value));
      }),
      ...[clusterRoles, clusterRoleBindings].map((kind) =>
        store.watch(prefixOf(kind, ''), store.revision, retry),
      ),
    ];
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await this.#queue.stop();
  }

  async #settle(name: string): Promise<void> {
    const { store, registry } = this.#parts;
    const target = { definition: certificateSigningRequests, namespace: '', name };
    const request = store.get(keyOf(target))?.value;
    if (!request || !this.#find(request)) return;
    // Decided again for the object that is written: another request may have this name by now.
    const change = (old: JsonObject): JsonObject => {
      const found = this.#find(old);
      return found ? withApproval(old, found) : old;
    };
    try {
      await registry.update({ ...target, subresource: 'approval', change });
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Why the request is approved. Null: it is not. */
  #find(request: JsonObject): Recognition | null {
    const name = nameOf(request);
    const recognized = isUndecided(request) ? this.#recognize(request) : [];
    const user = requesterOf(request);
    const isAllowed = (one: Recognition): boolean =>
      this.#authorize(user, permissionFor(one)).isAllowed;
    const found = recognized.find(isAllowed) ?? null;
    if (recognized.length === 0 || found) this.#refused.delete(name);
    else this.#refuse(name, recognized);
    return found;
  }

  #recognize(request: JsonObject): readonly Recognition[] {
    try {
      return recognize(request, readSigningRequest(textAt(request, 'spec.request')));
    } catch (error) {
      // Stored by an older version, which did not validate it: no signer will sign it either.
      if (error instanceof PodkeepError) return [];
      throw error;
    }
  }

  #refuse(name: string, recognized: readonly Recognition[]): void {
    if (this.#refused.has(name)) return;
    this.#refused.add(name);
    this.#parts.log.info('recognized csr but subject access review was not approved', {
      csr: name,
      recognizedAs: recognized.map(({ subresource }) => subresource),
    });
  }
}
