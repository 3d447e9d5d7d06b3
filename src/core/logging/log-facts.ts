/**
 * Converts the facts of a log line to the keys that Kubernetes' kubelet uses, and to printable values.
 *
 *     pod: {namespace, name, uid}       pod (namespace/name) and podUID
 *     uid, or a pod given by its UID    podUID
 *     container                         containerName
 *     error                             err
 *
 * Invariants:
 *   1. A value is at most VALUE_CHARACTERS_MAX long, and a line has at most FACTS_MAX of them: the line says
 *      how much was cut.
 *   2. No value is a secret (redaction.ts).
 *   3. A value that cannot be printed (a cycle, a getter that throws) does not suppress the line.
 */
import { PodkeepError } from '../../lib/errors.ts';
import { isSecretKey, redactText, REDACTED } from './redaction.ts';

export interface LogFact {
  readonly key: string;
  /** A string, a number, a boolean, null, or JSON of these. */
  readonly value: LogValue;
}

export type LogValue =
  | { readonly type: 'text'; readonly text: string }
  /** The name of an object, as klog.KObj prints it. */
  | { readonly type: 'object'; readonly namespace: string; readonly name: string }
  /** Valid JSON, without line ends. */
  | { readonly type: 'json'; readonly json: string };

const VALUE_CHARACTERS_MAX = 4096;
const FACTS_MAX = 32;
const CAUSES_MAX = 5;
const KEY = /^[\w./-]{1,64}$/;

export function kubeletFacts(facts: Readonly<Record<string, unknown>>): readonly LogFact[] {
  const found: LogFact[] = [];
  for (const [key, value] of Object.entries(facts)) {
    if (value === undefined) continue;
    found.push(...factsOf(KEY.test(key) ? key : 'fact', value));
  }
  const unique = [...new Map(found.map((fact) => [fact.key, fact])).values()];
  if (unique.length <= FACTS_MAX) return unique;
  const left = { key: 'factsLeftOut', value: jsonValue(unique.length - FACTS_MAX) };
  return [...unique.slice(0, FACTS_MAX), left];
}

function factsOf(key: string, value: unknown): readonly LogFact[] {
  if (isSecretKey(key)) return [{ key, value: textValue(REDACTED) }];
  if (key === 'uid') return [{ key: 'podUID', value: valueOf(value) }];
  if (key === 'container') return [{ key: 'containerName', value: valueOf(value) }];
  if (key === 'error') return [{ key: 'err', value: valueOf(value) }];
  const pod = key === 'pod' || key === 'podRef' || key === 'about' ? podFacts(key, value) : null;
  return pod ?? [{ key, value: valueOf(value) }];
}

/** Null: the value is not a reference to an object. */
function podFacts(key: string, value: unknown): readonly LogFact[] | null {
  if (typeof value === 'string') {
    return key === 'pod' && !value.includes('/')
      ? [{ key: 'podUID', value: valueOf(value) }]
      : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { namespace, name, uid, kind, fieldPath } = Object.fromEntries(Object.entries(value));
  const facts: LogFact[] = [];
  const isPod = kind === undefined || kind === 'Pod';
  if (typeof name === 'string') {
    const space = typeof namespace === 'string' ? namespace : '';
    const object = { type: 'object', namespace: bounded(space), name: bounded(name) } as const;
    facts.push({ key: isPod ? 'pod' : 'object', value: object });
  }
  if (typeof kind === 'string' && !isPod) facts.push({ key: 'kind', value: textValue(kind) });
  if (typeof uid === 'string' && isPod) facts.push({ key: 'podUID', value: textValue(uid) });
  if (typeof fieldPath === 'string') facts.push({ key: 'fieldPath', value: textValue(fieldPath) });
  return facts.length === 0 ? null : facts;
}

function valueOf(value: unknown): LogValue {
  if (typeof value === 'string') return textValue(value);
  if (value instanceof Error) return textValue(errorText(value, CAUSES_MAX));
  if (typeof value === 'bigint') return jsonValue(String(value));
  return jsonValue(value);
}

/** Prints the error's code instead of its class, and its causes, which often say more than the error. */
export function errorText(error: Error, causesLeft: number): string {
  const own = error instanceof PodkeepError ? `${error.code}: ${error.message}` : plainText(error);
  const { cause } = error;
  if (!(cause instanceof Error) || causesLeft === 0) return own;
  const under = errorText(cause, causesLeft - 1);
  return own.includes(under) ? own : `${own}: ${under}`;
}

function plainText({ name, message }: Error): string {
  if (message === '') return name;
  return name === 'Error' ? message : `${name}: ${message}`;
}

function textValue(text: string): LogValue {
  return { type: 'text', text: bounded(text) };
}

function jsonValue(value: unknown): LogValue {
  let json: string;
  try {
    json = JSON.stringify(value, printable) ?? 'null';
  } catch (error) {
    return textValue(`<${error instanceof Error ? error.message : 'cannot be printed'}>`);
  }
  // Cut JSON would be no JSON.
  return json.length > VALUE_CHARACTERS_MAX ? textValue(json) : { type: 'json', json };
}

function printable(key: string, value: unknown): unknown {
  if (isSecretKey(key)) return REDACTED;
  if (typeof value === 'string') return bounded(value);
  if (typeof value === 'bigint') return String(value);
  return value instanceof Error ? bounded(errorText(value, CAUSES_MAX)) : value;
}

function bounded(text: string): string {
  // Cut before the search for secrets, so that a long text takes no longer than a short one.
  const more = text.length - VALUE_CHARACTERS_MAX;
  const kept = redactText(more > 0 ? text.slice(0, VALUE_CHARACTERS_MAX) : text);
  return more > 0 ? `${kept}... (${more} more characters)` : kept;
}

export { bounded as boundedText };
