/**
 * The ConfigMap kube-system/extension-apiserver-authentication, from which aggregated API servers learn which
 * clients to believe: the CA of users' client certificates, and the CA of the front proxy, which sends the
 * X-Remote- headers.
 *
 * As in kube-apiserver, what other servers have added stays: values are merged, so that a new CA is trusted
 * beside the old one, until the old one expires.
 */
import { jsonEqual } from '../../api/values/json-equal.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { readPem } from '../../lib/x509/pem.ts';
import { readCertificate } from '../../lib/x509/read-certificate.ts';
import { readText } from '../../api/validation/json-reading.ts';
import { configMaps } from '../kinds/core/config-map.ts';
import { structAt } from '../objects/field-path.ts';
import { keyOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { createMissing } from './namespaces.ts';

export interface AuthenticationConfig {
  /** PEM of the authority that signs the certificates of users. */
  readonly clientCa: string;
  /** PEM of the authority of the front proxy. Null: it could not be opened. */
  readonly frontProxyCa: string | null;
  /** The common names that its certificates have. */
  readonly allowedNames: readonly string[];
}

const TARGET = {
  definition: configMaps,
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
};
export const AUTHENTICATION_CONFIG_KEY = keyOf(TARGET);
const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

export async function publishAuthenticationConfig(
  parts: ServerParts,
  config: AuthenticationConfig,
): Promise<void> {
  const change = (old: JsonObject): JsonObject => {
    const data = mergedData(structAt(old, 'data'), config, parts.clock.now());
    return jsonEqual(structAt(old, 'data'), data) ? old : { ...old, data };
  };
  const found = parts.store.get(keyOf(TARGET))?.value;
  if (!found) {
    const body = change({ metadata: { name: TARGET.name } });
    return createMissing(parts, [{ ...TARGET, body }]);
  }
  if (change(found) !== found) await parts.registry.update({ ...TARGET, change, isExempt: true });
}

export function mergedData(
  old: JsonObject,
  config: AuthenticationConfig,
  nowMs: number,
): JsonObject {
  const { clientCa, frontProxyCa, allowedNames } = config;
  const list = (key: string, values: readonly string[]): JsonObject => ({
    [key]: JSON.stringify([...new Set([...readNames(old[key]), ...values])]),
  });
  return {
    ...old,
    'client-ca-file': mergedCertificates(readText(old['client-ca-file']), clientCa, nowMs),
    ...(frontProxyCa !== null && {
      'requestheader-client-ca-file': mergedCertificates(
        readText(old['requestheader-client-ca-file']),
        frontProxyCa,
        nowMs,
      ),
      ...list('requestheader-allowed-names', allowedNames),
      ...list('requestheader-username-headers', ['X-Remote-User']),
      ...list('requestheader-uid-headers', ['X-Remote-Uid']),
      ...list('requestheader-group-headers', ['X-Remote-Group']),
      ...list('requestheader-extra-headers-prefix', ['X-Remote-Extra-']),
    }),
  };
}

function mergedCertificates(old: string, wanted: string, nowMs: number): string {
  const kept = (old.match(BLOCK) ?? []).filter((block) => isValid(block, nowMs));
  const blocks = new Set([...kept, ...(wanted.match(BLOCK) ?? [])]);
  return [...blocks].map((block) => `${block}\n`).join('');
}

function isValid(block: string, nowMs: number): boolean {
  try {
    return readCertificate(readPem('CERTIFICATE', block)).notAfterMs > nowMs;
  } catch (error) {
    if (error instanceof PodkeepError) return false;
    throw error;
  }
}

/** A list that cannot be read is written again. */
function readNames(text: JsonObject[string] | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(readText(text));
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
