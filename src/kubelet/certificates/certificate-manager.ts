/**
 * Keeps a certificate of the node valid: requests a new one before it expires, and when the node's names or
 * addresses have changed.
 *
 *     wait until core/certificates/rotation.ts decides ──> new key ──> request ──> store ──> in use
 *         ▲                                                   └── failed: wait, try again
 *         └───────────────────────────────────────────────────────────────┘
 *
 *  1. One request is in flight at a time. If meanwhile the node needs a different certificate, the request is
 *     abandoned.
 *  2. A certificate in use is on the disk, with its key.
 *  3. After `stop` nothing is sent and no timer is left.
 */
import {
  isSameTemplate,
  type CertificateTemplate,
} from '../../core/certificates/certificate-template.ts';
import { isExpired, nextRotationStep, retryMs } from '../../core/certificates/rotation.ts';
import type { Signer } from '../../core/certificates/signing-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import { pause } from '../waiting/pause.ts';
import { makeKey, readPair, type CertificatePair } from './certificate-pair.ts';
import { requestCertificate, type Asked } from './certificate-request.ts';
import type { CertificateStore } from './certificate-store.ts';

export interface CertificateManagerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly store: CertificateStore;
  readonly signer: Signer;
  /** What the certificate must contain now. Null: not known yet. */
  readonly template: () => CertificateTemplate | null;
  /** The API client to use: `current` is null while there is no valid certificate. */
  readonly api: (current: CertificatePair | null) => KubeApi | Promise<KubeApi>;
  /** The certificate to start with. */
  readonly initial: CertificatePair | null;
  /** The initial certificate is replaced immediately, whatever it contains. */
  readonly isForced: boolean;
  /** A new certificate is in use; `lifeSeconds` is how long the previous one was in use, if there was one. */
  readonly rotated: (pair: CertificatePair, lifeSeconds: number | null) => void;
  readonly failed: () => void;
  readonly asked: Asked;
}

const WAIT_MS = 15 * 60_000;
/** How often the template is checked for changes. */
const LOOK_MS = 1000;
/** The wall clock may jump, so no sleep is longer. */
const SLEEP_MS_MAX = 60_000;

export class CertificateManager {
  readonly #options: CertificateManagerOptions;
  readonly #abort = new AbortController();
  #pair: CertificatePair | null;
  #isForced: boolean;
  #chance: number;
  #failures = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(options: CertificateManagerOptions) {
    this.#options = options;
    this.#pair = options.initial;
    this.#isForced = options.isForced;
    this.#chance = options.random.next();
  }

  /** Null: there is no valid certificate. */
  current(): CertificatePair | null {
    const pair = this.#pair;
    return pair && !isExpired(pair, this.#options.clock.now()) ? pair : null;
  }

  start(): void {
    this.#work = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('the certificate manager was stopped'));
    await this.#work;
  }

  async #run(): Promise<void> {
    const { clock, random, template } = this.#options;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const facts = { held: this.#pair, wanted: template(), chance: this.#chance };
      const step = nextRotationStep({ ...facts, isForced: this.#isForced }, clock.now());
      if (step.type === 'wait') {
        await pause(clock, this.#sleepMs(step.untilMs), signal);
        continue;
      }
      const outcome = await this.#rotate(step.wanted);
      // A certificate with a very short lifetime may be due for rotation immediately.
      const delayMs = outcome === 'failed' ? retryMs(this.#failures, random.next()) : LOOK_MS;
      await pause(clock, delayMs, signal);
    }
  }

  /** The names and addresses of a serving certificate can change at any time; a client's name never does. */
  #sleepMs(untilMs: number): number {
    const { clock, signer } = this.#options;
    const maxMs = signer === 'kubernetes.io/kubelet-serving' ? LOOK_MS : SLEEP_MS_MAX;
    return Math.min(Math.max(untilMs - clock.now(), 0), maxMs);
  }

  async #rotate(wanted: CertificateTemplate): Promise<'done' | 'failed' | 'outdated'> {
    const { log, store, signer, failed } = this.#options;
    const outdated = new AbortController();
    const stopLooking = this.#whenOutdated(wanted, () => outdated.abort(new Error('outdated')));
    try {
      const signal = AbortSignal.any([this.#abort.signal, outdated.signal]);
      const pair = await this.#request(wanted, signal);
      await store.update(pair);
      this.#use(pair);
      return 'done';
    } catch (error) {
      if (this.#abort.signal.aborted) return 'failed';
      if (outdated.signal.aborted) return 'outdated';
      this.#failures += 1;
      failed();
      log.error('Failed to rotate certificate; retrying', { signer, error });
      return 'failed';
    } finally {
      stopLooking();
    }
  }

  async #request(wanted: CertificateTemplate, signal: AbortSignal): Promise<CertificatePair> {
    const { api, clock, log, signer, asked } = this.#options;
    const key = makeKey();
    const order = { template: wanted, key, signer, name: '', waitMs: WAIT_MS };
    const ports = { api: await api(this.current()), clock, log, asked };
    return readPair(await requestCertificate(ports, order, signal), key, `signer ${signer}`);
  }

  #use(pair: CertificatePair): void {
    const { clock, log, random, signer, rotated } = this.#options;
    const before = this.#pair;
    this.#pair = pair;
    this.#isForced = false;
    this.#failures = 0;
    this.#chance = random.next();
    const lifeMs = before && Math.max(clock.now() - before.notBeforeMs, 0);
    log.info('Certificate rotated', { signer, until: new Date(pair.notAfterMs) });
    rotated(pair, lifeMs === null ? null : lifeMs / 1000);
  }

  /** Calls `notify` once if the template differs from the one that is being requested. */
  #whenOutdated(wanted: CertificateTemplate, notify: () => void): () => void {
    const { clock, template, signer } = this.#options;
    if (signer !== 'kubernetes.io/kubelet-serving') return () => {};
    let cancel = (): void => {};
    const look = (): void => {
      const now = template();
      if (now !== null && !isSameTemplate(now, wanted)) notify();
      else cancel = clock.after(LOOK_MS, look);
    };
    cancel = clock.after(LOOK_MS, look);
    return () => cancel();
  }
}
