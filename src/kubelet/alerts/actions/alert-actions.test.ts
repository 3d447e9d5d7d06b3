import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AlertsHarness } from '../../../../test/support/alerts-harness.ts';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import type { Pod } from '../../../api/pod.ts';
import { prometheusText } from '../../../lib/metrics/exposition.ts';
import { ApiError } from '../../../ports/api/api-client.ts';
import type { KubeRequest } from '../../../ports/api/kube-api.ts';
import type { NodeAlertsDeps } from '../node-alerts.ts';

const UNREADY = 'containers.exists(c, !c.ready)';
const NOT_READY = '!container.ready';
const PRESSURE = 'node.status.conditions.size() > 0';

interface ActionWorld {
  readonly expr: string;
  readonly actions: string;
  readonly rootFolder?: string;
  readonly rules?: string;
  readonly deps?: Partial<NodeAlertsDeps>;
}

function worldWith(options: ActionWorld) {
  const { expr, actions, deps = {} } = options;
  const { rootFolder = makeTempFolder(), rules = makeTempFolder() } = options;
  const file = path.join(rules, 'a.yaml');
  const text = `groups:\n  - name: apps\n    rules:\n      - alert: Some\n        expr: '${expr}'\n        actions: [${actions}]\n`;
  writeFileSync(file, text, { mode: 0o600 });
  const requests: KubeRequest[] = [];
  const send = (request: KubeRequest) => {
    requests.push(request);
    return Promise.resolve({});
  };
  const world = new AlertsHarness({
    rootFolder,
    api: { send },
    options: { rules, defaults: false, commands: true },
    watch: () => () => {},
    ...deps,
  });
  return { world, requests };
}

/** The alert of the pod fires, and what follows has happened. */
async function fire(world: AlertsHarness, name: string): Promise<void> {
  world.setContainer(name, { ready: false });
  await world.clock.pass(1000);
}

async function resolve(world: AlertsHarness, name: string): Promise<void> {
  world.setContainer(name, { ready: true });
  await world.clock.pass(1000);
}

function resultsOf(world: AlertsHarness): readonly string[] {
  return world.alerts
    .all()
    .flatMap((alert) =>
      (
        (alert['actions'] ?? []) as readonly { action: string; result: string; message: string }[]
      ).map(({ action, result, message }) => `${action} ${result}: ${message}`),
    );
}

function eventsIn(world: AlertsHarness): readonly string[] {
  return world.takeLines().filter((line) => line.includes('AlertAction'));
}

describe('evict', () => {
  test('asks the API for an eviction of this pod, and says so', async () => {
    const { world, requests } = worldWith({ expr: UNREADY, actions: '{ type: evict }' });
    world.put('web');
    await fire(world, 'web');
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/api/v1/namespaces/default/pods/web/eviction',
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { namespace: 'default', name: 'web' },
          deleteOptions: { preconditions: { uid: 'uid-web' } },
        },
      },
    ]);
    expect(resultsOf(world)).toEqual(['evict done: evicted the pod']);
    expect(eventsIn(world)).toEqual([
      '  event of pod web: Normal AlertActionTaken: evict: evicted the pod (alert Some)',
    ]);
    expect(world.decisions.of('uid-web')).toMatchObject([
      {
        machine: 'alert-action',
        from: 'evict',
        to: 'done',
        why: 'alert Some fires: evicted the pod',
      },
    ]);
    expect(prometheusText.expose(world.registry)).toContain(
      'podkeep_alert_actions_total{action="evict",alertname="Some",result="done"} 1',
    );
  });

  test('that the API refuses is recorded, with a Warning, and not tried again', async () => {
    let tries = 0;
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const api = {
      send: () => {
        tries += 1;
        return Promise.reject(
          new ApiError({ statusCode: 429, reason: 'TooManyRequests', message }),
        );
      },
    };
    const { world } = worldWith({ expr: UNREADY, actions: '{ type: evict }', deps: { api } });
    world.put('web');
    await fire(world, 'web');
    await world.clock.pass(300_000);
    expect(tries).toBe(1);
    expect(resultsOf(world)).toEqual([`evict failed: ${message}`]);
    expect(eventsIn(world)).toEqual([
      `  event of pod web: Warning AlertActionFailed: evict: ${message} (alert Some)`,
    ]);
  });

  test.each<[string, (pod: Pod) => Pod, string]>([
    [
      'static',
      ({ metadata, ...pod }) => ({
        ...pod,
        metadata: { ...metadata, annotations: { 'kubernetes.io/config.source': 'file' } },
      }),
      'it is a static pod',
    ],
    [
      'critical',
      ({ spec, ...pod }) => ({ ...pod, spec: { ...spec, priority: 2_000_001_000 } }),
      'it is a critical pod',
    ],
    [
      'being deleted',
      ({ metadata, ...pod }) => ({
        ...pod,
        metadata: { ...metadata, deletionTimestamp: '2030-01-02T03:04:05Z' },
      }),
      'the pod is being deleted',
    ],
  ])('is refused for a pod that is %s', async (_what, change, problem) => {
    const { world, requests } = worldWith({ expr: UNREADY, actions: '{ type: evict }' });
    world.pods.update(change(world.put('web')));
    await fire(world, 'web');
    expect(requests).toEqual([]);
    expect(resultsOf(world).join()).toContain(`evict refused: ${problem}`);
    expect(eventsIn(world).join()).toContain('Warning AlertActionRefused');
  });

  test('treats all pods of a controller as one: the next pod of it is not evicted in the window', async () => {
    const { world, requests } = worldWith({
      expr: UNREADY,
      actions: '{ type: evict, rateLimit: { max: 5, per: 10m } }',
    });
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true },
    ];
    for (const name of ['web-1', 'web-2']) {
      world.put(name, { ownerReferences });
      await fire(world, name);
    }
    world.put('other');
    await fire(world, 'other');
    expect(requests.map((request) => request.path.split('/')[6])).toEqual(['web-1', 'other']);
    expect(resultsOf(world)[1]).toContain('evict repeated: not again within 600 s');
  });
});

