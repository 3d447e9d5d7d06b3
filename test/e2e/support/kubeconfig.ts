/** Kubeconfig files of kubectl and the controllers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { KeyPair } from './certificates.ts';

/** The address of a server, and credentials for it. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly token: string | undefined;
}

interface KubeconfigFile {
  readonly 'current-context': string;
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly clusters: readonly { readonly name: string; readonly cluster: Fields }[];
  readonly users: readonly { readonly name: string; readonly user: Fields }[];
}

type Fields = Readonly<Record<string, string | undefined>>;

export function writeKubeconfig(file: string, server: string, ca: string, user: KeyPair): void {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'e2e',
    contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'admin' } }],
    clusters: [{ name: 'e2e', cluster: { server, 'certificate-authority': ca } }],
    users: [
      {
        name: 'admin',
        user: { 'client-certificate': user.certificate, 'client-key': user.key },
      },
    ],
  };
  writeFileSync(file, stringify(content), { mode: 0o600 });
}

/** Reads the current context of any kubeconfig. */
export function readAccess(file: string): Access {
  const content = parse(readFileSync(file, 'utf8')) as KubeconfigFile;
  const current = content['current-context'];
  const { cluster, user } = content.contexts.find(({ name }) => name === current)?.context ?? {};
  const place = content.clusters.find(({ name }) => name === cluster)?.cluster ?? {};
  const person = content.users.find(({ name }) => name === user)?.user ?? {};
  return {
    server: place['server'] ?? '',
    ca: readEither(place, 'certificate-authority') ?? '',
    cert: readEither(person, 'client-certificate'),
    key: readEither(person, 'client-key'),
    token: person['token'],
  };
}

/** The content of a file, whether the file is named or its content is inline. */
function readEither(fields: Fields, field: string): string | undefined {
  const data = fields[`${field}-data`];
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  const file = fields[field];
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}
