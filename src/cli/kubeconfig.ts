/**
 * Writes the kubeconfig with which kubectl and client libraries connect to the API server of `podkeep up`.
 */
import { readFileSync } from 'node:fs';
import { writeFileAtomically } from './atomic-file.ts';

export interface KubeconfigFacts {
  readonly url: string;
  /** Certificates and key as PEM. */
  readonly caCert: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

/** Does not write the file if nothing changed, so that programs that watch it are not notified. */
export function writeKubeconfig(file: string, facts: KubeconfigFacts): void {
  const text = formatKubeconfig(facts);
  if (read(file) !== text) writeFileAtomically(file, text);
}

function formatKubeconfig({ url, caCert, clientCert, clientKey }: KubeconfigFacts): string {
  return `apiVersion: v1
kind: Config
current-context: podkeep
clusters:
- name: podkeep
  cluster:
    server: ${url}
    certificate-authority-data: ${encode(caCert)}
contexts:
- name: podkeep
  context:
    cluster: podkeep
    user: podkeep-admin
users:
- name: podkeep-admin
  user:
    client-certificate-data: ${encode(clientCert)}
    client-key-data: ${encode(clientKey)}
`;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null; // whatever prevents reading it, writing it will report
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