describe('limits', () => {
  test('an alert that fires again within the window does not act again, after it it does', async () => {
    const { world, requests } = worldWith({
      expr: UNREADY,
      actions: '{ type: evict, rateLimit: { max: 9, per: 1m } }',
    });
    world.put('web');
    for (let index = 0; index < 20; index += 1) {
      await fire(world, 'web');
      await resolve(world, 'web');
    }
    expect(requests).toHaveLength(1);
    // Skipped actions are recorded once.
    expect(world.decisions.of('uid-web').map(({ to }) => to)).toEqual(['done', 'repeated']);
    await world.clock.pass(20_000);
    await fire(world, 'web');
    expect(requests).toHaveLength(2);
  });

  test('hold for all alerts of a rule together', async () => {
    const { world, requests } = worldWith({
      expr: UNREADY,
      actions: '{ type: evict, rateLimit: { max: 3, per: 1m } }',
    });
    for (let index = 0; index < 50; index += 1) {
      world.put(`web${index}`);
      world.setContainer(`web${index}`, { ready: false });
    }
    await world.clock.pass(1000);
    expect(requests).toHaveLength(3);
  });

  test('hold across a restart of podkeep', async () => {
    const folders = { rootFolder: makeTempFolder(), rules: makeTempFolder() };
    const options = { expr: UNREADY, actions: '{ type: evict }', ...folders };
    for (const expected of [1, 0, 0]) {
      const { world, requests } = worldWith(options);
      world.put('web');
      await fire(world, 'web');
      world.alerts.close();
      expect(requests).toHaveLength(expected);
    }
  });

  test('a dry run does nothing, counts, and says what would be done', async () => {
    const { world, requests } = worldWith({
      expr: UNREADY,
      actions: '{ type: evict, dryRun: true }',
    });
    for (const name of ['web', 'db']) {
      world.put(name);
      await fire(world, name);
    }
    expect(requests).toEqual([]);
    expect(resultsOf(world)).toEqual([
      'evict dryRun: not done',
      'evict rateLimited: the rate limit of 1 in 600 s is reached',
    ]);
    expect(eventsIn(world)).toEqual([
      '  event of pod web: Normal AlertActionDryRun: evict: not done (alert Some)',
    ]);
  });
});

test('cordon patches the Node', async () => {
  const { world, requests } = worldWith({ expr: PRESSURE, actions: '{ type: cordon }' });
  world.conditions = [{ type: 'MemoryPressure', status: 'True' }];
  await world.clock.pass(16_000);
  expect(requests).toEqual([
    {
      method: 'PATCH',
      path: '/api/v1/nodes/node1',
      contentType: 'application/merge-patch+json',
      body: { spec: { unschedulable: true } },
    },
  ]);
  expect(eventsIn(world)).toEqual([
    '  event of the node: Normal AlertActionTaken: cordon: cordoned the node (alert Some)',
  ]);
});

