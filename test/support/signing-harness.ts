/**
 * The part of an API server that answers certificate requests, with a signer for what is approved, and
 * faults on order.
 */
import { issueLeaf } from '../../src/apiserver/pki/certificate.ts';
import { createAuthority } from '../../src/apiserver/pki/pki.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { readSigningRequest } from '../../src/lib/x509/signing-request.ts';
import { seededRandom } from '../../src/platform/seeded-random.ts';
import { ApiError } from '../../src/ports/api/api-client.ts';
import type { KubeApi, KubeRequest, KubeWatchEvent } from '../../src/ports/api/kube-api.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface SignedRequest {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: {
    readonly request: string;
    readonly signerName: string;
    readonly usages: readonly string[];
  };
  readonly status: JsonObject;
}

const HOUR_MS = 3_600_000;
const AUTHORITY = await createAuthority({ clock: new VirtualClock(), random: seededRandom(2) });

export class SigningHarness implements KubeApi {
  readonly requests: SignedRequest[] = [];
  readonly sent: string[] = [];
  /** Thrown instead of an answer. */
  fault: (request: KubeRequest) => Error | undefined = () => undefined;
  /** Every request is approved as it arrives. */
  isGenerous = false;
  lifeMs = HOUR_MS;
  readonly #clock: VirtualClock;
  readonly #random = seededRandom(3);
  readonly #watches = new Set<(event: KubeWatchEvent | null) => void>();
  #count = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  async send(request: KubeRequest): Promise<JsonObject> {
    const { method, path, query = {} } = request;
    this.sent.push(`${method} ${path.split('/').at(-1)}`);
    const fault = this.fault(request);
    if (fault) throw fault;
    if (method === 'POST') return this.#create(request.body);
    if (path.endsWith('/certificatesigningrequests')) {
      const name = query['fieldSelector']?.split('=')[1];
      const items = this.requests.filter(({ metadata }) => metadata.name === name);
      return { metadata: { resourceVersion: '1' }, items: items.map(asJson) };
    }
    return asJson(this.find(decodeURIComponent(path.split('/').at(-1) ?? '')));
  }

  async *watch(
    _path: string,
    _query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<KubeWatchEvent> {
    const events: (KubeWatchEvent | null)[] = [];
    let wake = (): void => {};
    const hear = (event: KubeWatchEvent | null): void => {
      events.push(event);
      wake();
    };
    this.#watches.add(hear);
    signal.addEventListener('abort', () => wake());
    try {
      while (true) {
        while (events.length === 0 && !signal.aborted) {
          await new Promise<void>((resolve) => (wake = resolve));
        }
        if (signal.aborted) throw signal.reason;
        const event = events.shift() ?? null;
        if (event === null) return;
        yield event;
      }
    } finally {
      this.#watches.delete(hear);
    }
  }

  get watches(): number {
    return this.#watches.size;
  }

  cutWatches(): void {
    for (const hear of this.#watches) hear(null);
  }

  find(name: string): SignedRequest {
    const found = this.requests.find(({ metadata }) => metadata.name === name);
    if (!found) throw refusal(404, 'NotFound');
    return found;
  }

  approve({ metadata: { name } }: SignedRequest): void {
    const { spec } = this.find(name);
    const { subject, publicKey, altNames } = readSigningRequest(spec.request);
    const nowMs = this.#clock.now();
    const uses = [spec.usages.includes('server auth') ? ('server' as const) : ('client' as const)];
    const validity = { notBeforeMs: nowMs, notAfterMs: nowMs + this.lifeMs };
    const leaf = { subject, publicKey, altNames, uses, ...validity };
    const pem = issueLeaf(AUTHORITY, leaf, this.#random);
    const certificate = Buffer.from(pem).toString('base64');
    this.answer(name, { conditions: [{ type: 'Approved', status: 'True' }], certificate });
  }

  answer(name: string, status: JsonObject): void {
    const found = this.find(name);
    const answered = { ...found, status };
    this.requests.splice(this.requests.indexOf(found), 1, answered);
    for (const hear of this.#watches) hear({ type: 'MODIFIED', object: asJson(answered) });
  }

  remove(name: string): void {
    const found = this.find(name);
    this.requests.splice(this.requests.indexOf(found), 1);
    for (const hear of this.#watches) hear({ type: 'DELETED', object: asJson(found) });
  }

  #create(body: unknown): JsonObject {
    const { metadata, spec } = body as SignedRequest;
    this.#count += 1;
    const name = metadata.name ?? `csr-${this.#count}`;
    if (this.requests.some((one) => one.metadata.name === name)) {
      throw refusal(409, 'AlreadyExists');
    }
    const request = { metadata: { name, uid: `uid-${this.#count}` }, spec, status: {} };
    this.requests.push(request);
    if (this.isGenerous) this.approve(request);
    return asJson(request);
  }
}

export function refusal(statusCode: number, reason: string): ApiError {
  return new ApiError({ statusCode, reason, message: reason });
}

function asJson(request: SignedRequest): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(request));
  if (!isJsonObject(copy)) throw new Error('a request is an object');
  return copy;
}
