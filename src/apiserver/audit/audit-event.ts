/** Prints audit events (audit.k8s.io/v1) as kube-apiserver does. */
import { formatMicroTime } from '../../api/values/time.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ApiHeaders } from '../../ports/api/http-handler.ts';
import type { Attributes, User } from '../objects/access.ts';
import type { AuditLevel, AuditStage } from './policy.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  /** Null: the client could not be authenticated. */
  readonly user: User | null;
  readonly impersonatedUser: User | null;
  /** Such as `impersonate:user-info`. Empty: no constrained impersonation. */
  readonly impersonationConstraint: string;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef: ObjectReference | null;
  readonly responseStatus: JsonObject | null;
  readonly requestObject: Json | undefined;
  readonly responseObject: Json | undefined;
  readonly receivedMs: number;
  readonly stageMs: number;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ObjectReference {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

const USER_AGENT_CHARS_MAX = 1024;

export function referenceOf(attributes: Attributes): ObjectReference | null {
  if ('path' in attributes) return null;
  const { resource, namespace, name, group, version, subresource } = attributes;
  return {
    resource,
    namespace,
    name,
    uid: '',
    apiGroup: group,
    apiVersion: version,
    resourceVersion: '',
    subresource,
  };
}

/** The event as one line of JSON, with the fields in Go's order. */
export function printEvent(event: AuditEvent): string {
  const { level, auditID, stage, requestURI, verb, user, impersonatedUser } = event;
  const { impersonationConstraint: constraint } = event;
  return printExactJson({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID,
    stage,
    requestURI,
    verb,
    user: user ? describeUser(user) : {},
    ...(impersonatedUser && { impersonatedUser: describeUser(impersonatedUser) }),
    ...(constraint !== '' && {
      authenticationMetadata: { impersonationConstraint: constraint },
    }),
    ...(event.sourceIPs.length > 0 && { sourceIPs: event.sourceIPs }),
    ...(event.userAgent !== '' && { userAgent: event.userAgent }),
    ...(event.objectRef && { objectRef: withoutEmpty(event.objectRef) }),
    ...(event.responseStatus && { responseStatus: event.responseStatus }),
    ...(event.requestObject !== undefined && { requestObject: event.requestObject }),
    ...(event.responseObject !== undefined && { responseObject: event.responseObject }),
    requestReceivedTimestamp: formatMicroTime(event.receivedMs),
    stageTimestamp: formatMicroTime(event.stageMs),
    ...(Object.keys(event.annotations).length > 0 && { annotations: event.annotations }),
  });
}

/** The event in kube-apiserver's format `legacy`. */
export function printLegacy(event: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus, sourceIPs } = event;
  const groups = user && user.groups.length > 0 ? quoteAll(user.groups) : '<none>';
  const parts: readonly (readonly [string, string])[] = [
    ['id', event.auditID],
    ['stage', event.stage],
    ['ip', sourceIPs[0] ?? '<unknown>'],
    ['method', event.verb],
    ['user', user?.name ?? '<none>'],
    ['groups', groups],
    ['as', impersonatedUser?.name ?? '<self>'],
    ['asgroups', impersonatedUser ? quoteAll(impersonatedUser.groups) : '<lookup>'],
    ['user-agent', event.userAgent],
    ['namespace', objectRef?.namespace ? objectRef.namespace : '<none>'],
    ['uri', event.requestURI],
    ['response', responseStatus ? JSON.stringify(responseStatus['code'] ?? 0) : '<deferred>'],
  ];
  const text = parts.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ');
  return `${formatMicroTime(event.receivedMs)} AUDIT: ${text}`;
}

export function shortenAgent(agent: string): string {
  const isLong = agent.length > USER_AGENT_CHARS_MAX;
  return isLong ? `${agent.slice(0, USER_AGENT_CHARS_MAX)}...TRUNCATED` : agent;
}

/** The addresses in the proxies' headers, then the address of the connection. */
export function sourceIPsOf(headers: ApiHeaders, address: string | undefined): readonly string[] {
  const given = [...(headers.get('x-forwarded-for') ?? '').split(','), headers.get('x-real-ip')];
  const ips = [...given, address].flatMap((text) => {
    const ip = (text ?? '').trim().replace(/^::ffff:(?=\d+\.)/, '');
    return /^[\d.]+$|^[\da-f:.]*:[\da-f:.]*$/i.test(ip) ? [ip] : [];
  });
  return ips.filter((ip, index) => ip !== ips[index - 1]);
}

/** The object, list or table without managedFields. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata, items, rows } = object;
  const strip = (one: Json): Json => (isJsonObject(one) ? withoutManagedFields(one) : one);
  return {
    ...object,
    ...(isJsonObject(metadata) && { metadata: withoutField(metadata, 'managedFields') }),
    ...(Array.isArray(items) && { items: (items as readonly Json[]).map(strip) }),
    ...(Array.isArray(rows) && {
      rows: (rows as readonly Json[]).map((row) =>
        isJsonObject(row) && row['object'] !== undefined
          ? { ...row, object: strip(row['object']) }
          : row,
      ),
    }),
  };
}

function withoutField(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

function describeUser({ name, uid = '', groups, extra = {} }: User): JsonObject {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function withoutEmpty(reference: ObjectReference): JsonObject {
  return Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== ''));
}

function quoteAll(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(',');
}
