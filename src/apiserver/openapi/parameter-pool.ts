/**
 * Collects parameters of OpenAPI 2 that are written once and referenced. Their names contain a hash of their
 * content (`limit-1NfNmdNH`), because two parameters may have the same name and different content.
 *
 * Some parameters are never shared: the object's name and the body belong to one kind only, and older clients
 * look for `dryRun` and `fieldValidation` in the operation itself.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';

export interface WrittenParameter extends JsonObject {
  readonly name: string;
}

const UNSHARED: ReadonlySet<string> = new Set(['name', 'dryRun', 'fieldValidation']);
const META = '#/definitions/io.k8s.apimachinery';

export class ParameterPool {
  readonly #byText = new Map<string, string>();
  readonly #parameters = new Map<string, JsonObject>();

  /** The parameter, or a reference to it. */
  share(parameter: WrittenParameter): JsonObject {
    if (!isShared(parameter)) return parameter;
    const text = JSON.stringify(parameter);
    const known = this.#byText.get(text);
    if (known !== undefined) return { $ref: `#/parameters/${known}` };
    const name = `${parameter.name}-${hashOf(text)}`;
    this.#byText.set(text, name);
    this.#parameters.set(name, parameter);
    return { $ref: `#/parameters/${name}` };
  }

  all(): JsonObject {
    return Object.fromEntries([...this.#parameters].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function isShared({ name, schema }: WrittenParameter): boolean {
  if (UNSHARED.has(name)) return false;
  if (!isJsonObject(schema)) return true;
  const { $ref } = schema;
  return typeof $ref === 'string' && $ref.startsWith(META);
}

const FNV_START = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const MASK = (1n << 64n) - 1n;
const HASH_BYTES = 6;

/** The first six bytes of 64-bit FNV-1, in base64. */
function hashOf(text: string): string {
  let hash = FNV_START;
  for (const byte of new TextEncoder().encode(text)) {
    hash = ((hash * FNV_PRIME) & MASK) ^ BigInt(byte);
  }
  const bytes = Buffer.from(hash.toString(16).padStart(16, '0'), 'hex').subarray(0, HASH_BYTES);
  return bytes.toString('base64url');
}
