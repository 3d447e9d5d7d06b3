/**
 * Creates a CertificateSigningRequest, and waits until it is signed or refused.
 *
 *     POST ──> list and watch that one request ──> issued: the certificate
 *       └─ the name exists: if it is podkeep's own request, from before a crash, wait for that one
 *
 * A watch that ends or breaks is restarted with a list, so that no change is missed.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { retryMs } from '../../core/certificates/rotation.ts';
import type { CertificateTemplate } from '../../core/certificates/certificate-template.ts';
import {
  requestObject,
  REQUESTS_PATH,
  requestStateOf,
  type Signer,
  type RequestState,
} from '../../core/certificates/signing-request.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { writeSigningRequest } from '../../lib/x509/write-signing-request.ts';
import { ApiError } from '../../ports/api/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import { pause } from '../waiting/pause.ts';
import { certificateOverdue, certificateRefused } from './certificate-errors.ts';
import { checkIsOurs } from './request-check.ts';

export interface RequestPorts {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when a request was sent, because an administrator may have to approve it. */
  readonly asked: Asked;
}

export type Asked = (request: string, signer: Signer) => void;

export interface CertificateOrder {
  readonly template: CertificateTemplate;
  /** PEM of the private key. */
  readonly key: string;
  readonly signer: Signer;
  /** Empty: the API server chooses one. With a name, an existing request is used. */
  readonly name: string;
  /** How long to wait for the certificate. */
  readonly waitMs: number;
}

const WATCH_SECONDS = 60;
/** The server should have ended the watch by then: the connection is dead. */
const WATCH_MS_MAX = 75_000;
const CONFLICT = 409;

/** PEM. Throws CERTIFICATE_REFUSED, CERTIFICATE_OVERDUE, CERTIFICATE_REQUEST_TAKEN, or the API's error. */
export async function requestCertificate(
  ports: RequestPorts,
  order: CertificateOrder,
  signal: AbortSignal,
): Promise<string> {
  const sent = await send(ports, order, signal);
  const { name, uid } = identityOf(sent);
  ports.asked(name, order.signer);
  const overdue = new AbortController();
  const cancel = ports.clock.after(order.waitMs, () => {
    overdue.abort(certificateOverdue({ request: name, seconds: order.waitMs / 1000 }));
  });
  try {
    const bounded = AbortSignal.any([signal, overdue.signal]);
    return await new AnswerWait(ports, name, uid, bounded).run();
  } finally {
    cancel();
  }
}

async function send(
  { api, clock, log }: RequestPorts,
  { template, key, signer, name }: CertificateOrder,
  signal: AbortSignal,
): Promise<JsonObject> {
  const privateKey = createPrivateKey(key);
  const { commonName, organizations, dnsNames, addresses } = template;
  const subject = { commonName, organizations };
  const pem = writeSigningRequest({ subject, dnsNames, addresses }, privateKey);
  const isRsa = privateKey.asymmetricKeyType === 'rsa';
  const body = requestObject({ name, signer, isRsa }, Buffer.from(pem).toString('base64'));
  try {
    return await api.send({ method: 'POST', path: REQUESTS_PATH, body }, signal);
  } catch (error) {
    const isThere = error instanceof ApiError && error.statusCode === CONFLICT && name !== '';
    if (!isThere) throw error;
  }
  const path = `${REQUESTS_PATH}/${encodeURIComponent(name)}`;
  const found = await api.send({ method: 'GET', path }, signal);
  checkIsOurs(found, { name, signer, subject, publicKey: publicBytes(privateKey) }, clock.now());
  log.info('CSR for this node already exists, reusing', { request: name });
  return found;
}

class AnswerWait {
  readonly #ports: RequestPorts;
  readonly #name: string;
  readonly #uid: string;
  readonly #signal: AbortSignal;

  constructor(ports: RequestPorts, name: string, uid: string, signal: AbortSignal) {
    this.#ports = ports;
    this.#name = name;
    this.#uid = uid;
    this.#signal = signal;
  }

  async run(): Promise<string> {
    const { clock, log } = this.#ports;
    for (let failures = 0; ;) {
      this.#signal.throwIfAborted();
      try {
        const certificate = await this.#look();
        if (certificate !== null) return certificate;
        failures = 0;
      } catch (error) {
        if (this.#signal.aborted) throw this.#signal.reason;
        if (error instanceof FinalAnswer) throw error.cause;
        failures += 1;
        log.debug('Failed to watch certificate signing request', { request: this.#name, error });
      }
      await pause(clock, retryMs(Math.max(failures, 1), 0), this.#signal);
    }
  }

  /** Null: the watch ended before there was an answer. */
  async #look(): Promise<string | null> {
    const { api, clock } = this.#ports;
    const fieldSelector = `metadata.name=${this.#name}`;
    const list = await api.send(
      { method: 'GET', path: REQUESTS_PATH, query: { fieldSelector } },
      this.#signal,
    );
    const [item] = Array.isArray(list['items']) ? list['items'] : [];
    const known = this.#evaluate(isJsonObject(item) ? item : null);
    if (known !== null) return known;
    const resourceVersion = versionOf(list);
    const query = { fieldSelector, resourceVersion, timeoutSeconds: String(WATCH_SECONDS) };
    const silent = new AbortController();
    const cancel = clock.after(WATCH_MS_MAX, () =>
      silent.abort(new Error('the watch sent no events')),
    );
    try {
      const signal = AbortSignal.any([this.#signal, silent.signal]);
      for await (const { type, object } of api.watch(REQUESTS_PATH, query, signal)) {
        if (type === 'ERROR') return null;
        if (type === 'BOOKMARK') continue;
        const certificate = this.#evaluate(type === 'DELETED' ? null : object);
        if (certificate !== null) return certificate;
      }
      return null;
    } finally {
      cancel();
    }
  }

  /** The certificate; null: not yet. `request` is null if it does not exist any more. */
  #evaluate(request: JsonObject | null): string | null {
    const state: RequestState = request
      ? requestStateOf(request, this.#uid)
      : { type: 'lost', reason: 'it was deleted' };
    switch (state.type) {
      case 'waiting':
        return null;
      case 'issued':
        return Buffer.from(state.base64, 'base64').toString();
      case 'lost':
        return this.#refuse('is lost', state.reason);
      case 'denied':
      case 'failed':
        return this.#refuse(
          state.type === 'denied' ? 'was denied' : 'could not be signed',
          [state.reason, state.message].filter((word) => word !== '').join(', '),
        );
    }
  }

  #refuse(how: string, reason: string): never {
    throw new FinalAnswer(certificateRefused({ request: this.#name, how, reason }));
  }
}

/** A final refusal, which is not retried; other errors are those of a broken watch, and are retried. */
class FinalAnswer extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

function publicBytes(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
}

function identityOf({ metadata }: JsonObject): { readonly name: string; readonly uid: string } {
  const { name, uid } = isJsonObject(metadata) ? metadata : {};
  return { name: textOf(name), uid: textOf(uid) };
}

function versionOf({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? textOf(metadata['resourceVersion']) : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
