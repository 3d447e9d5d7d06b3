import { expect, test } from 'vitest';
import { VirtualClock } from '../../../../test/support/virtual-clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { ChangeRequest } from '../api-session.ts';
import { drainNode } from './drain-node.ts';

const POLICY = { force: false, deleteEmptyDirData: false };
const NEVER = new AbortController().signal;
const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true };

function podNamed(name: string, more: JsonObject = {}): JsonObject {
  const metadata = { namespace: 'ns', name, uid: name, ownerReferences: [OWNER], ...more };
  return { metadata, status: { phase: 'Running' } };
}

/** An API with these pods, whose evictions are refused `refusals` times. */
function harness(given: readonly JsonObject[], refusals = 0) {
  const clock = new VirtualClock();
  const pods = new Map(given.map((pod) => [String(nameIn(pod)), pod]));
  const changes: ChangeRequest[] = [];
  const lines: string[] = [];
  const warnings: string[] = [];
  let left = refusals;
  const session = {
    ask: async (target: string): Promise<JsonObject> => {
      if (target.startsWith('/api/v1/pods?')) return { items: [...pods.values()] };
      const pod = pods.get(target.split('/').at(-1) ?? '');
      if (pod) return pod;
      throw new ApiError({ statusCode: 404, reason: 'NotFound', message: 'not found' });
    },
    change: async (request: ChangeRequest): Promise<JsonObject> => {
      changes.push(request);
      if (!request.target.endsWith('/eviction')) return {};
      if (left > 0) {
        left -= 1;
        const message = 'it would violate the budget';
        throw new ApiError({ statusCode: 429, reason: 'TooManyRequests', message });
      }
      pods.delete(request.target.split('/').at(-2) ?? '');
      return {};
    },
  };
  const deps = {
    session,
    clock,
    print: (line: string) => void lines.push(line),
    warn: (line: string) => void warnings.push(line),
  };
  return { clock, deps, changes, lines, warnings };
}

function nameIn({ metadata }: JsonObject): unknown {
  return metadata !== null && typeof metadata === 'object' && 'name' in metadata
    ? metadata['name']
    : undefined;
}

test('a node is cordoned, and then its pods are evicted', async () => {
  const { deps, changes, lines } = harness([podNamed('a')]);
  await drainNode(deps, 'n1', { ...POLICY, graceSeconds: 3 }, NEVER);
  expect(changes.map(({ method, target }) => `${method} ${target}`)).toEqual([
    'PATCH /api/v1/nodes/n1',
    'POST /api/v1/namespaces/ns/pods/a/eviction',
  ]);
  expect(changes[1]?.body).toMatchObject({ deleteOptions: { gracePeriodSeconds: 3 } });
  expect(lines).toEqual([
    'node/n1 cordoned',
    'evicting pod ns/a',
    'pod/a evicted',
    'node/n1 drained',
  ]);
});

test('an eviction that a budget forbids is tried again after five seconds', async () => {
  const { clock, deps, changes, warnings } = harness([podNamed('a')], 2);
  const drained = drainNode(deps, 'n1', POLICY, NEVER);
  await clock.pass(4999);
  expect(changes).toHaveLength(2);
  await clock.pass(1);
  expect(changes).toHaveLength(3);
  await clock.pass(5000);
  await drained;
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('it would violate the budget');
});

test('after the timeout the drain ends, and says which pods are left', async () => {
  const { clock, deps } = harness([podNamed('a')], Number.POSITIVE_INFINITY);
  const drained = drainNode(deps, 'n1', { ...POLICY, timeoutMs: 7000 }, NEVER);
  const failed = drained.catch((error: unknown) => error);
  await clock.pass(7000);
  expect(await failed).toMatchObject({
    code: 'DRAIN_OVERDUE',
    message: 'node n1 is not drained after 7 s: ns/a still there',
  });
});

test('a pod that must not be evicted is refused before anything has changed', async () => {
  const { deps, changes } = harness([podNamed('a'), podNamed('b', { ownerReferences: [] })]);
  await expect(drainNode(deps, 'n1', POLICY, NEVER)).rejects.toMatchObject({
    code: 'DRAIN_REFUSED',
    message: expect.stringContaining('ns/b'),
  });
  expect(changes).toEqual([]);
});

test('pods that stay are named', async () => {
  const daemon = { ownerReferences: [{ ...OWNER, kind: 'DaemonSet' }] };
  const { deps, warnings, changes } = harness([podNamed('d', daemon)]);
  await drainNode(deps, 'n1', POLICY, NEVER);
  expect(warnings).toEqual(['ignoring DaemonSet-managed Pods: ns/d']);
  expect(changes).toHaveLength(1);
});