describe('restart', () => {
  function restartWorld() {
    const stopped: string[] = [];
    const stopContainer: NodeAlertsDeps['stopContainer'] = async (pod, name, message) => {
      stopped.push(`${pod.metadata.name} ${name}: ${message}`);
      return true;
    };
    const actions = '{ type: restart }';
    return { stopped, ...worldWith({ expr: NOT_READY, actions, deps: { stopContainer } }) };
  }

  test('stops the container of the alert', async () => {
    const { world, stopped } = restartWorld();
    world.put('web');
    await fire(world, 'web');
    expect(stopped).toEqual(['web main: Container main is restarted by alert Some']);
    expect(resultsOf(world)).toEqual(['restart done: stopped container main']);
  });

  test.each(['Never', 'OnFailure'] as const)(
    'is refused with the restart policy %s: the container might not come back',
    async (restartPolicy) => {
      const { world, stopped } = restartWorld();
      const pod = world.put('web');
      world.pods.update({ ...pod, spec: { ...pod.spec, restartPolicy } });
      await fire(world, 'web');
      expect(stopped).toEqual([]);
      expect(resultsOf(world).join()).toContain(`its restart policy is ${restartPolicy}`);
    },
  );
});

describe('webhook', () => {
  test.each([
    [204, 'webhook done: called the webhook at hooks.example'],
    [500, 'webhook failed: the webhook at hooks.example answered 500'],
  ])('is called once with the alert; its answer %i is recorded', async (status, result) => {
    const bodies: string[] = [];
    const post: NodeAlertsDeps['post'] = async ({ body }) => {
      bodies.push(body);
      return status;
    };
    const actions = '{ type: webhook, url: "https://hooks.example/secret-path" }';
    const { world } = worldWith({ expr: UNREADY, actions, deps: { post } });
    world.put('web');
    await fire(world, 'web');
    await world.clock.pass(120_000);
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toMatchObject([
      { node: 'node1', alert: { status: 'firing', labels: { alertname: 'Some', pod: 'web' } } },
    ]);
    expect(resultsOf(world)).toEqual([result]);
    expect(world.takeLines().join()).not.toContain('secret-path');
  });
});

describe('command', () => {
  function commandWorld(exitCode: number, program = process.execPath) {
    const runs: (readonly string[])[] = [];
    const runCommand: NodeAlertsDeps['runCommand'] = async (args, input) => {
      runs.push([...args, input]);
      return { exitCode, signal: null, output: 'a secret' };
    };
    const actions = `{ type: command, args: ["${program}", "--x"] }`;
    return { runs, ...worldWith({ expr: UNREADY, actions, deps: { runCommand } }) };
  }

  test('runs with the alert as its input, and its exit code is recorded without its output', async () => {
    const { world, runs } = commandWorld(3);
    world.put('web');
    await fire(world, 'web');
    expect(runs).toHaveLength(1);
    expect(runs[0]?.slice(0, 2)).toEqual([process.execPath, '--x']);
    expect(JSON.parse(runs[0]?.[2] ?? '')).toMatchObject({ alert: { labels: { pod: 'web' } } });
    expect(resultsOf(world)).toEqual([`command failed: ${process.execPath} exited with code 3`]);
    expect(world.takeLines().join()).not.toContain('a secret');
  });

  test('is refused if another user may write to the program', async () => {
    const program = path.join(makeTempFolder(), 'program');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o777);
    const { world, runs } = commandWorld(0, program);
    world.put('web');
    await fire(world, 'web');
    expect(runs).toEqual([]);
    expect(resultsOf(world).join()).toContain('is not safe to use: every user may write to it');
  });

  test('is not loaded from a folder where every user may replace the file', () => {
    const rules = makeTempFolder();
    const text =
      'groups:\n  - name: apps\n    rules:\n      - { alert: Some, expr: now == now, actions: [{ type: command, args: [/bin/true] }] }\n';
    writeFileSync(path.join(rules, 'a.yaml'), text, { mode: 0o600 });
    chmodSync(rules, 0o777);
    const world = new AlertsHarness({
      options: { rules, defaults: false, commands: true },
      watch: () => () => {},
    });
    expect(world.takeLines().join()).toContain('every user may rename it');
    expect(world.alerts.all()).toEqual([]);
  });
});
