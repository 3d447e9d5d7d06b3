/** Validates the handler of a probe or a lifecycle hook: exactly one action. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readNumber,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../../validation/json-reading.ts';
import { checkHeaderName } from '../../validation/names.ts';
import { validatePortReference } from './ports.ts';

export const PROBE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
export const HOOK_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep'] as const;

type Handler = (typeof PROBE_HANDLERS)[number] | (typeof HOOK_HANDLERS)[number];
type HandlerRule = (action: JsonObject, path: string, graceSeconds: number) => FieldErrors;

const RULES: Readonly<Record<Handler, HandlerRule>> = {
  exec: validateExec,
  httpGet: validateHttpGet,
  tcpSocket: (action, path) => validatePortReference(action['port'] ?? 0, `${path}.port`),
  grpc: (action, path) => validatePortReference(readNumber(action['port']), `${path}.port`),
  sleep: validateSleep,
};

export function* validateHandler(
  holder: JsonObject,
  path: string,
  handlers: readonly Handler[],
  graceSeconds: number,
): FieldErrors {
  const [first, ...others] = handlers.filter((name) => isGiven(holder[name]));
  if (first === undefined) {
    yield required(path, 'must specify a handler type');
    return;
  }
  yield* RULES[first](readStruct(holder[first]), `${path}.${first}`, graceSeconds);
  for (const name of others) {
    yield forbiddenField(`${path}.${name}`, 'may not specify more than 1 handler type');
  }
}

function* validateExec(action: JsonObject, path: string): FieldErrors {
  if (readTexts(action['command']).length === 0) yield required(`${path}.command`);
}

function* validateHttpGet(action: JsonObject, path: string): FieldErrors {
  if (readText(action['path']) === '') yield required(`${path}.path`);
  yield* validatePortReference(action['port'] ?? 0, `${path}.port`);
  const scheme = readText(action['scheme']);
  if (scheme !== 'HTTP' && scheme !== 'HTTPS') {
    yield unsupported(`${path}.scheme`, scheme, ['HTTP', 'HTTPS']);
  }
  for (const { name } of readObjects(action['httpHeaders'])) {
    yield* invalidFor(`${path}.httpHeaders`, readText(name), checkHeaderName(readText(name)));
  }
}

/** A hook that sleeps longer than the pod's grace period would be killed during its sleep. */
function* validateSleep(action: JsonObject, path: string, graceSeconds: number): FieldErrors {
  const seconds = readNumber(action['seconds']);
  if (seconds >= 0 && seconds <= graceSeconds) return;
  const most = `terminationGracePeriodSeconds (${graceSeconds})`;
  yield invalidField(path, seconds, `must be non-negative and less than ${most}`);
}
