/**
 * Converts tlsMinVersion and tlsCipherSuites of KubeletConfiguration, which use Go's names, to settings of
 * Node.js.
 */
import type { ListenerTls } from '../../platform/https-listener.ts';
import { suggest } from './did-you-mean.ts';
import { reject, text, type Kind } from './field-kinds.ts';

/** The suites of TLS 1.2 that both Go and OpenSSL have. The suites of TLS 1.3 cannot be chosen. */
const CIPHERS: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
]);
/** Always added, because Node.js takes the suites of all versions from one list. */
const TLS_13_CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
];
const VERSIONS: ReadonlyMap<string, NonNullable<ListenerTls['minVersion']>> = new Map([
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);
const OLD_VERSIONS: ReadonlySet<unknown> = new Set(['VersionTLS10', 'VersionTLS11']);

export const tlsCipher: Kind<string> = {
  ...text(),
  read(value, at) {
    const known = [...CIPHERS.keys(), ...TLS_13_CIPHERS];
    if (typeof value === 'string' && known.includes(value)) return value;
    const hint = typeof value === 'string' ? suggest(value, known) : '';
    return reject(at, `is not a cipher suite that podkeep supports${hint}`, '');
  },
};

export const tlsVersion: Kind<string> = {
  ...text(),
  read(value, at) {
    if (value === '' || (typeof value === 'string' && VERSIONS.has(value))) return value;
    return OLD_VERSIONS.has(value)
      ? reject(at, 'is too old to be safe; podkeep offers VersionTLS12 and VersionTLS13', '')
      : reject(at, `must be ${[...VERSIONS.keys()].join(' or ')}`, '');
  },
};

export function listenerTlsOf(config: {
  readonly tlsMinVersion: string;
  readonly tlsCipherSuites: readonly string[];
}): ListenerTls {
  const minVersion = VERSIONS.get(config.tlsMinVersion);
  const chosen = config.tlsCipherSuites.flatMap((name) => CIPHERS.get(name) ?? []);
  return {
    ...(minVersion && { minVersion }),
    ...(config.tlsCipherSuites.length > 0 && {
      ciphers: [...TLS_13_CIPHERS, ...chosen].join(':'),
    }),
  };
}
