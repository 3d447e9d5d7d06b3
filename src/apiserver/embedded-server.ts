/**
 * A complete API server: kinds, users, admission, controllers, and the objects that every cluster starts
 * with.
 *
 *     open      policy, namespaces and priority classes are created or found in the store
 *     announce  a listener is open: the service `kubernetes` gets its address
 *     run       controllers start, one after the other: each lists all objects
 *     close     controllers first; then nothing follows the store any more
 *
 * It does not listen (a listener is put in front of it) and does not own its store.
 */
import type { HealthCheck } from '../lib/health-report.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { HttpHandler, ClientIdentity } from '../ports/api/http-handler.ts';
import type { Log } from '../ports/log.ts';
import type { KubeletDialer } from '../ports/api/kubelet-dialer.ts';
import type { ObjectStore } from '../ports/api/object-store.ts';
import type { WebhookClient } from '../ports/api/webhook-client.ts';
import type { IdentityRandom } from '../ports/random.ts';
import { nodeTaint } from './admission/node-taint.ts';
import { storageProtection } from './admission/storage-protection.ts';
import { StoredOnly } from './admission/stored-only.ts';
import { ApiServer } from './http/api-server.ts';
import {
  accessHandlers,
  createAccess,
  createAccessActions,
  type AccessControl,
  type AccessOptions,
} from './auth/access-control.ts';
import type { Auditor } from './http/auditor.ts';
import { apiZpages } from './http/zpages-handler.ts';
import { ClusterRoleAggregator } from './auth/rbac/cluster-role-aggregator.ts';
import { bootstrapKubernetesService, type ServingAddress } from './bootstrap/kubernetes-service.ts';
import { bootstrapMetricsApiService } from './bootstrap/metrics-api-service.ts';
import { bootstrapNamespaces } from './bootstrap/namespaces.ts';
import { bootstrapPriorityClasses } from './bootstrap/priority-classes.ts';
import { bootstrapPolicy } from './bootstrap/rbac-bootstrap.ts';
import type { ControllerOptions } from './controllers/controllers.ts';
import { EmbeddedControllers } from './embedded-controllers.ts';
import { builtInKinds } from './kinds/built-in-kinds.ts';
import { MetricsCollector } from './metrics-api/metrics-collector.ts';
import { metricsKinds } from './metrics-api/metrics-kinds.ts';
import { textResponse, type PathHandler } from './requests/path-handler.ts';
import { CertificateSigner } from './pki/certificate-signer.ts';
import type { ServerParts } from './registry/server-parts.ts';

export interface EmbeddedServerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** The answer of `/version`. */
  readonly version: JsonObject;
  readonly access: AccessOptions;
  /** The authority that signed the certificate of the listener, as PEM; pods get it. */
  readonly caCert: string;
  /** Its key, which signs approved certificate requests. Absent: another signer does. */
  readonly caKey?: string;
  /** Those that run; absent: all. */
  readonly controllers?: ControllerOptions['controllers'];
  /** The connections to kubelets and pods; absent: exec and the like are answered with 503. */
  readonly kubeletDialer?: KubeletDialer;
  /** Absent: webhooks cannot be called, and their failure policy decides. */
  readonly webhookClient?: WebhookClient;
  /** Absent: no request is audited. */
  readonly auditor?: Auditor;
  /** Health checks beside those of the server itself, as of now; absent: none. */
  readonly checks?: () => readonly HealthCheck[];
  /** Of the command line, for /flagz; absent: it is not served. */
  readonly flags?: Readonly<Record<string, string>>;
}

export interface EmbeddedServer extends HttpHandler {
  readonly parts: ServerParts;
  /** With the types of the fetch standard, for callers in this process. */
  fetch(request: Request, clientIdentity?: ClientIdentity): Promise<Response>;
  /** Publishes the address of the server to pods. */
  announce(address: ServingAddress): Promise<void>;
  /**
   * Starts the controllers, each in its own turn of the event loop, so that requests are answered in between.
   */
  run(): void;
  close(): Promise<void>;
}

export async function openEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const access = createAccess(options, options.access);
  const collector = createCollector(options);
  let isClosing = false;
  const shutdown: HealthCheck = {
    name: 'shutdown',
    endpoints: ['readyz'],
    check: () => (isClosing ? 'process is shutting down' : null),
  };
  const checks = (): readonly HealthCheck[] => [shutdown, ...(options.checks?.() ?? [])];
  const server = createServer({ ...options, checks }, access, collector);
  const { parts } = server;
  // One after the other into the store, and together onto the disk.
  await Promise.all([
    bootstrapNamespaces(parts),
    bootstrapPriorityClasses(parts),
    bootstrapPolicy(parts),
    ...(collector ? [bootstrapMetricsApiService(parts)] : []),
  ]);
  const controllers = new EmbeddedControllers(parts, {
    certificatePem: options.caCert,
    makeToken: (account, secret) => access.makeSecretToken(account, secret),
    ...(options.controllers && { controllers: options.controllers }),
  });
  const runs = (name: string): boolean => options.controllers?.has(name) ?? true;
  const { caCert: cert, caKey: key } = options;
  const others = [
    ...(runs('cluster-role-aggregation') ? [new ClusterRoleAggregator(parts)] : []),
    ...(runs('certificate-signer') && key !== undefined
      ? [new CertificateSigner(parts, { cert, key })]
      : []),
  ];
  return {
    parts,
    fetch: (request, clientIdentity) => server.fetch(request, clientIdentity),
    answer: (request, clientIdentity) => server.answer(request, clientIdentity),
    connect: (request, connection, clientIdentity) =>
      server.connect(request, connection, clientIdentity),
    announce: (address) => bootstrapKubernetesService(parts, address),
    run: () => controllers.begin(),
    close: async () => {
      collector?.stop();
      isClosing = true;
      await Promise.all([controllers, ...others].map((one) => one.stop()));
      access.stop();
    },
  };
}

/** Without a way to kubelets there are no metrics to serve. */
function createCollector(options: EmbeddedServerOptions): MetricsCollector | undefined {
  const { store, clock, log, kubeletDialer: dialer } = options;
  return dialer && new MetricsCollector({ store, clock, log, dialer });
}

function createServer(
  options: EmbeddedServerOptions,
  access: AccessControl,
  collector: MetricsCollector | undefined,
): ApiServer {
  const { store, clock, random, log, version, kubeletDialer, auditor, checks, webhookClient } =
    options;
  return new ApiServer({
    store,
    clock,
    random,
    log,
    version,
    kinds: [...builtInKinds, ...(collector ? metricsKinds({ store, clock, collector }) : [])],
    access: () => access,
    admission: [
      ...access.admission,
      nodeTaint,
      storageProtection,
      new StoredOnly(store, clock, (name) => options.controllers?.has(name) ?? true),
    ],
    actions: (parts) => createAccessActions(parts, access),
    handlers: (parts) => [accessHandlers(access), openApiLater(parts), apiZpages(options)],
    ...(kubeletDialer && { kubeletDialer }),
    ...(webhookClient && { webhookClient }),
    ...(auditor && { auditor }),
    ...(checks && { checks }),
  });
}

/** Its texts are large, and most servers never serve them. */
function openApiLater(parts: ServerParts): PathHandler {
  let loaded: Promise<PathHandler> | undefined;
  return (request, url) => {
    if (!url.pathname.startsWith('/openapi/')) return null;
    loaded ??= import('./openapi/openapi-handlers.ts').then(({ openApiHandlers }) =>
      openApiHandlers(parts),
    );
    return loaded.then(
      (handler) => handler(request, url) ?? textResponse(404, '404 page not found\n'),
    );
  };
}
