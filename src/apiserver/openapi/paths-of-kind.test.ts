import { describe, expect, test } from 'vitest';
import type { KindDefinition } from '../objects/kind.ts';
import { deployments } from '../kinds/apps/deployment.ts';
import { namespaces } from '../kinds/core/namespace.ts';
import { nodes } from '../kinds/core/node.ts';
import { pods } from '../kinds/core/pods.ts';
import { pathsOfKind } from './paths-of-kind.ts';
import type { Method, Operation } from './spec.ts';

function operationsOf(kind: KindDefinition): ReadonlyMap<string, Operation> {
  return new Map(
    pathsOfKind(kind).flatMap(({ path, operations }) =>
      operations.map((one) => [`${one.method} ${path}`, one] as const),
    ),
  );
}

function find(kind: KindDefinition, method: Method, path: string): Operation {
  const found = operationsOf(kind).get(`${method} ${path}`);
  if (!found) throw new Error(`there is no ${method} ${path}`);
  return found;
}

const DEPLOYMENTS = '/apis/apps/v1/namespaces/{namespace}/deployments';

describe('the paths of a kind', () => {
  test('are its collections, its objects and their subresources', () => {
    expect([...operationsOf(deployments).keys()].toSorted()).toEqual(
      [
        'get /apis/apps/v1/deployments',
        `delete ${DEPLOYMENTS}`,
        `get ${DEPLOYMENTS}`,
        `post ${DEPLOYMENTS}`,
        `delete ${DEPLOYMENTS}/{name}`,
        `get ${DEPLOYMENTS}/{name}`,
        `patch ${DEPLOYMENTS}/{name}`,
        `put ${DEPLOYMENTS}/{name}`,
        `get ${DEPLOYMENTS}/{name}/scale`,
        `patch ${DEPLOYMENTS}/{name}/scale`,
        `put ${DEPLOYMENTS}/{name}/scale`,
        `get ${DEPLOYMENTS}/{name}/status`,
        `patch ${DEPLOYMENTS}/{name}/status`,
        `put ${DEPLOYMENTS}/{name}/status`,
      ].toSorted(),
    );
  });

  test('have no namespace if the kind has none', () => {
    expect(find(namespaces, 'get', '/api/v1/namespaces').id).toBe('listCoreV1Namespace');
    expect(find(namespaces, 'put', '/api/v1/namespaces/{name}/finalize').id).toBe(
      'replaceCoreV1NamespaceFinalize',
    );
  });

  test('leave out verbs that the kind does not have', () => {
    const frozen: KindDefinition = { ...deployments, verbs: ['get'], subresources: [] };
    expect([...operationsOf(frozen).keys()]).toEqual([`get ${DEPLOYMENTS}/{name}`]);
  });
});

describe('an operation', () => {
  test('that patches takes fieldValidation, by which kubectl knows that the server validates', () => {
    const patch = find(deployments, 'patch', `${DEPLOYMENTS}/{name}`);
    expect(patch.parameters.map(({ name, in: place }) => `${place} ${name}`)).toEqual([
      'query dryRun',
      'query fieldManager',
      'query fieldValidation',
      'query force',
      'path name',
      'path namespace',
      'query pretty',
    ]);
    expect(patch.consumes).toContain('application/strategic-merge-patch+json');
    expect(patch.kind).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect(patch.action).toBe('patch');
  });

  test('that lists may also watch, and answers with the list', () => {
    const list = find(deployments, 'get', '/apis/apps/v1/deployments');
    expect(list.id).toBe('listAppsV1DeploymentForAllNamespaces');
    expect(list.produces).toContain('application/json;stream=watch');
    expect(list.parameters.map(({ name }) => name)).toContain('watch');
    expect(list.answers[0]?.content).toEqual({ of: 'type', name: 'apps/v1.DeploymentList' });
  });

  test('that deletes many takes the options of lists and of deletions, but does not watch', () => {
    const { id, action, parameters, body } = find(deployments, 'delete', DEPLOYMENTS);
    expect(id).toBe('deleteAppsV1CollectionNamespacedDeployment');
    expect(action).toBe('deletecollection');
    const names = parameters.map(({ name }) => name);
    expect(names).toContain('labelSelector');
    expect(names).toContain('propagationPolicy');
    expect(names).not.toContain('watch');
    expect(body?.isRequired).toBe(false);
  });

  test('on a scale is of the kind Scale', () => {
    const scale = find(deployments, 'put', `${DEPLOYMENTS}/{name}/scale`);
    expect(scale.kind).toEqual({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
    expect(scale.body?.content).toEqual({ of: 'type', name: 'autoscaling/v1.Scale' });
    expect(scale.id).toBe('replaceAppsV1NamespacedDeploymentScale');
  });

  test('that deletes a pod answers with the pod, and a deployment with a Status', () => {
    const pod = find(pods, 'delete', '/api/v1/namespaces/{namespace}/pods/{name}');
    expect(pod.answers[0]?.content).toEqual({ of: 'type', name: 'core/v1.Pod' });
    const deployment = find(deployments, 'delete', `${DEPLOYMENTS}/{name}`);
    expect(deployment.answers[0]?.content).toEqual({ of: 'type', name: 'meta/v1.Status' });
  });

  test('that evicts takes an Eviction', () => {
    const evict = find(pods, 'post', '/api/v1/namespaces/{namespace}/pods/{name}/eviction');
    expect(evict.id).toBe('createCoreV1NamespacedPodEviction');
    expect(evict.kind).toEqual({ group: 'policy', version: 'v1', kind: 'Eviction' });
  });
});

describe('a connection to a pod', () => {
  const withStreams: KindDefinition = {
    ...pods,
    subresources: [
      { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'], connects: 'stream' },
      { name: 'log', kind: 'Pod', verbs: ['get'], connects: 'log' },
    ],
  };
  const pod = '/api/v1/namespaces/{namespace}/pods/{name}';

  test('has the fields of its options as parameters', () => {
    const exec = find(withStreams, 'post', `${pod}/exec`);
    expect(exec.id).toBe('connectCoreV1PostNamespacedPodExec');
    expect(exec.parameters.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'command string',
      'container string',
      'name string',
      'namespace string',
      'stderr boolean',
      'stdin boolean',
      'stdout boolean',
      'tty boolean',
    ]);
  });

  test('that is a log is read as text', () => {
    const log = find(withStreams, 'get', `${pod}/log`);
    expect(log.produces[0]).toBe('text/plain');
    expect(log.answers[0]?.content).toEqual({ of: 'text' });
    expect(log.parameters.map(({ name }) => name)).toContain('tailLines');
  });

  test('that goes through a proxy has every method, with and without a path behind it', () => {
    const operations = operationsOf({
      ...nodes,
      subresources: [
        { name: 'proxy', kind: 'NodeProxyOptions', verbs: ['get'], connects: 'proxy' },
      ],
    });
    expect(operations.get('head /api/v1/nodes/{name}/proxy')?.id).toBe(
      'connectCoreV1HeadNodeProxy',
    );
    expect(operations.get('options /api/v1/nodes/{name}/proxy/{path}')?.id).toBe(
      'connectCoreV1OptionsNodeProxyWithPath',
    );
  });
});
