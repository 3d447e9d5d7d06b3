/**
 * Provides the credentials of podkeep for each request to the API server.
 *
 * Files with tokens and certificates may be replaced while podkeep runs: they are read again every minute,
 * and immediately after the server refuses them. If a file cannot be read at that moment (it is being
 * replaced), the last contents stay in use. The answer of a plugin is used until it expires.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isUntrusted, readTrustedFile } from '../../lib/trusted-file.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PemSource, UserAccess } from './cluster-access.ts';
import { askExecPlugin } from './exec-plugin.ts';
import { credentialsUnavailable } from './kubeconfig-errors.ts';

export interface Identity {
  /** The value of the Authorization header. */
  readonly authorization?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface Credentials {
  current(): Promise<Identity>;
  /** Call when the server answered 401 to this identity. */
  refused(identity: Identity): void;
}

export interface CredentialsPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** The environment for plugins. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * A client certificate that another part of podkeep renews, read at each request. While there is one, it is
   * the only credential. Null: there is none, and the user of the kubeconfig applies.
   */
  readonly certificate?: () => ShownCertificate | null;
}

/** Certificate and key as PEM. */
export interface ShownCertificate {
  readonly cert: string;
  readonly key: string;
}

const REREAD_MS = 60_000;
const PLUGIN_MS_MAX = 60_000;
/**
 * The minimum time between reloads after refusals: a server that refuses every request must not cause a
 * plugin run for each.
 */
const REFUSED_MS_MIN = 10_000;

export function credentialsOf(user: UserAccess, ports: CredentialsPorts): Credentials {
  const own = new RenewedCredentials(user, ports);
  const { certificate } = ports;
  if (!certificate) return own;
  return {
    current(): Promise<Identity> {
      const shown = certificate();
      return shown ? Promise.resolve({ cert: shown.cert, key: shown.key }) : own.current();
    },
    refused: (identity) => own.refused(identity),
  };
}

interface Loaded {
  readonly identity: Identity;
  readonly atMs: number;
  readonly freshMs: number;
}

class RenewedCredentials implements Credentials {
  readonly #user: UserAccess;
  readonly #ports: CredentialsPorts;
  #loaded: Loaded | null = null;
  #loading: Promise<Identity> | null = null;

  constructor(user: UserAccess, ports: CredentialsPorts) {
    this.#user = user;
    this.#ports = ports;
  }

  current(): Promise<Identity> {
    const nowMs = this.#ports.clock.monotonic();
    const loaded = this.#loaded;
    if (loaded && nowMs - loaded.atMs < loaded.freshMs) return Promise.resolve(loaded.identity);
    // Concurrent requests share one load.
    this.#loading ??= this.#load(loaded).finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  refused(identity: Identity): void {
    const loaded = this.#loaded;
    if (loaded?.identity !== identity) return; // it has been replaced since
    this.#loaded = { ...loaded, freshMs: Math.min(loaded.freshMs, REFUSED_MS_MIN) };
  }

  async #load(before: Loaded | null): Promise<Identity> {
    const { clock, log } = this.#ports;
    try {
      const { identity, freshMs } = await this.#ask();
      // An unchanged identity stays the same object, so that connections are kept.
      const isSame = before !== null && isSameIdentity(before.identity, identity);
      const kept = isSame ? before.identity : identity;
      this.#loaded = { identity: kept, freshMs, atMs: clock.monotonic() };
      return kept;
    } catch (error) {
      if (!before || this.#user.exec) throw error;
      log.warn('Failed to reload credentials; using the old ones', { error });
      this.#loaded = { ...before, atMs: clock.monotonic(), freshMs: REFUSED_MS_MIN };
      return before.identity;
    }
  }

  async #ask(): Promise<{ readonly identity: Identity; readonly freshMs: number }> {
    const { token, tokenFile, basic, certificate, key, exec } = this.#user;
    if (exec) return this.#askPlugin(exec);
    const isFile = [certificate, key].some((source) => source && 'file' in source);
    const authorization =
      tokenFile !== undefined
        ? `Bearer ${readCredential(tokenFile).trim()}`
        : token !== undefined
          ? `Bearer ${token}`
          : basic &&
            `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
    const pems = certificate && key && (await readPems(certificate, key));
    return {
      identity: { ...(authorization !== undefined && { authorization }), ...pems },
      freshMs: tokenFile !== undefined || isFile ? REREAD_MS : Number.POSITIVE_INFINITY,
    };
  }

  async #askPlugin(
    plugin: NonNullable<UserAccess['exec']>,
  ): Promise<{ readonly identity: Identity; readonly freshMs: number }> {
    const { clock, environment } = this.#ports;
    const abort = new AbortController();
    const cancelTimer = clock.after(PLUGIN_MS_MAX, () => abort.abort());
    try {
      const asked = await askExecPlugin(plugin, environment, abort.signal);
      const { identity, expiresAtMs } = asked;
      const freshMs = expiresAtMs === null ? Number.POSITIVE_INFINITY : expiresAtMs - clock.now();
      return { identity, freshMs };
    } finally {
      cancelTimer();
    }
  }
}

function isSameIdentity(a: Identity, b: Identity): boolean {
  return a.authorization === b.authorization && a.cert === b.cert && a.key === b.key;
}

/**
 * Certificate and key are often replaced one after the other: a pair that does not match is refused, and read
 * again soon.
 */
async function readPems(certificate: PemSource, key: PemSource): Promise<ShownCertificate> {
  const pems = { cert: await readPem(certificate), key: await readPem(key) };
  if ('file' in certificate && !isPair(pems)) {
    throw unavailable(certificate.file, 'it and its private key do not belong together');
  }
  return pems;
}

function isPair({ cert, key }: ShownCertificate): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false; // half of a file, or something else
  }
}

function readPem(source: PemSource): string | Promise<string> {
  return 'pem' in source ? source.pem : readCredential(source.file);
}

function readCredential(file: string): string {
  try {
    const text = readTrustedFile(file);
    if (text.trim() !== '') return text;
  } catch (error) {
    if (isUntrusted(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw unavailable(file, reason, error);
  }
  throw unavailable(file, 'it is empty');
}

function unavailable(file: string, reason: string, cause?: unknown): Error {
  const hint = 'Check that it exists and that this user may read it.';
  return credentialsUnavailable({ from: file, reason, hint }, cause);
}
