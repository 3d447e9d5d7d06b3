/**
 * Records the audit events of one request, at the stages that its policy rule selects.
 *
 *     RequestReceived    the client is authenticated, nothing else has happened
 *     ResponseStarted    only for long-running requests (watch, exec, log, proxy), and for
 *                        requests whose client could not be authenticated, as their only event
 *     ResponseComplete   the response is complete
 *     Panic              the server failed with an internal error
 *
 * The policy alone decides whether objects are recorded, even Secrets and tokens.
 */
import type { Duplex } from 'node:stream';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { ApiRequest, ApiResponse, ClientIdentity } from '../../ports/api/http-handler.ts';
import type { AccessDecision, AccessObserver, Attributes, User } from '../objects/access.ts';
import { readToken } from '../objects/json-web-token.ts';
import type { KindDefinition } from '../objects/kind.ts';
import { printedForm } from '../objects/printed-form.ts';
import { metadataOf, textOf } from '../objects/metadata.ts';
import { withAuditId, withAnswerEnd } from './audited-answer.ts';
import { referenceOf, shortenAgent, sourceIPsOf, withoutManagedFields } from './audit-event.ts';
import type { AuditEvent } from './audit-event.ts';
import { AUDIT_LEVELS, type AuditLevel, type AuditPolicy, type AuditStage } from './policy.ts';
import { evaluatePolicy, type AuditConfig } from './policy-match.ts';

export interface TrailDeps {
  readonly policy: AuditPolicy;
  readonly now: () => number;
  readonly record: (event: AuditEvent) => void;
}

const ISSUED_CREDENTIAL = 'authentication.kubernetes.io/issued-credential-id';
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'proxy',
  'log',
  'portforward',
]);

export class AuditTrail implements AccessObserver {
  readonly id: string;
  readonly #deps: TrailDeps;
  readonly #attributes: Attributes;
  #config: AuditConfig | null = null;
  #event: AuditEvent;
  #isAuthenticated = false;
  #lastStage: 'ResponseComplete' | 'Panic' = 'ResponseComplete';

