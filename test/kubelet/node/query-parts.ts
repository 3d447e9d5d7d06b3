/** The query interface of a node in virtual time. */
import { onTestFinished } from 'vitest';
import { NodeQuery, type NodeQueryLimits } from '../../../src/kubelet/query/node-query.ts';
import { readMachineUsage } from '../../../src/kubelet/stats/machine-usage.ts';
import { UsageReader } from '../../../src/kubelet/stats/usage-reader.ts';
import { askQuery } from '../../support/watch-client.ts';
import type { VirtualNode } from './virtual-node.ts';

export function queryOf(node: VirtualNode, limits: Partial<NodeQueryLimits> = {}) {
  const { clock, kubelet, agent, decisions } = node;
  const { pods, status } = kubelet.queried;
  const { runtime } = kubelet;
  const shown = () => kubelet.podsWithStatus();
  const query = new NodeQuery({
    clock,
    nodeName: node.name,
    epoch: 'e1',
    pods,
    status,
    decisions,
    usage: new UsageReader({ runtime, pods: shown, machine: () => readMachineUsage(clock) }),
    node: () => ({
      node: agent.node(),
      notReadyReasons: kubelet.notReadyReasons(),
      pressures: [...agent.pressures()],
    }),
    limits,
  });
  onTestFinished(() => query.close());
  return { query, ask: askQuery(clock, query) };
}
