/**
 * Reads kube-apiserver's EncryptionConfiguration (apiserver.config.k8s.io/v1), with its rules and error
 * messages. The only difference: the provider `kms` is refused, because podkeep does not call KMS plugins. No
 * error message contains a key or a part of one.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import {
  fieldErrorMessage,
  type FieldError,
  type FieldErrorType,
} from '../../api/validation/field-error.ts';
import { encryptionConfigInvalid } from './encryption-errors.ts';
import { maskOf, parseGroupResource, printGroupResource } from './group-resource.ts';
import type { GroupResource } from './group-resource.ts';
import { resourceNameErrors } from './resource-names.ts';

export type KeyedProvider = 'aescbc' | 'aesgcm' | 'secretbox';

export interface EncryptionKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

export type ProviderConfig =
  | { readonly type: KeyedProvider; readonly keys: readonly EncryptionKey[] }
  | { readonly type: 'identity' };

/** One entry of `resources`; entries are in the order of the file. */
export interface EncryptionRule {
  readonly resources: readonly GroupResource[];
  /** The first provider encrypts, all of them decrypt. */
  readonly providers: readonly ProviderConfig[];
}

const API_VERSION = 'apiserver.config.k8s.io/v1';
const KIND = 'EncryptionConfiguration';
const KEY_BYTES: Readonly<Record<KeyedProvider, readonly number[]>> = {
  aesgcm: [16, 24, 32],
  aescbc: [16, 24, 32],
  secretbox: [32],
};
const PROVIDERS = ['kms', 'aesgcm', 'aescbc', 'secretbox', 'identity'];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Throws ENCRYPTION_CONFIG_INVALID. */
export function readEncryptionConfig(document: unknown): readonly EncryptionRule[] {
  const reader = new Reader();
  const rules = reader.read(document);
  const [first, ...more] = [...new Set(reader.errors)];
  if (first !== undefined) {
    throw encryptionConfigInvalid({
      reason: more.length === 0 ? first : `[${[first, ...more].join(', ')}]`,
    });
  }
  checkMasks(rules);
  return rules;
}

/** Refuses a rule for resources that an earlier rule already covers. */
function checkMasks(rules: readonly EncryptionRule[]): void {
  const earlier = new Set<string>();
  for (const resource of rules.flatMap(({ resources }) => resources)) {
    const name = printGroupResource(resource);
    const mask = maskOf(resource, earlier);
    if (mask !== undefined) {
      const reason = `resource "${name}" is masked by earlier rule "${mask}"`;
      throw encryptionConfigInvalid({ reason });
    }
    earlier.add(name);
  }
}

class Reader {
  readonly errors: string[] = [];

