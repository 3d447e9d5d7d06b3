/** Validates the rules of a FlowSchema: subjects, and the requests that match. */
import { checkDns1123Label, checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../../objects/field-path.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  unsupported,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readFlag, readText, readTexts } from '../../../api/validation/json-reading.ts';

const VERBS = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];
/** The kinds of subjects in alphabetical order, each with its field. */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ['Group', 'group'],
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
]);
/** In the order in which the API reports fields of other kinds. */
const WITH_ERRORS = ['ServiceAccount', 'User', 'Group'];

export function* validateFlowRule(rule: JsonObject, path: string): FieldErrors {
  const subjects = objectsAt(rule, 'subjects');
  for (const [index, subject] of subjects.entries()) {
    yield* validateSubject(subject, `${path}.subjects[${index}]`);
  }
  if (subjects.length === 0) {
    yield required(`${path}.subjects`, 'subjects must contain at least one value');
  }
  const [ofResources, ofPaths] = ['resourceRules', 'nonResourceRules'].map((name) =>
    objectsAt(rule, name),
  );
  if (!ofResources?.length && !ofPaths?.length) {
    const detail = 'at least one of resourceRules and nonResourceRules has to be non-empty';
    yield required(path, detail);
  }
  for (const [index, one] of (ofResources ?? []).entries()) {
    yield* validateResourceRule(one, `${path}.resourceRules[${index}]`);
  }
  for (const [index, one] of (ofPaths ?? []).entries()) {
    yield* validatePathRule(one, `${path}.nonResourceRules[${index}]`);
  }
}

function* validateSubject(subject: JsonObject, path: string): FieldErrors {
  const kind = readText(subject['kind']);
  const field = SUBJECTS.get(kind);
  if (field === undefined) {
    yield unsupported(`${path}.kind`, kind, [...SUBJECTS.keys()]);
    return;
  }
  if (isGiven(subject[field])) yield* validateNamed(structAt(subject, field), `${path}.${field}`);
  else yield required(`${path}.${field}`, `${field} is required when subject kind is '${kind}'`);
  for (const other of WITH_ERRORS) {
    const name = SUBJECTS.get(other) ?? '';
    if (other === kind || !isGiven(subject[name])) continue;
    const detail = `${name} is forbidden when subject kind is not '${other}'`;
    yield forbiddenField(`${path}.${name}`, detail);
  }
}

function* validateNamed(subject: JsonObject, path: string): FieldErrors {
  const name = textAt(subject, 'name');
  if (name === '') yield required(`${path}.name`);
  if (!path.endsWith('.serviceAccount')) return;
  if (name !== '' && name !== '*') {
    yield* invalidFor(`${path}.name`, name, checkDns1123Subdomain(name));
  }
  const namespace = textAt(subject, 'namespace');
  if (namespace === '') {
    yield required(`${path}.namespace`, 'must specify namespace for service account');
  } else yield* invalidFor(`${path}.namespace`, namespace, checkDns1123Label(namespace));
}

function* validateVerbs(rule: JsonObject, path: string): FieldErrors {
  const verbs = readTexts(rule['verbs']);
  const field = `${path}.verbs`;
  if (verbs.length === 0) yield required(field, 'verbs must contain at least one value');
  else if (verbs.includes('*')) yield* validateAlone(verbs, field, 'verbs');
  else if (!verbs.every((verb) => VERBS.includes(verb))) yield unsupported(field, verbs, VERBS);
}

/** A star matches everything, so it must be the only item. */
function* validateAlone(texts: readonly string[], field: string, what: string): FieldErrors {
  if (texts.length < 2 || !texts.includes('*')) return;
  yield invalidField(field, texts, `if '*' is present, must not specify other ${what}`);
}

function* validateResourceRule(rule: JsonObject, path: string): FieldErrors {
  yield* validateVerbs(rule, path);
  const lists = [
    ['apiGroups', 'api group'],
    ['resources', 'resource'],
  ] as const;
  for (const [name, what] of lists) {
    const texts = readTexts(rule[name]);
    const field = `${path}.${name}`;
    if (texts.length === 0)
      yield required(field, `resource rules must supply at least one ${what}`);
    yield* validateAlone(texts, field, `${what}s`);
  }
  yield* validateNamespaces(rule, `${path}.namespaces`);
}

function* validateNamespaces(rule: JsonObject, field: string): FieldErrors {
  const namespaces = readTexts(rule['namespaces']);
  if (namespaces.length === 0 && !readFlag(rule['clusterScope'])) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    yield required(field, detail);
  }
  yield* validateAlone(namespaces, field, 'namespaces');
  if (namespaces.includes('*')) return;
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  for (const [index, namespace] of namespaces.entries()) {
    const faults = checkDns1123Label(namespace).map((sentence) => intro + sentence);
    yield* invalidFor(`${field}[${index}]`, namespace, faults);
  }
}

function* validatePathRule(rule: JsonObject, path: string): FieldErrors {
  yield* validateVerbs(rule, path);
  const paths = readTexts(rule['nonResourceURLs']);
  const field = `${path}.nonResourceURLs`;
  if (paths.length === 0) {
    yield required(field, 'nonResourceURLs must contain at least one value');
  }
  yield* validateAlone(paths, field, 'non-resource URLs');
  if (paths.includes('*')) return;
  for (const [index, one] of paths.entries()) {
    const fault = faultOfPath(one);
    if (fault !== undefined) yield invalidField(`${field}[${index}]`, one, fault);
  }
}

function faultOfPath(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const isSuffix = path.indexOf('*') === path.length - 1 && path.endsWith('/*');
  return path.includes('*') && !isSuffix ? 'wildcard can only do suffix matching' : undefined;
}
