/** Creates the node's query API at its first use, because most nodes of `podkeep up` are never queried. */
import type { Pod } from '../../../api/pod.ts';
import type { NodeQuery, QueriedAlerts } from '../../../kubelet/query/node-query.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import { systemRandom as random } from '../../../platform/system-random.ts';
import type { Log } from '../../../ports/log.ts';
import type { ClosingList } from '../../closing-list.ts';
import type { NodeParts } from '../node.ts';

const EPOCH_BYTES = 5;

export interface QueriedNode {
  readonly name: string;
  /** The folder of the node's own files. */
  readonly folder: string;
  readonly log: Log;
}

export function queryLater(
  options: QueriedNode,
  parts: NodeParts,
  alerts: QueriedAlerts | undefined,
  closing: ClosingList,
): () => Promise<NodeQuery> {
  let made: Promise<NodeQuery> | undefined;
  return () => {
    made ??= makeQuery(options, parts, alerts, closing);
    return made;
  };
}

async function makeQuery(
  { name: nodeName, folder, log }: QueriedNode,
  { kubelet, agent, decisions }: NodeParts,
  alerts: QueriedAlerts | undefined,
  closing: ClosingList,
): Promise<NodeQuery> {
  const [{ NodeQuery }, { UsageReader }, machine, { UsageRecorder }] = await Promise.all([
    import('../../../kubelet/query/node-query.ts'),
    import('../../../kubelet/stats/usage-reader.ts'),
    import('../../../kubelet/stats/machine-usage.ts'),
    import('../../../kubelet/stats/usage-recorder.ts'),
  ]);
  const { pods, status } = kubelet.queried;
  const { runtime } = kubelet;
  const shown = (): readonly Pod[] => kubelet.podsWithStatus();
  // Each reader computes rates between its own readings, so readers are not shared.
  const reader = (): InstanceType<typeof UsageReader> =>
    new UsageReader({ runtime, pods: shown, machine: () => machine.readMachineUsage(clock) });
  const disk = () => machine.readFileSystem(folder);
  const history = new UsageRecorder({ clock, log, usage: reader(), disk });
  const query = new NodeQuery({
    clock,
    nodeName,
    epoch: Buffer.from(random.bytes(EPOCH_BYTES)).toString('hex'),
    pods,
    status,
    decisions,
    alerts,
    usage: reader(),
    disk,
    history,
    node: () => ({
      node: agent.node(),
      notReadyReasons: kubelet.notReadyReasons(),
      pressures: [...agent.pressures()],
    }),
  });
  history.start();
  closing.add(async () => {
    history.stop();
    query.close();
  });
  return query;
}
