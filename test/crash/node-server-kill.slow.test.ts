/** The API server is killed and its node is not: the node goes on, and reports everything to the next one. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { bundlePodkeep } from '../support/podkeep-bundle.ts';
import { logFaults } from './node-kill/logs.ts';
import type { NodeProcess } from './node-kill/node-process.ts';
import { podOf, type Kind } from './node-kill/pods.ts';
import { isReady } from './node-kill/pod-view.ts';
import { findPort, TestCluster } from './node-kill/test-cluster.ts';
import { userOf } from './node-kill/users.ts';

const KINDS: readonly Kind[] = ['lasting', 'hooked', 'initialized', 'ending', 'crashing'];
const LASTING = KINDS.slice(0, 3);
const AWAY_MS = 4000;
/** So that it ends while the server is down: five lines a second. */
const ENDING_LINES = 25;

test.for(['root', 'an ordinary user'] as const)(
  'a node outlives its API server and reports everything to the next one, run by %s',
  { timeout: 300_000 },
  async (who, context) => {
    const program = await bundlePodkeep('node-server-kill');
    const cluster = await TestCluster.make({ program, ...userOf(who, context) });
    onTestFinished(() => cluster.remove());
    const port = String(await findPort());
    let server = await serve(cluster, port);
    const kubelet = joinNode(cluster);
    await kubelet.event('node');
    for (const kind of KINDS) {
      await cluster.create(
        podOf(
          { name: kind, kind, lines: kind === 'ending' ? ENDING_LINES : 2, code: 9 },
          cluster.ledger,
        ),
      );
    }
    await cluster.settle(() => unready(cluster));
    const inits = await lastingInits(cluster);

    const ending = await cluster.pod('ending');
    await server.kill('SIGKILL');
    await delay(AWAY_MS);
    await cluster.settle(() => {
      const isOver = cluster.readLedger().run(ending.metadata.uid, 'main', 0)?.code === 9;
      return isOver ? [] : ['the pod that was to end has not'];
    });
    server = await serve(cluster, port);
    await cluster.settle(async () => {
      // Not for a moment: nothing happened to them.
      expect(await unready(cluster)).toEqual([]);
      const { phase, containerStatuses } = (await cluster.pod('ending')).status;
      const code = containerStatuses?.[0]?.state.terminated?.exitCode;
      return phase === 'Failed' && code === 9 ? [] : [`${phase}, ${code}`];
    });
    expect(await lastingInits(cluster)).toEqual(inits);
    for (const kind of LASTING) {
      expect((await cluster.pod(kind)).status.containerStatuses?.[0]?.restartCount).toBe(0);
    }
    const over = await cluster.pod('ending');
    expect(logFaults(cluster.data, over, cluster.readLedger())).toEqual([]);

    for (const kind of KINDS) await cluster.delete(kind);
    await cluster.settle(async () => (await cluster.pods()).map(({ metadata }) => metadata.name));
    expect(await kubelet.kill('SIGTERM'), kubelet.given).toBe(0);
    await cluster.expectNothingLeft();
    expect(cluster.readLedger().faults).toEqual([]);
    expect(cluster.readLedger().open()).toEqual([]);
    await server.kill('SIGTERM');
  },
);

async function serve(cluster: TestCluster, port: string): Promise<NodeProcess> {
  const args = ['up', '--no-node', '--data-dir', path.join(cluster.data, 'server'), '--port', port];
  const server = cluster.launch([...args, '--output', 'json']);
  cluster.useClient(path.join(cluster.data, 'server'));
  await server.event('serving');
  return server;
}

/** It keeps its own files where those of a node are expected. */
function joinNode(cluster: TestCluster): NodeProcess {
  const kubeconfig = path.join(cluster.data, 'server', 'kubeconfig');
  const config = path.join(cluster.folder, 'config.json');
  const places = ['--kubeconfig', kubeconfig, '--data-dir', cluster.data, '--config', config];
  return cluster.launch(['kubelet', ...places, '--name', 'node', '--output', 'json']);
}

async function unready(cluster: TestCluster): Promise<readonly string[]> {
  const pods = await Promise.all(LASTING.map((name) => cluster.pod(name)));
  return pods.filter((pod) => !isReady(pod)).map(({ metadata }) => `${metadata.name} is not ready`);
}

/** The processes of pods that stay as they are; others start and end. */
async function lastingInits(cluster: TestCluster): Promise<readonly number[]> {
  const pods = await Promise.all(LASTING.map((name) => cluster.pod(name)));
  return pods.flatMap(({ metadata }) => cluster.inits(metadata.uid));
}
