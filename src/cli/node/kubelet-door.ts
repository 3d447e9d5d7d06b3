/**
 * The door of a kubelet that belongs to a cluster: its own certificate, or one that people give it, and
 * the authority by which the cluster's clients are known.
 */
import { readFileSync } from 'node:fs';
import type { Authority } from '../../apiserver/pki/certificate.ts';
import { createAuthority, issueNodeCertificate } from '../../apiserver/pki/pki.ts';
import { defineError } from '../../lib/errors.ts';
import { openHttpsDoor, type HttpsDoor } from '../../platform/https-door.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { HttpHandler } from '../../ports/http-handler.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';

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
  /** Of the cluster, if its key is here; absent: the node signs its certificate itself. */
  readonly authority?: Authority;
}

/** Throws CERTIFICATE_FILE_UNREADABLE, and PORT_TAKEN and its like. */
export async function openKubeletDoor(options: KubeletDoorOptions): Promise<HttpsDoor> {
  const { nodeName, host, addresses, config, handler, authority } = options;
  const { tlsCertFile, tlsPrivateKeyFile, authentication, port } = config;
  const own = authority ?? (await createAuthority({ clock, random }));
  const names = ['localhost'];
  const pair =
    tlsCertFile && tlsPrivateKeyFile
      ? { cert: read(tlsCertFile), key: read(tlsPrivateKeyFile) }
      : await issueNodeCertificate(own, nodeName, { clock, random, names, addresses });
  const { clientCAFile } = authentication.x509;
  // Without an authority of the cluster no certificate counts: nobody has one of ours.
  const ca = clientCAFile ? read(clientCAFile) : own.cert;
  return openHttpsDoor({ handler, ...pair, ca, host, port });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw fileUnreadable({ file, reason }, error);
  }
}
