/**
 * Signs approved certificate requests for the signers of Kubernetes (signer-rules.ts). In Kubernetes,
 * kube-controller-manager does this.
 */
import { formatTime } from '../../api/values/time.ts';
import { defineError, PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import { certificateSigningRequests } from '../kinds/rbac/certificate-signing-request.ts';
import { objectsAt, textAt, valueAt } from '../objects/field-path.ts';
import { readStruct, readTexts } from '../../api/validation/json-reading.ts';
import { nameOf } from '../objects/metadata.ts';
import { prefixOf, type Registry } from '../registry/registry.ts';
import { follow } from '../registry/object-feed.ts';
import type { Controller } from '../controllers/controller.ts';
import { isMissing } from '../controllers/deletion-request.ts';
import { WorkQueue } from '../controllers/work-queue.ts';
import { readCertificate, type Validity } from '../../lib/x509/read-certificate.ts';
import { issueLeaf, type Authority } from './certificate.ts';
import { readPem } from '../../lib/x509/pem.ts';
import { checkSignerRules, SIGNERS } from '../controllers/certificates/signer-rules.ts';
import { usesOfUsages } from './certificate-usages.ts';
import { readSigningRequest, type SigningRequest } from '../../lib/x509/signing-request.ts';

export interface SignerParts {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
}

const SECOND_MS = 1000;
const LIFETIME_MS = 365 * 24 * 60 * 60 * SECOND_MS;
const LIFETIME_MS_MIN = 10 * 60 * SECOND_MS;
const BACKDATED_MS = 5 * 60 * SECOND_MS;
/** Certificates with a shorter lifetime are backdated without shortening it. */
const SHORT_MS = 8 * 60 * 60 * SECOND_MS;

const authorityExpired = defineError<{ time: string }>({
  code: 'AUTHORITY_EXPIRED',
  retry: 'backoff',
  message: ({ time }) => `the certificate authority has expired: NotAfter=${time}`,
  hint: () =>
    'Replace the authority in the folder pki of the data folder, and start podkeep again.',
});

export class CertificateSigner implements Controller {
  readonly #parts: SignerParts;
  readonly #authority: Authority;
  readonly #queue: WorkQueue;
  readonly #leave: () => void;

  constructor(parts: SignerParts, authority: Authority) {
    this.#parts = parts;
    this.#authority = authority;
    const { store, clock, random, log } = parts;
    const work = (name: string): Promise<void> => this.#sign(name);
    this.#queue = new WorkQueue({ clock, random, log, name: 'certificate-signer', work });
    this.#leave = follow(store, prefixOf(certificateSigningRequests, ''), ({ type, value }) => {
      if (type === 'put' && isWaiting(value)) this.#queue.add(nameOf(value));
    });
  }

  async stop(): Promise<void> {
    this.#leave();
    await this.#queue.stop();
  }

  async #sign(name: string): Promise<void> {
    const { registry } = this.#parts;
    const definition = certificateSigningRequests;
    const target = { definition, namespace: '', name, subresource: 'status' };
    try {
      await registry.update({ ...target, change: (old) => this.#answer(old) });
    } catch (error) {
      // Deleted meanwhile: there is nothing left to sign.
      if (!isMissing(error)) throw error;
    }
  }

  #answer(request: JsonObject): JsonObject {
    if (!isWaiting(request)) return request;
    const status = readStruct(request['status']);
    const wanted = readOrRefuse(textAt(request, 'spec.request'));
    const why = typeof wanted === 'string' ? wanted : checkSignerRules(request, wanted);
    if (typeof wanted === 'string' || why !== null) {
      const failed = this.#failure(why ?? '');
      const conditions = [...objectsAt(request, 'status.conditions'), failed];
      return { ...request, status: { ...status, conditions } };
    }
    const certificate = Buffer.from(this.#issue(request, wanted)).toString('base64');
    return { ...request, status: { ...status, certificate } };
  }

  #issue(request: JsonObject, wanted: SigningRequest): string {
    const { random } = this.#parts;
    const { subject, publicKey, altNames } = wanted;
    const uses = usesOfUsages(readTexts(valueAt(request, 'spec.usages')));
    const leaf = { subject, publicKey, altNames, ...uses, ...this.#validity(request) };
    return issueLeaf(this.#authority, leaf, random);
  }

  #validity(request: JsonObject): Validity {
    const nowMs = this.#parts.clock.now();
    const seconds = valueAt(request, 'spec.expirationSeconds');
    const wantedMs = typeof seconds === 'number' ? seconds * SECOND_MS : LIFETIME_MS;
    const lifetimeMs = Math.min(Math.max(wantedMs, LIFETIME_MS_MIN), LIFETIME_MS);
    const lostMs = lifetimeMs < SHORT_MS ? 0 : BACKDATED_MS;
    const authority = readCertificate(readPem('CERTIFICATE', this.#authority.cert));
    if (nowMs >= authority.notAfterMs) {
      throw authorityExpired({ time: formatTime(authority.notAfterMs) });
    }
    return {
      notBeforeMs: nowMs - BACKDATED_MS,
      notAfterMs: Math.min(nowMs + lifetimeMs - lostMs, authority.notAfterMs),
    };
  }

  #failure(message: string): JsonObject {
    const now = formatTime(this.#parts.clock.now());
    return {
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message,
      lastUpdateTime: now,
      lastTransitionTime: now,
    };
  }
}

/** Or the reason why it cannot be parsed. */
function readOrRefuse(encoded: string): SigningRequest | string {
  try {
    return readSigningRequest(encoded);
  } catch (error) {
    if (error instanceof PodkeepError) return error.message;
    throw error;
  }
}

/**
 * Whether the request is approved, neither denied nor failed, not signed yet, and for one of these signers.
 */
function isWaiting(request: JsonObject): boolean {
  const types = new Set(objectsAt(request, 'status.conditions').map(({ type }) => type));
  return (
    SIGNERS.has(textAt(request, 'spec.signerName')) &&
    types.has('Approved') &&
    !types.has('Denied') &&
    !types.has('Failed') &&
    textAt(request, 'status.certificate') === ''
  );
}
