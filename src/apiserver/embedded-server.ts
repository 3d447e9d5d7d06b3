/**
 * A whole API server, put together: kinds, users, rules for what comes in, controllers, and the objects
 * that every cluster begins with.
 *
 *     open      the store is there; policy, namespaces and priorities are made or found
 *     announce  a door is open: pods are told where
 *     run       controllers begin, one after the other: each looks at everything that there is
 *     close     controllers first; then nothing follows the store any more
 *
 * It listens nowhere (a door is put before it) and does not own its store.
 */
import type { JsonObject } from '../lib/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { HttpHandler, ClientIdentity } from '../ports/http-handler.ts';
import type { Log } from '../ports/log.ts';
import type { KubeletDialer } from '../ports/kubelet-dialer.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { IdentityRandom } from '../ports/random.ts';
import { nodeTaint } from './admission/node-taint.ts';
import { storageProtection } from './admission/storage-protection.ts';
import { StoredOnly } from './admission/stored-only.ts';
import { ApiServer } from './api-server.ts';
import {
  accessPages,
  createAccess,
  createAccessActions,
  type AccessControl,
  type AccessOptions,
} from './auth/access-control.ts';
import { ClusterRoleAggregator } from './auth/rbac/cluster-role-aggregator.ts';
import { bootstrapKubernetesService, type ServingAddress } from './bootstrap/kubernetes-service.ts';
import { bootstrapNamespaces } from './bootstrap/namespaces.ts';
import { bootstrapPriorityClasses } from './bootstrap/priority-classes.ts';
import { bootstrapPolicy } from './bootstrap/rbac-bootstrap.ts';
import type { ControllerOptions } from './controllers/controllers.ts';
import { EmbeddedControllers } from './embedded-controllers.ts';
import { builtInKinds } from './kinds/built-in-kinds.ts';
import { textPage, type Page } from './page.ts';
import { CertificateSigner } from './pki/certificate-signer.ts';
import type { ServerParts } from './server-parts.ts';

export interface EmbeddedServerOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** What `/version` says. */
  readonly version: JsonObject;
  readonly access: AccessOptions;
  /** The authority that signed the certificate of the door, as PEM; pods are given it. */
  readonly caCert: string;
  /** Its key, with which approved requests for certificates are signed. Absent: others sign them. */
  readonly caKey?: string;
  /** Those that run; absent: all. */
  readonly controllers?: ControllerOptions['controllers'];
  /** The way to kubelets and pods; absent: exec and its like are answered with 503. */
  readonly kubeletDialer?: KubeletDialer;
}

export interface EmbeddedServer extends HttpHandler {
  readonly parts: ServerParts;
  /** In the shapes of the fetch standard, for callers in this process. */
  fetch(request: Request, clientIdentity?: ClientIdentity): Promise<Response>;
  /** Tells pods where the server is found. */
  announce(address: ServingAddress): Promise<void>;
  /** Lets the controllers begin, in turns of their own, so that requests are answered in between. */
  run(): void;
  close(): Promise<void>;
}

export async function openEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const access = createAccess(options, options.access);
  const server = createServer(options, access);
  const { parts } = server;
  // One after the other into the store, and together onto the disk.
  await Promise.all([
    bootstrapNamespaces(parts),
    bootstrapPriorityClasses(parts),
    bootstrapPolicy(parts),
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
      await Promise.all([controllers, ...others].map((one) => one.stop()));
      access.stop();
    },
  };
}

function createServer(options: EmbeddedServerOptions, access: AccessControl): ApiServer {
  const { store, clock, random, log, version, kubeletDialer } = options;
  return new ApiServer({
    store,
    clock,
    random,
    log,
    version,
    kinds: builtInKinds,
    access: () => access,
    admission: [...access.admission, nodeTaint, storageProtection, new StoredOnly(store, clock)],
    actions: (parts) => createAccessActions(parts, access),
    pages: (parts) => [accessPages(access), openApiLater(parts)],
    ...(kubeletDialer && { kubeletDialer }),
  });
}

/** Its texts are large, and a server that nobody asks to explain its kinds has no use for them. */
function openApiLater(parts: ServerParts): Page {
  let loaded: Promise<Page> | undefined;
  return (request, url) => {
    if (!url.pathname.startsWith('/openapi/')) return null;
    loaded ??= import('./openapi/openapi-pages.ts').then(({ openApiPages }) => openApiPages(parts));
    return loaded.then((page) => page(request, url) ?? textPage(404, '404 page not found\n'));
  };
}
