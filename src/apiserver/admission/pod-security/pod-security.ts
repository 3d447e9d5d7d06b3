/**
 * Admission plugin PodSecurity: checks pods against the level in the labels of their namespace (policy.ts).
 *
 *     a pod                        enforce, audit, warn
 *     a pod template               audit, warn; `enforce` applies to the pods that its controller creates
 *     a namespace                  labels must be valid; a stricter level warns about existing pods
 *
 * 1. An update of a pod is checked only if it adds an image or a container, so existing pods can still be
 *    updated.
 * 2. A pod that is refused gets no warnings.
 * 3. Violations of the audit level are logged; kube-apiserver writes them to audit annotations.
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../ports/log.ts';
import type { ObjectStore } from '../../../ports/api/object-store.ts';
import { objectsAt, structAt } from '../../objects/field-path.ts';
import { readObject, readText } from '../../../api/validation/json-reading.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { forbidden, invalid } from '../../objects/status.ts';
import { isPod, type Admission, type AdmissionRequest } from '../../registry/admission.ts';
import type { CheckedPod } from './check.ts';
import { warnAboutPods } from './existing-pods.ts';
import { isSame, isStricter, printLevel, type LevelVersion } from './level.ts';
import { asksForNothing, policyOf, type Policy } from './policy.ts';
import { describeViolations, violationsOf } from './standards.ts';

/** Path of the pod template, by group and resource. */
const TEMPLATES: ReadonlyMap<string, string> = new Map([
  ['/podtemplates', 'template'],
  ['/replicationcontrollers', 'spec.template'],
  ['apps/replicasets', 'spec.template'],
  ['apps/deployments', 'spec.template'],
  ['apps/statefulsets', 'spec.template'],
  ['apps/daemonsets', 'spec.template'],
  ['batch/jobs', 'spec.template'],
  ['batch/cronjobs', 'spec.jobTemplate.spec.template'],
]);

/** Subresources whose writes change nothing that a check reads. */
const IGNORED: ReadonlySet<string> = new Set(['binding', 'eviction', 'status']);

export class PodSecurity implements Admission {
  readonly #store: ObjectStore;
  readonly #log: Log;

  constructor(store: ObjectStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  admit({ object }: AdmissionRequest): JsonObject {
    return object;
  }

  review(request: AdmissionRequest): void {
    const { verb, definition, subresource, object } = request;
    if (verb === 'delete') return;
    const { group, resource } = definition;
    if (isPod(definition)) {
      if (!IGNORED.has(subresource ?? '')) this.#reviewPod(request);
      return;
    }
    if (subresource !== null) return;
    if (group === '' && resource === 'namespaces') return this.#reviewNamespace(request);
    const path = TEMPLATES.get(`${group}/${resource}`);
    const template = path === undefined ? undefined : templateAt(object, path);
    if (!template) return;
    const policy = this.#policyFor(request);
    if (policy) this.#report(request, policy, checked(template));
  }

  #reviewPod(request: AdmissionRequest): void {
    const { definition, name, object, old } = request;
    if (old && !isSignificant(object, old)) return;
    const policy = this.#policyFor(request);
    if (!policy) return;
    const pod = checked(object);
    const violations = violationsOf(pod, policy.enforce);
    if (violations.length > 0) {
      this.#audit(request, policy.audit, pod);
      const level = printLevel(policy.enforce);
      const why = `violates PodSecurity "${level}": ${describeViolations(violations)}`;
      throw forbidden(definition, name, why);
    }
    this.#report(request, policy, pod);
  }

  #reviewNamespace({ definition, verb, name, object, old, warn }: AdmissionRequest): void {
    const policy = policyOf(object);
    const before = old ? policyOf(old) : null;
    const isKnown = before && JSON.stringify(before.errors) === JSON.stringify(policy.errors);
    if (policy.errors.length > 0 && !isKnown) throw invalid(definition, name, policy.errors);
    if (verb !== 'update' || !before) return;
    const { enforce } = policy;
    const isRelaxed =
      enforce.version === before.enforce.version &&
      !isStricter(enforce.level, before.enforce.level);
    if (isSame(enforce, before.enforce) || enforce.level === 'privileged' || isRelaxed) return;
    const pods = this.#store.list(`/core/pods/${name}/`).objects.map(({ value }) => value);
    for (const warning of warnAboutPods(name, pods, enforce)) warn?.(warning);
  }

  /** Null: the namespace sets no level. */
  #policyFor({ namespace }: AdmissionRequest): Policy | null {
    const found = this.#store.get(`/core/namespaces/${namespace}`)?.value;
    const policy = policyOf(found ?? {});
    return asksForNothing(policy) ? null : policy;
  }

  #report(request: AdmissionRequest, { audit, warn }: Policy, pod: CheckedPod): void {
    this.#audit(request, audit, pod);
    const violations = violationsOf(pod, warn);
    if (violations.length === 0) return;
    request.warn?.(wouldViolate(warn, describeViolations(violations)));
  }

  #audit(
    { definition, namespace, name, user }: AdmissionRequest,
    level: LevelVersion,
    pod: CheckedPod,
  ): void {
    const violations = violationsOf(pod, level);
    if (violations.length === 0) return;
    const { resource } = definition;
    const facts = { resource, namespace, name, user: user.name };
    this.#log.warn(`Object ${wouldViolate(level, describeViolations(violations))}`, facts);
  }
}

function wouldViolate(level: LevelVersion, detail: string): string {
  return `would violate PodSecurity "${printLevel(level)}": ${detail}`;
}

function templateAt(object: JsonObject, path: string): JsonObject | undefined {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parent = names.length === 0 ? object : structAt(object, names.join('.'));
  return readObject(parent[last]);
}

function checked(pod: JsonObject): CheckedPod {
  return { metadata: metadataOf(pod), spec: structAt(pod, 'spec') };
}

/**
 * Whether the update adds a container or changes an image. No other field that the checks read can change.
 */
function isSignificant(pod: JsonObject, old: JsonObject): boolean {
  const isChanged = ['spec.containers', 'spec.initContainers'].some((list) => {
    const [now, before] = [objectsAt(pod, list), objectsAt(old, list)];
    return (
      now.length !== before.length || now.some((one, at) => one['image'] !== before[at]?.['image'])
    );
  });
  if (isChanged) return true;
  const before = objectsAt(old, 'spec.ephemeralContainers');
  return objectsAt(pod, 'spec.ephemeralContainers').some((one) => {
    const same = before.find(({ name }) => readText(name) === readText(one['name']));
    return !same || same['image'] !== one['image'];
  });
}
