/**
 * Opens the HTTPS listener of the kubelet's server, with its serving certificate and the authority that signs
 * client certificates. Both can change while the listener is open. The configuration decides where the
 * serving certificate comes from:
 *
 *     serverTLSBootstrap           the cluster signs it; until then every handshake fails
 *     tlsCertFile, …PrivateKeyFile files that an administrator replaces
 *     neither                      self-signed, or signed by the cluster in this process
 */
import type { Authority } from '../../../apiserver/pki/certificate.ts';
import { createAuthority, issueNodeCertificate } from '../../../apiserver/pki/pki.ts';
import { readPair } from '../../../kubelet/certificates/certificate-pair.ts';
import { WatchedFiles } from '../../../kubelet/certificates/watched-files.ts';
import { defineError } from '../../../lib/errors.ts';
import { isUntrusted, readTrustedFile } from '../../../lib/trusted-file.ts';
import {
  openHttpsListener,
  type TlsMaterial,
  type HttpsListener,
} from '../../../platform/https-listener.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import { systemRandom as random } from '../../../platform/system-random.ts';
import type { HttpHandler } from '../../../ports/api/http-handler.ts';
import type { Log } from '../../../ports/log.ts';
import type { KubeletConfig } from '../../config/kubelet-config.ts';
import { listenerTlsOf } from '../../config/tls-kinds.ts';

const fileUnreadable = defineError<{ file: string; reason: string }>({
  code: 'CERTIFICATE_FILE_UNREADABLE',
  retry: 'never',
  message: ({ file, reason }) => `${file} cannot be read: ${reason}`,
  hint: () =>
    'Check clientCAFile, tlsCertFile and tlsPrivateKeyFile of the configuration, and their modes.',
});

export interface KubeletListenerOptions {
  readonly nodeName: string;
  /** Where to listen. */
  readonly host: string;
  /** The addresses of the node, for its certificate. */
  readonly addresses: readonly string[];
  readonly config: KubeletConfig;
  readonly handler: HttpHandler;
  readonly log: Log;
  /**
   * The authority of the cluster, if this process has its key. Absent: the serving certificate is
   * self-signed.
   */
  readonly authority?: Authority;
}

export interface KubeletListener extends Pick<HttpsListener, 'port' | 'close'> {
  /** Sets the certificate and key (PEM) for new connections. */
  show(pair: { readonly cert: string; readonly key: string }): void;
}

/** Throws CERTIFICATE_FILE_UNREADABLE, CERTIFICATE_UNUSABLE, or an error of the port such as PORT_TAKEN. */
export async function openKubeletListener(
  options: KubeletListenerOptions,
): Promise<KubeletListener> {
  const { host, config, handler, log } = options;
  const { tlsCertFile, tlsPrivateKeyFile, authentication, port } = config;
  const own = options.authority ?? (await createAuthority({ clock, random }));
  const { clientCAFile } = authentication.x509;
  const pair = await firstPair(options, own);
  // Without a client authority no client certificate is accepted.
  let tlsMaterial: TlsMaterial = {
    ...pair,
    ca: clientCAFile ? readAuthority(clientCAFile) : own.cert,
  };
  const listener = await openHttpsListener({
    handler,
    ...tlsMaterial,
    host,
    port,
    portSetting: 'the field port of the KubeletConfiguration (--config)',
    tls: listenerTlsOf(config),
  });
  const renew = (updates: Partial<TlsMaterial>): void => {
    const next = { ...tlsMaterial, ...updates };
    listener.renew(next);
    tlsMaterial = next;
  };
  const watches: WatchedFiles[] = [];
  const follow = (files: readonly string[], texts: readonly string[], use: Use): void => {
    const watched = new WatchedFiles({ clock, log, files, texts, changed: use });
    watches.push(watched);
    watched.start();
  };
  if (clientCAFile) {
    const file = clientCAFile;
    follow([file], [tlsMaterial.ca], ([ca = '']) => renew({ ca: checkAuthority(ca, file) }));
  }
  // With serverTLSBootstrap the files are used only until the cluster has signed a certificate.
  if (tlsCertFile && tlsPrivateKeyFile && !config.serverTLSBootstrap) {
    const texts = [read(tlsCertFile), read(tlsPrivateKeyFile)];
    follow([tlsCertFile, tlsPrivateKeyFile], texts, ([cert = '', key = '']) =>
      renew(tlsMaterialOf(cert, key, tlsCertFile)),
    );
  }
  return {
    port: listener.port,
    show: ({ cert, key }) => renew({ cert, key }),
    close: () => {
      for (const watched of watches) watched.stop();
      return listener.close();
    },
  };
}

/** Throws CERTIFICATE_FILE_UNREADABLE or CERTIFICATE_UNUSABLE, as opening the listener does. */
export function checkCertificateFiles(config: KubeletConfig): void {
  const { tlsCertFile, tlsPrivateKeyFile, authentication } = config;
  const { clientCAFile } = authentication.x509;
  if (clientCAFile) readAuthority(clientCAFile);
  if (tlsCertFile && tlsPrivateKeyFile) {
    tlsMaterialOf(read(tlsCertFile), read(tlsPrivateKeyFile), tlsCertFile);
  }
}

type Use = (texts: readonly string[]) => void;

/** Null: there is no certificate yet. */
async function firstPair(
  { nodeName, addresses, config }: KubeletListenerOptions,
  own: Authority,
): Promise<{ readonly cert: string; readonly key: string } | null> {
  const { tlsCertFile, tlsPrivateKeyFile, serverTLSBootstrap } = config;
  if (tlsCertFile && tlsPrivateKeyFile) {
    return tlsMaterialOf(read(tlsCertFile), read(tlsPrivateKeyFile), tlsCertFile);
  }
  if (serverTLSBootstrap) return null;
  const names = ['localhost'];
  return issueNodeCertificate(own, nodeName, { clock, random, names, addresses });
}

function tlsMaterialOf(
  certText: string,
  keyText: string,
  file: string,
): { readonly cert: string; readonly key: string } {
  const { cert, key } = readPair(certText, keyText, file);
  return { cert, key };
}

function readAuthority(file: string): string {
  return checkAuthority(read(file), file);
}

function checkAuthority(text: string, file: string): string {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw fileUnreadable({ file, reason: 'it holds no certificate in PEM' });
}

function read(file: string): string {
  try {
    return readTrustedFile(file);
  } catch (error) {
    if (isUntrusted(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw fileUnreadable({ file, reason }, error);
  }
}
