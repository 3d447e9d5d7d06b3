/** An API server with a client for webhooks, and a webhook server over TLS with a certificate of its own. */
import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { readPolicy } from '../../../src/apiserver/audit/policy.ts';
import { ApiServer } from '../../../src/apiserver/http/api-server.ts';
import { Auditor } from '../../../src/apiserver/http/auditor.ts';
import { builtInKinds } from '../../../src/apiserver/kinds/built-in-kinds.ts';
import { issueAuthority, issueLeaf } from '../../../src/apiserver/pki/certificate.ts';
import { openMemoryStore } from '../../../src/apiserver/store/memory-store.ts';
import { createWebhookClient } from '../../../src/client/webhook-client.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { altNamesOf } from '../../../src/lib/x509/extensions.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import { systemClock } from '../../../src/platform/system-clock.ts';
import type { ObjectStore } from '../../../src/ports/api/object-store.ts';
import type { IdentityRandom } from '../../../src/ports/random.ts';
import { listen } from '../../support/loopback.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const SERVICE_NAME = 'hook.default.svc';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DAY_MS = 86_400_000;
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};

const random = seededRandom(5);
const validity = {
  notBeforeMs: systemClock.now() - DAY_MS,
  notAfterMs: systemClock.now() + DAY_MS,
};

function makeKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const caKeys = makeKeys();
export const CA = {
  cert: issueAuthority('webhooks', caKeys, validity, random),
  key: caKeys.privateKey,
};
const keys = makeKeys();
const subject = { commonName: 'hook', organizations: [] };
const altNames = altNamesOf([SERVICE_NAME], ['127.0.0.1']);
const cert = issueLeaf(
  CA,
  { ...validity, subject, publicKey: keys.publicKey, uses: ['server'], altNames },
  random,
);

export interface Review extends JsonObject {
  readonly request: JsonObject & { readonly uid: string; readonly object: JsonObject };
}

/** What the webhook answers; null: it never does. */
export type Answering = (review: Review, path: string) => JsonObject | string | null;

export interface Reply {
  readonly code: number;
  readonly body: JsonObject & { readonly message: string; readonly data: JsonObject };
  readonly warnings: string | null;
}

export class WebhookHarness {
  readonly clock = new VirtualClock();
  readonly reviews: readonly Review[];
  readonly store: ObjectStore;
  readonly server;
  readonly port;
  readonly #audited: string[] = [];
  readonly #auditor: Auditor;

  private constructor(port: number, reviews: readonly Review[], identities: IdentityRandom) {
    this.port = port;
    this.reviews = reviews;
    const client = createWebhookClient(this.clock);
    onTestFinished(() => client.close());
    this.store = openMemoryStore({ clock: this.clock, log: silentLog });
    const { store } = this;
    this.#auditor = new Auditor({
      policy: readPolicy(AUDIT_POLICY),
      format: 'json',
      clock: this.clock,
      random: seededRandom(3),
      log: silentLog,
      write: async (lines) => void this.#audited.push(...lines),
    });
    this.server = new ApiServer({
      store,
      clock: this.clock,
      random: identities,
      log: silentLog,
      kinds: builtInKinds,
      version: { major: '1', minor: '36' },
      webhookClient: client,
      auditor: this.#auditor,
      kubeletDialer: {
        loopbackAddressesOf: async (_namespace, name) => (name === 'hook' ? ['127.0.0.1'] : []),
        fetch: async () => ({ status: 200, headers: [], body: 'reached' }),
        connect: async () => {},
      },
    });
  }

  static async open(answer: Answering, identities = seededRandom(1)): Promise<WebhookHarness> {
    const reviews: Review[] = [];
    const server = createServer({ cert, key: keys.privateKey }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
        reviews.push({ ...review, headers: headersOf(request) });
        const given = answer(review, request.url ?? '');
        if (given === null) return;
        if (typeof given === 'string') {
          response.writeHead(302, { location: given }).end();
          return;
        }
        const response1 = { uid: review.request.uid, ...given };
        const { apiVersion, kind } = review;
        response.end(JSON.stringify({ apiVersion, kind, response: response1 }));
      });
    });
    const harness = new WebhookHarness(await listen(server), reviews, identities);
    await harness.send('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    return harness;
  }

  async send(method: string, path: string, body?: JsonObject, type = 'json'): Promise<Reply> {
    const response = await this.server.fetch(
      new Request(`http://podkeep${path}`, {
        method,
        headers: { 'content-type': `application/${type}`, authorization: 'Bearer secret' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return {
      code: response.status,
      body: (text.startsWith('{') ? JSON.parse(text) : { message: text }) as Reply['body'],
      warnings: response.headers.get('warning'),
    };
  }

  /** Configures a webhook for ConfigMaps, called by URL. */
  configure(kind: 'Mutating' | 'Validating', fields: JsonObject = {}, name = 'a'): Promise<Reply> {
    const webhook = {
      name: `${name}.example.com`,
      clientConfig: {
        url: `https://127.0.0.1:${this.port}/${name}`,
        caBundle: Buffer.from(CA.cert).toString('base64'),
      },
      rules: [ruleFor('configmaps')],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...fields,
    };
    const path = `${CONFIGURATIONS}/${kind.toLowerCase()}webhookconfigurations`;
    return this.send('POST', path, { metadata: { name }, webhooks: [webhook] });
  }

  /** The annotations of the last audit event, without those of the authorizer. */
  async lastAnnotations(): Promise<JsonObject> {
    await this.#auditor.close();
    const { annotations = {} } = JSON.parse(this.#audited.at(-1) ?? '{}') as {
      annotations?: JsonObject;
    };
    const own = Object.entries(annotations).filter(([key]) => !key.startsWith('authorization.'));
    return Object.fromEntries(own);
  }

  create(name: string, more: JsonObject = {}): Promise<Reply> {
    return this.send('POST', CONFIG_MAPS, { metadata: { name }, ...more });
  }
}

function headersOf({ headers }: IncomingMessage): JsonObject {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

export function ruleFor(resource: string, operations: readonly string[] = ['*']): JsonObject {
  return { apiGroups: ['*'], apiVersions: ['*'], resources: [resource], operations };
}

export function patchWith(operations: readonly JsonObject[]): JsonObject {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patch, patchType: 'JSONPatch' };
}
