/** An API server with authentication, and helpers for requests of several users. */
import { generateKeyPairSync } from 'node:crypto';

import { ApiServer } from '../../src/apiserver/http/api-server.ts';
import type { User, ClientIdentity } from '../../src/apiserver/objects/access.ts';
import {
  accessHandlers,
  createAccess,
  createAccessActions,
  type AuthorizationMode,
} from '../../src/apiserver/auth/access-control.ts';
import { bootstrapPolicy } from '../../src/apiserver/bootstrap/rbac-bootstrap.ts';
import { builtInKinds } from '../../src/apiserver/kinds/built-in-kinds.ts';
import { openMemoryStore } from '../../src/apiserver/store/memory-store.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { silentLog } from '../support/silent-ports.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export interface Answer {
  readonly code: number;
  readonly body: Body;
}

/** Answers are looked into without much ceremony. */
export interface Body extends JsonObject {
  readonly metadata: JsonObject;
  readonly message: string;
  readonly reason: string;
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

export const ADMIN_TOKEN = 'the-admin-token';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export class AccessHarness {
  readonly clock = new VirtualClock();
  readonly store = openMemoryStore({ clock: this.clock, log: silentLog });
  readonly access;
  readonly server;

  constructor(mode: AuthorizationMode) {
    const ports = { store: this.store, clock: this.clock, random: seededRandom(7), log: silentLog };
    const options = { adminTokens: [ADMIN_TOKEN], signingKey: privateKey, mode };
    const access = createAccess(ports, options);
    this.access = access;
    this.server = new ApiServer({
      ...ports,
      kinds: builtInKinds,
      version: { major: '1', minor: '36' },
      access: () => access,
      admission: access.admission,
      actions: (parts) => createAccessActions(parts, access),
      handlers: () => [accessHandlers(access)],
    });
  }

  static async open(mode: AuthorizationMode = 'RBAC'): Promise<AccessHarness> {
    const harness = new AccessHarness(mode);
    await bootstrapPolicy(harness.server.parts);
    for (const name of ['default', 'kube-system', 'kube-node-lease', 'other']) {
      await harness.admin('POST', '/api/v1/namespaces', { metadata: { name } });
      const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
      await harness.admin('POST', accounts, { metadata: { name: 'default' } });
    }
    return harness;
  }

  admin(method: string, path: string, body?: JsonObject): Promise<Answer> {
    return this.send(method, path, body, { authorization: `Bearer ${ADMIN_TOKEN}` });
  }

  /** As a user that the caller has authenticated. */
  as(user: User | string, method: string, path: string, body?: JsonObject): Promise<Answer> {
    const groups = ['system:authenticated'];
    const clientIdentity = { user: typeof user === 'string' ? { name: user, groups } : user };
    return this.send(method, path, body, {}, clientIdentity);
  }

  node(name: string, method: string, path: string, body?: JsonObject): Promise<Answer> {
    const groups = ['system:nodes', 'system:authenticated'];
    return this.as({ name: `system:node:${name}`, groups }, method, path, body);
  }

  async send(
    method: string,
    path: string,
    body?: JsonObject,
    headers: Readonly<Record<string, string>> = {},
    clientIdentity: ClientIdentity = {},
  ): Promise<Answer> {
    const response = await this.fetch(method, path, body, headers, clientIdentity);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { code: response.status, body: (isJson ? JSON.parse(text) : { message: text }) as Body };
  }

  fetch(
    method: string,
    path: string,
    body?: JsonObject,
    headers: Readonly<Record<string, string>> = {},
    clientIdentity: ClientIdentity = {},
  ): Promise<Response> {
    const request = new Request(`https://podkeep${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return this.server.fetch(request, clientIdentity);
  }

  /** Gives a user these rights everywhere. */
  async allow(user: string, ...rules: readonly JsonObject[]): Promise<void> {
    await this.admin('POST', `${RBAC}/clusterroles`, { metadata: { name: `of-${user}` }, rules });
    await this.admin('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: `of-${user}` },
      roleRef: clusterRole(`of-${user}`),
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
    });
  }

  async requestToken(spec: JsonObject = {}, account = 'default'): Promise<Answer> {
    return this.admin('POST', `${ACCOUNTS}/${account}/token`, { spec });
  }
}

export const RBAC = '/apis/rbac.authorization.k8s.io/v1';
export const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
export const PODS = '/api/v1/namespaces/default/pods';

export function clusterRole(name: string): JsonObject {
  return { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
}
