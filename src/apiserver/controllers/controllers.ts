/**
 * Starts the controllers that run in the embedded API server.
 *
 * Each follows the store, decides with a pure function what to do, and writes through the registry like any
 * other client. None polls. Users who run kube-scheduler or kube-controller-manager can disable each of them.
 */
import type { LocalVolumes } from '../../ports/local-volumes.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { AccountController } from './accounts/account-controller.ts';
import { RootCertificateController } from './accounts/root-certificate-controller.ts';
import { TokenController, type MakeToken } from './accounts/token-controller.ts';
import { CertificateApprover, type PermissionCheck } from './certificates/certificate-approver.ts';
import { CertificateCleaner } from './certificates/certificate-cleaner.ts';
import type { Controller } from './controller.ts';
import { EventExpiryController } from './event-expiry-controller.ts';
import { GarbageCollector } from './garbage/garbage-collector.ts';
import { NamespaceController } from './namespace/namespace-controller.ts';
import { NodeController } from './nodes/node-controller.ts';
import { PodGarbageController } from './nodes/pod-garbage-controller.ts';
import { TaintEvictionController } from './nodes/taint-eviction-controller.ts';
import { TtlController } from './nodes/ttl-controller.ts';
import { PolicyStatusController } from './policies/policy-status-controller.ts';
import { QuotaController } from './quota/quota-controller.ts';
import { Scheduler } from './scheduler/scheduler.ts';
import { StorageProtectionController } from './storage-protection/storage-protection-controller.ts';

import {
  WORKLOAD_CONTROLLER_NAMES,
  WorkloadControllers,
  type WorkloadControllerName,
  type WorkloadOptions,
} from './workloads/workload-controllers.ts';

export type { MakeToken };

export type ControllerName = keyof typeof STARTERS | WorkloadControllerName;

export interface ControllerOptions extends WorkloadOptions {
  /** The controllers to run; absent: all whose dependencies are there. */
  readonly controllers?: ReadonlySet<string>;
  /** The certificate of the CA that signed the server's own. Absent: none is published. */
  readonly certificatePem?: string;
  /** Absent: token Secrets stay empty. */
  readonly makeToken?: MakeToken;
  /** Decides on permissions; absent: no certificate request is approved automatically. */
  readonly authorize?: PermissionCheck;
  /** A node without a heartbeat for this long counts as lost. */
  readonly nodeGraceSeconds?: number;
  /** The folders of the local provisioner; absent: it does not run. */
  readonly localVolumes?: LocalVolumes;
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
  'policy-status': (parts) => new PolicyStatusController(parts),
  'certificate-approver': (parts, { authorize }) =>
    authorize ? new CertificateApprover(parts, authorize) : null,
  'certificate-cleaner': (parts) => new CertificateCleaner(parts),
  ttl: (parts) => new TtlController(parts),
  'event-expiry': (parts) => new EventExpiryController(parts),
  scheduler: (parts, { localVolumes }) => new Scheduler(parts, localVolumes?.nodeName),
} satisfies Readonly<Record<string, Starter>>;

export const CONTROLLER_NAMES: readonly string[] = [
  ...Object.keys(STARTERS),
  ...WORKLOAD_CONTROLLER_NAMES,
];

export function startControllers(parts: ServerParts, options: ControllerOptions = {}): Controller {
  const starters: readonly (readonly [string, Starter])[] = Object.entries(STARTERS);
  const wanted: ReadonlySet<string> = options.controllers ?? new Set(CONTROLLER_NAMES);
  const running = starters.flatMap(([name, start]) =>
    wanted.has(name) ? (start(parts, options) ?? []) : [],
  );
  // The workload controllers start together, because they share a Lease.
  const workloads = WORKLOAD_CONTROLLER_NAMES.filter((name) => wanted.has(name));
  if (workloads.length > 0) running.push(new WorkloadControllers(parts, workloads, options));
  return {
    stop: async () => {
      await Promise.all(running.map((controller) => controller.stop()));
    },
  };
}