  constructor(
    deps: TrailDeps,
    id: string,
    request: ApiRequest,
    identity: ClientIdentity,
    attributes: Attributes,
  ) {
    this.id = id;
    this.#deps = deps;
    this.#attributes = attributes;
    const { headers, url } = request;
    const receivedMs = deps.now();
    this.#event = {
      level: 'None',
      auditID: id,
      stage: 'RequestReceived',
      requestURI: uriOf(url),
      verb: attributes.verb,
      user: null,
      impersonatedUser: null,
      impersonationConstraint: '',
      sourceIPs: sourceIPsOf(headers, identity.address),
      userAgent: shortenAgent(headers.get('user-agent') ?? ''),
      objectRef: referenceOf(attributes),
      responseStatus: null,
      requestObject: undefined,
      responseObject: undefined,
      receivedMs,
      stageMs: receivedMs,
      annotations: {},
    };
  }

  /** The user who sent the request, before impersonation. */
  authenticated(user: User): void {
    this.#isAuthenticated = true;
    this.#begin(user);
    this.#emit('RequestReceived', this.#event.receivedMs);
  }

  /**
   * The impersonated user. `constraint`: the constrained mode that allowed it; empty: the verb `impersonate`.
   */
  impersonated(user: User, constraint: string): void {
    this.#event = { ...this.#event, impersonatedUser: user, impersonationConstraint: constraint };
  }

  decided({ isAllowed, reason }: AccessDecision): void {
    this.#annotate({
      'authorization.k8s.io/decision': isAllowed ? 'allow' : 'forbid',
      'authorization.k8s.io/reason': reason,
    });
  }

  /** The object of this kind that the client sent. */
  requested(definition: Pick<KindDefinition, 'rules' | 'type'>, object: JsonObject): void {
    const { objectRef } = this.#event;
    if (!this.#reaches('Metadata')) return;
    const { name, namespace, uid, resourceVersion } = metadataOf(object);
    this.#event = {
      ...this.#event,
      objectRef: objectRef && {
        ...objectRef,
        name: objectRef.name || textOf(name),
        namespace: objectRef.namespace || textOf(namespace),
        uid: textOf(uid),
        resourceVersion: textOf(resourceVersion),
      },
    };
    if (this.#reaches('Request')) this.#setRequest(asDecoded(definition, object));
  }

  /** The options of a delete, under kube-apiserver's internal name. */
  requestedDeletion(options: JsonObject): void {
    if (Object.keys(options).length === 0) return;
    const { kind: _kind, apiVersion: _version, ...rest } = options;
    this.requestedRaw({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...rest });
  }

  /** The patch that the client sent. */
  requestedRaw(body: Json): void {
    if (this.#reaches('Request')) this.#setRequest(body);
  }

  /** Whether the response body is recorded, too: then it must be built completely. */
  get recordsResponse(): boolean {
    return this.#reaches('RequestResponse');
  }

  responded(body: unknown): void {
    if (!isJsonObject(body)) return;
    if (body['kind'] === 'Status' && body['apiVersion'] === 'v1') {
      const { status, message, reason, details, code } = body;
      const responseStatus = {
        metadata: {},
        ...present({ status, message, reason, details, code }),
      };
      this.#event = { ...this.#event, responseStatus };
    }
    const issued = body['kind'] === 'TokenRequest' ? issuedCredential(body) : undefined;
    if (issued !== undefined) this.#annotate({ [ISSUED_CREDENTIAL]: issued });
    if (!this.recordsResponse || this.#isWatch) return;
    this.#event = { ...this.#event, responseObject: this.#strip(body) };
  }

  /** The server failed with an internal error. The event of the response is then the last one. */
  panicked(): void {
    this.#lastStage = 'Panic';
  }

  /** Records the stages of the response, now and at its end, and adds the audit ID header. */
  finish(answer: ApiResponse): ApiResponse {
    const audited = withAuditId(answer, this.id);
    this.#setCode(answer.status);
    if (!this.#isAuthenticated) {
      this.#begin(null);
      this.#emit('ResponseStarted', this.#deps.now());
      return audited;
    }
    if (!this.#isLong) {
      this.#complete();
      return audited;
    }
    this.#emit('ResponseStarted', this.#deps.now());
    return withAnswerEnd(audited, () => this.#complete());
  }

  /** The connection was upgraded to another protocol. */
  upgraded(socket: Duplex): void {
    this.#setCode(101);
    this.#emit('ResponseStarted', this.#deps.now());
    socket.once('close', () => this.#complete());
  }

  #begin(user: User | null): void {
    this.#config = evaluatePolicy(this.#deps.policy, user, this.#attributes);
    this.#event = { ...this.#event, user, level: this.#config.level };
  }

  #complete(): void {
    this.#emit(this.#lastStage, this.#deps.now());
  }

  #emit(stage: AuditStage, stageMs: number): void {
    if (!this.#config || this.#config.level === 'None' || this.#config.omitStages.has(stage))
      return;
    this.#deps.record({ ...this.#event, stage, stageMs });
  }

  /** Adds annotations, such as those of webhooks. An existing annotation is not replaced. */
  annotate(more: Readonly<Record<string, string>>): void {
    this.#annotate({ ...more, ...this.#event.annotations });
  }

  #annotate(more: Readonly<Record<string, string>>): void {
    this.#event = { ...this.#event, annotations: { ...this.#event.annotations, ...more } };
  }

  #setCode(code: number): void {
    const responseStatus = { metadata: {}, ...this.#event.responseStatus, code };
    this.#event = { ...this.#event, responseStatus };
  }

  #setRequest(body: Json): void {
    this.#event = { ...this.#event, requestObject: isJsonObject(body) ? this.#strip(body) : body };
  }

  #strip(object: JsonObject): JsonObject {
    return this.#config?.omitManagedFields ? withoutManagedFields(object) : object;
  }

  #reaches(level: AuditLevel): boolean {
    const own = this.#config?.level ?? 'None';
    return AUDIT_LEVELS.indexOf(own) >= AUDIT_LEVELS.indexOf(level);
  }

  get #isWatch(): boolean {
    return this.#attributes.verb === 'watch';
  }

  get #isLong(): boolean {
    if ('path' in this.#attributes) return false;
    return this.#isWatch || LONG_SUBRESOURCES.has(this.#attributes.subresource);
  }
}

/** The ID of an issued token; the token itself is never recorded. */
function issuedCredential({ status }: JsonObject): string | undefined {
  const token = isJsonObject(status) ? readToken(textOf(status['token'])) : null;
  const id = token?.claims['jti'];
  return typeof id === 'string' ? `JTI=${id}` : undefined;
}

function uriOf(url: string): string {
  const at = url.indexOf('/', url.indexOf('://') + 3);
  return at < 0 ? '/' : url.slice(at);
}

/** kube-apiserver records the decoded object: with the defaults of its kind, in Go's form. */
function asDecoded(
  { rules, type }: Pick<KindDefinition, 'rules' | 'type'>,
  object: JsonObject,
): JsonObject {
  try {
    const whole = rules.applyDefaults?.(object) ?? object;
    return type ? printedForm(whole, type) : whole;
  } catch {
    return object; // an object that cannot be defaulted is recorded as it came
  }
}

function present(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