  read(document: unknown): readonly EncryptionRule[] {
    if (!isJsonObject(document)) {
      this.errors.push('it holds no mapping of fields to values');
      return [];
    }
    const { apiVersion, kind } = document;
    if (apiVersion !== API_VERSION || kind !== KIND) {
      this.errors.push(
        `got unexpected config type: apiVersion and kind must be ${API_VERSION} ${KIND}`,
      );
      return [];
    }
    this.#checkFields(document, ['apiVersion', 'kind', 'resources'], '');
    const rules = this.#list(document, 'resources', 'resources');
    return rules.map((rule, index) => this.#readRule(rule, `resources[${index}]`));
  }

  #readRule(rule: unknown, path: string): EncryptionRule {
    const fields = this.#object(rule, path);
    this.#checkFields(fields, ['resources', 'providers'], `${path}.`);
    const names = this.#list(fields, 'resources', `${path}.resources`);
    const resources = names.filter((name) => typeof name === 'string');
    if (resources.length < names.length) this.errors.push(`${path}.resources: must be strings`);
    for (const error of resourceNameErrors(resources, `${path}.resources`)) this.#add(error);
    const providers = this.#list(fields, 'providers', `${path}.providers`).flatMap((one, index) =>
      this.#readProvider(one, `${path}.providers[${index}]`),
    );
    return { resources: resources.map(parseGroupResource), providers };
  }

  #readProvider(provider: unknown, path: string): readonly ProviderConfig[] {
    const fields = this.#object(provider, path);
    const found = PROVIDERS.filter((name) => isJsonObject(fields[name]));
    this.#checkFields(fields, PROVIDERS, `${path}.`);
    const [type] = found;
    if (type === undefined) {
      const names = 'KMS, AESGCM, AESCBC, Secretbox, Identity';
      this.#invalid(path, `provider does not contain any of the expected providers: ${names}`);
    } else if (found.length > 1) {
      this.#invalid(
        path,
        'more than one provider specified in a single element, should split into different list elements',
      );
    } else if (type === 'kms') {
      const detail = 'podkeep has no KMS plugins, use aescbc, aesgcm or secretbox';
      this.#add({ type: 'Forbidden', field: `${path}.kms`, detail });
    } else if (type === 'identity') {
      return [{ type }];
    } else if (isKeyed(type)) {
      return [{ type, keys: this.#readKeys(fields[type], `${path}.${type}`, KEY_BYTES[type]) }];
    }
    return [];
  }

  #readKeys(value: unknown, path: string, lengths: readonly number[]): readonly EncryptionKey[] {
    const fields = this.#object(value, path);
    this.#checkFields(fields, ['keys'], `${path}.`);
    const keys = this.#list(fields, 'keys', `${path}.keys`, 'keys');
    return keys.map((key, index) => this.#readKey(key, `${path}.keys[${index}]`, lengths));
  }

  #readKey(value: unknown, path: string, lengths: readonly number[]): EncryptionKey {
    const fields = this.#object(value, path);
    this.#checkFields(fields, ['name', 'secret'], `${path}.`);
    const { name = '', secret: given = '' } = fields;
    if (typeof name !== 'string' || name === '') {
      this.#required(`${path}.name`, 'name is a mandatory field for a key');
    }
    const text = typeof given === 'string' ? given.replaceAll(/[\r\n]/g, '') : '';
    const secret = Buffer.from(text, 'base64');
    const field = `${path}.secret`;
    if (text === '') {
      this.#required(field, 'secret is a mandatory field for a key');
    } else if (!BASE64.test(text)) {
      this.#invalid(field, 'secrets must be base64 encoded', 'REDACTED');
    } else if (!lengths.includes(secret.length)) {
      const expected = `got ${secret.length}, expected one of [${lengths.join(' ')}]`;
      this.#invalid(field, `secret is not of the expected length, ${expected}`, 'REDACTED');
    }
    return { name: typeof name === 'string' ? name : '', secret };
  }

  #object(value: unknown, path: string): JsonObject {
    if (isJsonObject(value)) return value;
    this.errors.push(`${path}: must be a mapping of fields to values`);
    return {};
  }

  #list(fields: JsonObject, name: string, path: string, shown = path): readonly unknown[] {
    const value: unknown = fields[name] ?? [];
    if (!Array.isArray(value)) {
      this.errors.push(`${path}: must be a list`);
      return [];
    }
    if (value.length === 0) this.#required(path, `at least one ${shown} is required`);
    return value;
  }

  #checkFields(fields: JsonObject, known: readonly string[], path: string): void {
    for (const name of Object.keys(fields)) {
      if (!known.includes(name)) this.errors.push(`unknown field "${path}${name}"`);
    }
  }

  #required(field: string, detail: string): void {
    this.#add({ type: 'Required', field, detail });
  }

  #invalid(field: string, detail: string, value?: string): void {
    const type: FieldErrorType = 'Invalid';
    this.#add(value === undefined ? { type, field, detail } : { type, field, detail, value });
  }

  #add(error: FieldError): void {
    this.errors.push(`${error.field}: ${fieldErrorMessage(error)}`);
  }
}

function isKeyed(type: string): type is KeyedProvider {
  return Object.hasOwn(KEY_BYTES, type);
}
