/**
 * A complete API server: kinds, authentication, authorization, admission, controllers, and the objects that
 * every cluster starts with.
 *
 *     open      RBAC policy, namespaces and priority classes are created if they are missing
 *     announce  the listener is open: the Service `kubernetes` gets its address
 *     run       controllers start, one after the other: each lists all objects
 *     close     controllers stop first; then nothing follows the store any more
 *
 * It does not listen itself (the caller puts a listener in front of it), and does not own its store.
 */
import type { HealthCheck } from '../lib/health-report.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { HttpHandler, ClientIdentity } from '../ports/api/http-handler.ts';
import type { Log } from '../ports/log.ts';
import type { KubeletDialer } from '../ports/api/kubelet-dialer.ts';
import type { ObjectStore } from '../ports/api/object-store.ts';
import type { LocalVolumes } from '../ports/local-volumes.ts';
import type { WebhookClient } from '../ports/api/webhook-client.ts';
import type { IdentityRandom } from '../ports/random.ts';
import { nodeTaint } from './admission/node-taint.ts';
import { storageProtection } from './admission/storage-protection.ts';
import { StoredOnly } from './admission/stored-only.ts';
import type { OpenFrontProxy } from './aggregation/front-proxy.ts';
import { LocalApis } from './aggregation/local-apis.ts';
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
import { bootstrapDefaultStorageClass } from './bootstrap/default-storage-class.ts';
import { bootstrapKubernetesService, type ServingAddress } from './bootstrap/kubernetes-service.ts';
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
  /** The response of `/version`. */
  readonly version: JsonObject;
  readonly access: AccessOptions;
  /** The CA that signed the listener's certificate, as PEM; pods get it. */
  readonly caCert: string;
  /** The CA's key, which signs approved CertificateSigningRequests. Absent: another signer does. */
  readonly caKey?: string;
  /** The controllers to run. Absent: all. */
  readonly controllers?: ControllerOptions['controllers'];
  /** From which nodes get addresses for their pods; absent: they get none. */
  readonly nodeCidrs?: ControllerOptions['nodeCidrs'];
  /** The folders of the local provisioner; absent: there is none, and no default StorageClass. */
  readonly localVolumes?: LocalVolumes;
  /** The connections to kubelets and pods; absent: exec and the like are answered with 503. */
  readonly kubeletDialer?: KubeletDialer;
  /** Absent: webhooks cannot be called, and their failure policy decides. */
  readonly webhookClient?: WebhookClient;
  /** The identity for aggregated API servers; absent: APIServices with a Service are not available. */
  readonly frontProxy?: OpenFrontProxy;
  /** Absent: no request is audited. */
  readonly auditor?: Auditor;
  /** Additional health checks, evaluated for each request. Absent: none. */
  readonly checks?: () => readonly HealthCheck[];
  /** The command line's flags, for /flagz. Absent: /flagz is not served. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Handles paths that no resource has, after authorization; absent: none but its own. */
  readonly handler?: PathHandler;
}

export interface EmbeddedServer extends HttpHandler {
  readonly parts: ServerParts;
  /** The same with the types of the fetch standard, for callers in this process. */
  fetch(request: Request, clientIdentity?: ClientIdentity): Promise<Response>;
  /** Publishes the server's address to pods. */
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
  const runs = (name: string): boolean => options.controllers?.has(name) ?? true;
  const hasProvisioner = options.localVolumes !== undefined && runs('persistentvolume-binder');
  // One after the other into the store, and together onto the disk.
  await Promise.all([
    bootstrapNamespaces(parts).then(() =>
      hasProvisioner ? bootstrapDefaultStorageClass(parts) : undefined,
    ),
    bootstrapPriorityClasses(parts),
    bootstrapPolicy(parts),
  ]);
  const controllers = new EmbeddedControllers(parts, {
    certificatePem: options.caCert,
    makeToken: (account, secret) => access.makeSecretToken(account, secret),
    authorize: (user, attributes) => access.authorize(user, attributes),
    ...(options.controllers && { controllers: options.controllers }),
    ...(options.nodeCidrs && { nodeCidrs: options.nodeCidrs }),
    ...(options.localVolumes && { localVolumes: options.localVolumes }),
  });
  const { caCert: cert, caKey: key } = options;
  const others = [
    ...(runs('cluster-role-aggregation') ? [new ClusterRoleAggregator(parts)] : []),
    ...(runs('certificate-signer') && key !== undefined
      ? [new CertificateSigner(parts, { cert, key })]
      : []),
  ];
  const localApis = new LocalApis(parts, { clientCa: cert, frontProxy: options.frontProxy });
  return {
    parts,
    fetch: (request, clientIdentity) => server.fetch(request, clientIdentity),
    answer: (request, clientIdentity) => server.answer(request, clientIdentity),
    connect: (request, connection, clientIdentity) =>
      server.connect(request, connection, clientIdentity),
    announce: (address) => bootstrapKubernetesService(parts, address),
    run: () => {
      controllers.begin();
      localApis.begin();
      server.aggregation.run();
    },
    close: async () => {
      collector?.stop();
      isClosing = true;
      const { aggregation } = server;
      await Promise.all([controllers, localApis, aggregation, ...others].map((one) => one.stop()));
      access.stop();
    },
  };
}

/** Without a dialer for kubelets, the server has no metrics to serve. */
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
    handlers: (parts) => [
      accessHandlers(access),
      openApiLater(parts),
      apiZpages(options),
      ...(options.handler ? [options.handler] : []),
    ],
    ...(kubeletDialer && { kubeletDialer }),
    ...(webhookClient && { webhookClient }),
    ...(options.frontProxy && { frontProxy: options.frontProxy }),
    ...(auditor && { auditor }),
    ...(checks && { checks }),
  });
}

/** Loaded at the first request: the OpenAPI texts are large, and most servers never serve them. */
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
