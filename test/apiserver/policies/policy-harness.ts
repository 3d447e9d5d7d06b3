/** An API server with short ways to write policies and bindings, and to try what they do. */
import { readText } from '../../../src/api/validation/json-reading.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { ApiHarness, type Answer } from '../api-harness.ts';

export const GROUP = '/apis/admissionregistration.k8s.io/v1';
export const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

export function rule(
  resource: string,
  operations: readonly string[] = ['CREATE', 'UPDATE'],
  more: JsonObject = {},
): JsonObject {
  const [name = '', ...parts] = resource.split('.');
  const group = parts.join('.');
  return { apiGroups: [group], apiVersions: ['v1'], operations, resources: [name], ...more };
}

/** The spec of a policy for one resource. */
export function specFor(resource: string, more: JsonObject): JsonObject {
  return { matchConstraints: { resourceRules: [rule(resource)] }, ...more };
}

export function deployment(name: string, replicas: number): JsonObject {
  const labels = { app: 'web' };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image: 'web:1' }] },
  };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

export class PolicyHarness extends ApiHarness {
  static override async open(): Promise<PolicyHarness> {
    const harness = new PolicyHarness();
    await harness.send('POST', '/api/v1/namespaces', {
      metadata: { name: 'default', labels: { team: 'blue' } },
    });
    return harness;
  }

  /** A policy `p` with a binding `b` that denies. */
  async validating(spec: JsonObject, binding: JsonObject = {}): Promise<void> {
    await this.ok(`${GROUP}/validatingadmissionpolicies`, 'p', spec);
    const actions = { policyName: 'p', validationActions: ['Deny'] };
    await this.ok(`${GROUP}/validatingadmissionpolicybindings`, 'b', { ...actions, ...binding });
  }

  /** A policy and a binding of the same name. */
  async mutating(name: string, spec: JsonObject, binding: JsonObject = {}): Promise<void> {
    await this.ok(`${GROUP}/mutatingadmissionpolicies`, name, {
      reinvocationPolicy: 'Never',
      ...spec,
    });
    await this.ok(`${GROUP}/mutatingadmissionpolicybindings`, name, {
      policyName: name,
      ...binding,
    });
  }

  /** Creates an object that must be accepted. */
  async ok(path: string, name: string, spec: JsonObject): Promise<Answer> {
    const answer = await this.send('POST', path, { metadata: { name }, spec });
    if (answer.code !== 201) throw new Error(`${answer.code}: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  /** The code and the message of a new ConfigMap. */
  async tryData(name: string, data: JsonObject, labels: JsonObject = {}): Promise<string> {
    const { code, body } = await this.create(name, { metadata: { name, labels }, data });
    return code === 201 ? '201' : `${code} ${readText(body['message'])}`;
  }
}
