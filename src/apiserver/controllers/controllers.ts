/**
 * The controllers that live beside the embedded API server: what a cluster does by itself.
 *
 * Each follows the store, decides by a pure function what is to be done now, and acts through the
 * registry like any other client. None asks anything while nothing happens. Each can be left out, for
 * those who bring their own (kube-scheduler, kube-controller-manager).
 */
import type { ServerParts } from '../server-parts.ts';
import { AccountController } from './accounts/account-controller.ts';
import { RootCertificateController } from './accounts/root-certificate-controller.ts';
import { TokenController, type MakeToken } from './accounts/token-controller.ts';
import type { Controller } from './controller.ts';
import { EventExpiryController } from './event-expiry-controller.ts';
import { GarbageCollector } from './garbage/garbage-collector.ts';
import { NamespaceController } from './namespace/namespace-controller.ts';
import { NodeController } from './nodes/node-controller.ts';
import { PodGarbageController } from './nodes/pod-garbage-controller.ts';
import { TaintEvictionController } from './nodes/taint-eviction-controller.ts';
import { QuotaController } from './quota/quota-controller.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { StorageProtectionController } from './storage-protection/storage-protection-controller.ts';

export type { MakeToken };

export type ControllerName = keyof typeof STARTERS;

export interface ControllerOptions {
  /** Those that run; absent: all for which there is what they need. */
  readonly controllers?: ReadonlySet<string>;
  /** The certificate of the authority that signed the server's own; without it, none is published. */
  readonly certificatePem?: string;
  /** Without it, secrets for tokens stay empty. */
  readonly makeToken?: MakeToken;
  /** So long nobody has to hear of a node before it counts as lost. */
  readonly nodeGraceSeconds?: number;
}

type Starter = (parts: ServerParts, options: ControllerOptions) => Controller | null;

const NODE_GRACE_SECONDS = 40;

const STARTERS = {
  namespace: (parts) => new NamespaceController(parts),
  'garbage-collector': (parts) => new GarbageCollector(parts),
  serviceaccount: (parts) => new AccountController(parts),
  'root-ca-certificate': (parts, { certificatePem }) =>
    certificatePem === undefined ? null : new RootCertificateController(parts, certificatePem),
  'serviceaccount-token': (parts, { makeToken, certificatePem = '' }) =>
    makeToken ? new TokenController(parts, { makeToken, certificatePem }) : null,
  'resource-quota': (parts) => new QuotaController(parts),
  'node-lifecycle': (parts, { nodeGraceSeconds = NODE_GRACE_SECONDS }) =>
    new NodeController(parts, { graceSeconds: nodeGraceSeconds }),
  'taint-eviction': (parts) => new TaintEvictionController(parts),
  'pod-garbage-collector': (parts) => new PodGarbageController(parts),
  'storage-protection': (parts) => new StorageProtectionController(parts),
  'event-expiry': (parts) => new EventExpiryController(parts),
  scheduler: (parts) => new Scheduler(parts),
} satisfies Readonly<Record<string, Starter>>;

export const CONTROLLER_NAMES: readonly string[] = Object.keys(STARTERS);

export function startControllers(parts: ServerParts, options: ControllerOptions = {}): Controller {
  const starters: readonly (readonly [string, Starter])[] = Object.entries(STARTERS);
  const wanted: ReadonlySet<string> = options.controllers ?? new Set(CONTROLLER_NAMES);
  const running = starters.flatMap(([name, start]) =>
    wanted.has(name) ? (start(parts, options) ?? []) : [],
  );
  return {
    stop: async () => {
      await Promise.all(running.map((controller) => controller.stop()));
    },
  };
}
