/**
 * Implements POST serviceaccounts/token (TokenRequest): issues a token with audiences and an expiry. It may
 * be bound to a pod, a Secret or a node, and becomes invalid when that object is deleted.
 */
import { formatTime } from '../../../api/values/time.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Action, ActionRequest } from '../../objects/action.ts';
import type { NodeRestriction } from '../node/node-restriction.ts';
import { requestedToken } from '../service-account-token.ts';
import type { SigningKey } from '../../objects/signing-key.ts';
import type { BoundObject, Reference } from '../token-claims.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { textAt } from '../../objects/field-path.ts';
import { printedForm } from '../../objects/printed-form.ts';
import { invalidField } from '../../../api/validation/field-errors.ts';
import {
  readObject,
  readStruct,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { makeUid, metadataOf, nameOf, textOf, withMetadata } from '../../objects/metadata.ts';
import type { ServerParts } from '../../registry/server-parts.ts';
import { badRequest, conflict, invalid as invalidObject, notFound } from '../../objects/status.ts';

export interface TokenParts {
  readonly signingKey: SigningKey;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly nodeRestriction: NodeRestriction;
}

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const SECONDS_DEFAULT = 3600;
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;
/** The lifetime by which the API server recognizes requests for tokens that are mounted by default. */
const MOUNTED_SECONDS = 3607;
/** The actual lifetime of these tokens, one year, for programs that read their token only once. */
const EXTENDED_SECONDS = 365 * 24 * 60 * 60;
const SECOND_MS = 1000;

type Parts = Pick<ServerParts, 'store' | 'clock' | 'random'>;

export function tokenRequestAction(parts: Parts, access: TokenParts): Action {
  return async (asked) => {
    const { store, clock, random } = parts;
    checkNames(asked);
    const account = requireAccount(store, asked);
    const request = complete(asked, account, access.audiences, clock.now());
    check(request);
    restrict(access.nodeRestriction, asked, request);
    const bound = findBound(store, asked, request);
    const spec = readStruct(request['spec']);
    const [seconds, audiences] = [Number(spec['expirationSeconds']), readTexts(spec['audiences'])];
    const isForUs = audiences.every((audience) => access.audiences.includes(audience));
    const isExtended = bound?.kind === 'pod' && seconds === MOUNTED_SECONDS && isForUs;
    const nowMs = clock.now();
    const token = requestedToken(access.signingKey, {
      issuer: access.issuer,
      account,
      audiences,
      ...(bound && { bound }),
      nowMs,
      expirationSeconds: isExtended ? EXTENDED_SECONDS : seconds,
      ...(isExtended && { warnAfterSeconds: seconds }),
      id: makeUid(random),
    });
    const status = { token, expirationTimestamp: formatTime(nowMs + seconds * SECOND_MS) };
    return { code: 201, body: print(asked, { ...request, status }) };
  };
}

/** The names in the body must match the path. */
function checkNames({ body, name, namespace }: ActionRequest): void {
  const given = metadataOf(body);
  const [requestedName, requestedNamespace] = [textOf(given['name']), textOf(given['namespace'])];
  if (requestedNamespace !== '' && requestedNamespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (requestedName === '' || requestedName === name) return;
  const detail = 'must match the service account name if specified';
  throw invalidObject(KIND, name, [invalidField('metadata.name', requestedName, detail)]);
}

function requireAccount(store: Parts['store'], asked: ActionRequest): JsonObject {
  const { definition, namespace, name, body } = asked;
  const account = store.get(`/core/serviceaccounts/${namespace}/${name}`)?.value;
  if (!account) throw notFound(definition, name);
  const given = textOf(metadataOf(body)['uid']);
  const uid = textOf(metadataOf(account)['uid']);
  if (given === '' || given === uid) return account;
  throw conflict(
    { group: KIND.group, resource: KIND.kind },
    name,
    `the UID in the token request (${given}) does not match the UID of the service account (${uid})`,
  );
}

function complete(
  { body }: ActionRequest,
  account: JsonObject,
  ownAudiences: readonly string[],
  nowMs: number,
): JsonObject {
  const { name, namespace, uid } = metadataOf(account);
  const spec = readStruct(body['spec']);
  const audiences = readTexts(spec['audiences']);
  const seconds = spec['expirationSeconds'];
  const { status: _status, ...rest } = body;
  return {
    ...withMetadata(rest, { name, namespace, uid, creationTimestamp: formatTime(nowMs) }),
    spec: {
      ...spec,
      audiences: audiences.length === 0 ? ownAudiences : audiences,
      expirationSeconds: typeof seconds === 'number' ? seconds : SECONDS_DEFAULT,
    },
  };
}

function check(request: JsonObject): void {
  const seconds = Number(readStruct(request['spec'])['expirationSeconds']);
  const field = 'spec.expirationSeconds';
  const errors: readonly FieldError[] = [
    ...(seconds < SECONDS_MIN
      ? [invalidField(field, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > SECONDS_MAX
      ? [invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
  ];
  if (errors.length > 0) throw invalidObject(KIND, '', errors);
}

function restrict(restriction: NodeRestriction, asked: ActionRequest, object: JsonObject): void {
  const { definition, namespace, name, user, dryRun, body } = asked;
  // NodeRestriction checks the audiences that the kubelet sent, without defaults.
  const { audiences = [] } = readStruct(body['spec']);
  const worded = { ...object, spec: { ...readStruct(object['spec']), audiences } };
  const what = { definition, subresource: 'token', namespace, name, object: worded, old: null };
  restriction.admit({ ...what, verb: 'create', user, dryRun });
}

function findBound(
  store: Parts['store'],
  asked: ActionRequest,
  request: JsonObject,
): BoundObject | undefined {
  const reference = readObject(readStruct(request['spec'])['boundObjectRef']);
  if (!reference) return undefined;
  const { name: accountName, namespace } = asked;
  const [kind, name] = [readText(reference['kind']), readText(reference['name'])];
  const [group, version] = readApiVersion(readText(reference['apiVersion']));
  const resource = group === '' ? BINDABLE.get(kind) : undefined;
  if (resource === undefined) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const place = kind === 'Node' ? name : `${namespace}/${name}`;
  const object = store.get(`/core/${resource}/${place}`)?.value;
  if (!object) throw notFound({ group: '', resource }, name);
  if (kind === 'Pod' && textAt(object, 'spec.serviceAccountName') !== accountName) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(accountName)} ` +
        'to pod running with different serviceaccount name.',
    );
  }
  checkUid(reference, object);
  if (kind === 'Pod') return withNode(store, object);
  return { kind: kind === 'Node' ? 'node' : 'secret', object };
}

const BINDABLE: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['Node', 'nodes'],
  ['Secret', 'secrets'],
]);

function readApiVersion(text: string): readonly [group: string, version: string] {
  const [first = '', second] = text.split('/');
  return second === undefined ? ['', first] : [first, second];
}

function checkUid(reference: JsonObject, object: JsonObject): void {
  const given = readText(reference['uid']);
  if (given === '' || given === metadataOf(object)['uid']) return;
  throw conflict(
    { group: '', resource: readText(reference['kind']) },
    nameOf(object),
    `the UID in the bound object reference (${given}) does not match the UID in record. ` +
      'The object might have been deleted and then recreated',
  );
}

/** If the pod's node no longer exists, only its name is recorded. */
function withNode(store: Parts['store'], pod: JsonObject): BoundObject {
  const name = textAt(pod, 'spec.nodeName');
  if (name === '') return { kind: 'pod', object: pod };
  const found = store.get(`/core/nodes/${name}`)?.value;
  const node: Reference = found ? { name, uid: textOf(metadataOf(found)['uid']) } : { name };
  return { kind: 'pod', object: pod, node };
}

/** The response has the kind TokenRequest, not that of the resource. */
function print({ definition }: ActionRequest, object: JsonObject): JsonObject {
  const body = definition.subresources?.find(({ name }) => name === 'token')?.body;
  const whole = { ...object, kind: KIND.kind, apiVersion: `${KIND.group}/v1` };
  return body?.type ? printedForm(whole, body.type) : whole;
}
