/**
 * The door of a kubelet that belongs to a cluster: the certificate that it shows, and the authority by
 * which the cluster's clients are known. Both can change while it is open.
 *
 *     serverTLSBootstrap           what the cluster signs for it; until then nobody gets in
 *     tlsCertFile, …PrivateKeyFile files that people replace
 *     neither                      one that it signs itself, or that the cluster in this process signs
 */
import { readFileSync } from 'node:fs';
import type { Authority } from '../../apiserver/pki/certificate.ts';
import { createAuthority, issueNodeCertificate } from '../../apiserver/pki/pki.ts';
import { readPair } from '../../kubelet/certificates/certificate-pair.ts';
import { WatchedFiles } from '../../kubelet/certificates/watched-files.ts';
import { defineError } from '../../lib/errors.ts';
import { openHttpsDoor, type DoorPapers, type HttpsDoor } from '../../platform/https-door.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { HttpHandler } from '../../ports/http-handler.ts';
import type { Log } from '../../ports/log.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { doorTlsOf } from '../config/tls-kinds.ts';

const fileUnreadable = defineError<{ file: string; reason: string }>({
  code: 'CERTIFICATE_FILE_UNREADABLE',
  retry: 'never',
  message: ({ file, reason }) => `${file} cannot be read: ${reason}`,
  hint: () =>
    'Check clientCAFile, tlsCertFile and tlsPrivateKeyFile of the configuration, and their modes.',
});

export interface KubeletDoorOptions {
  readonly nodeName: string;
  /** Where to listen. */
  readonly host: string;
  /** Under which the node is found. */
  readonly addresses: readonly string[];
  readonly config: KubeletConfig;
  readonly handler: HttpHandler;
  readonly log: Log;
  /** Of the cluster, if its key is here; absent: the node signs its certificate itself. */
  readonly authority?: Authority;
}

export interface KubeletDoor extends Pick<HttpsDoor, 'port' | 'close'> {
  /** PEMs, for connections that come from now on. */
  show(pair: { readonly cert: string; readonly key: string }): void;
}

/** Throws CERTIFICATE_FILE_UNREADABLE, CERTIFICATE_UNUSABLE, and PORT_TAKEN and its like. */
export async function openKubeletDoor(options: KubeletDoorOptions): Promise<KubeletDoor> {
  const { host, config, handler, log } = options;
  const { tlsCertFile, tlsPrivateKeyFile, authentication, port } = config;
  const own = options.authority ?? (await createAuthority({ clock, random }));
  const { clientCAFile } = authentication.x509;
  const pair = await firstPair(options, own);
  // Without an authority of the cluster no certificate counts: nobody has one of ours.
  let papers: DoorPapers = { ...pair, ca: clientCAFile ? readAuthority(clientCAFile) : own.cert };
  const door = await openHttpsDoor({ handler, ...papers, host, port, tls: doorTlsOf(config) });
  const renew = (news: Partial<DoorPapers>): void => {
    const next = { ...papers, ...news };
    door.renew(next);
    papers = next;
  };
  const watches: WatchedFiles[] = [];
  const follow = (files: readonly string[], texts: readonly string[], use: Use): void => {
    const watched = new WatchedFiles({ clock, log, files, texts, changed: use });
    watches.push(watched);
    watched.start();
  };
  if (clientCAFile) {
    const file = clientCAFile;
    follow([file], [papers.ca], ([ca = '']) => renew({ ca: checkAuthority(ca, file) }));
  }
  // With serverTLSBootstrap the files are only to begin with.
  if (tlsCertFile && tlsPrivateKeyFile && !config.serverTLSBootstrap) {
    const texts = [read(tlsCertFile), read(tlsPrivateKeyFile)];
    follow([tlsCertFile, tlsPrivateKeyFile], texts, ([cert = '', key = '']) =>
      renew(papersOf(cert, key, tlsCertFile)),
    );
  }
  return {
    port: door.port,
    show: ({ cert, key }) => renew({ cert, key }),
    close: () => {
      for (const watched of watches) watched.stop();
      return door.close();
    },
  };
}

type Use = (texts: readonly string[]) => void;

/** Null: there is nothing to show yet. */
async function firstPair(
  { nodeName, addresses, config }: KubeletDoorOptions,
  own: Authority,
): Promise<{ readonly cert: string; readonly key: string } | null> {
  const { tlsCertFile, tlsPrivateKeyFile, serverTLSBootstrap } = config;
  if (tlsCertFile && tlsPrivateKeyFile) {
    return papersOf(read(tlsCertFile), read(tlsPrivateKeyFile), tlsCertFile);
  }
  if (serverTLSBootstrap) return null;
  const names = ['localhost'];
  return issueNodeCertificate(own, nodeName, { clock, random, names, addresses });
}

function papersOf(
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
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw fileUnreadable({ file, reason }, error);
  }
}
