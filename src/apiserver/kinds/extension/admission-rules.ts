/** Validates the rules of webhooks: operations and resources for which they are called. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readText, readTexts } from '../../../api/validation/json-reading.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

export function* checkRule(rule: JsonObject, path: string): FieldErrors {
  const operations = readTexts(rule['operations']);
  yield* checkList(operations, `${path}.operations`, 'operations');
  for (const [index, operation] of operations.entries()) {
    if (OPERATIONS.includes(operation)) continue;
    yield unsupported(`${path}.operations[${index}]`, operation, OPERATIONS);
  }
  yield* checkList(readTexts(rule['apiGroups']), `${path}.apiGroups`, 'API groups');
  const versions = readTexts(rule['apiVersions']);
  yield* checkList(versions, `${path}.apiVersions`, 'API versions');
  for (const [index, version] of versions.entries()) {
    if (version === '') yield required(`${path}.apiVersions[${index}]`);
  }
  yield* checkResources(readTexts(rule['resources']), `${path}.resources`);
  const { scope } = rule;
  if (isGiven(scope) && !SCOPES.includes(readText(scope))) {
    yield unsupported(`${path}.scope`, scope, SCOPES);
  }
}

function* checkList(list: readonly string[], path: string, what: string): FieldErrors {
  if (list.length === 0) yield required(path);
  if (list.length > 1 && list.includes('*')) {
    yield invalidField(path, list, `if '*' is present, must not specify other ${what}`);
  }
}

function* checkResources(resources: readonly string[], path: string): FieldErrors {
  if (resources.length === 0) yield required(path);
  const [wholeResources, wholeParts] = [new Set<string>(), new Set<string>()];
  let hasPlain = false;
  for (const [index, text] of resources.entries()) {
    const field = `${path}[${index}]`;
    if (text === '') {
      yield required(field);
      continue;
    }
    const at = text.indexOf('/');
    if (at < 0) {
      hasPlain = text !== '*';
      continue;
    }
    const [name, part] = [text.slice(0, at), text.slice(at + 1)];
    if (wholeResources.has(name)) {
      yield invalidField(field, text, `if '${name}/*' is present, must not specify ${text}`);
    }
    if (wholeParts.has(part)) {
      yield invalidField(field, text, `if '*/${part}' is present, must not specify ${text}`);
    }
    if (part === '*') wholeResources.add(name);
    if (name === '*') wholeParts.add(part);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    const detail = "if '*/*' is present, must not specify other resources";
    yield invalidField(path, resources, detail);
  }
  if (resources.includes('*') && hasPlain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    yield invalidField(path, resources, detail);
  }
}
