/**
 * Starts the evaluation of alert rules shortly after the node has started; its code is loaded only then, so
 * that it does not delay the first pods. If the start of alerts fails, podkeep logs an error, and the node
 * keeps running.
 */
import { postJson } from '../../../client/post-json.ts';
import type { NodeAlerts } from '../../../kubelet/alerts/node-alerts.ts';
import type { QueriedAlerts } from '../../../kubelet/query/node-query.ts';
import { runBoundedCommand } from '../../../lib/bounded-command.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { systemClock as clock } from '../../../platform/system-clock.ts';
import { systemRandom as random } from '../../../platform/system-random.ts';
import type { ClosingList } from '../../closing-list.ts';
import type { NodeOptions, NodeParts } from '../node.ts';

/** The delay after the start of the node, in which the first pods have the CPU for themselves. */
const START_AFTER_MS = 2000;

/** Undefined: no rules are configured. */
export function startAlerts(
  options: NodeOptions,
  parts: NodeParts,
  closing: ClosingList,
): QueriedAlerts | undefined {
  const { rules, defaults } = options.config.podkeep.alerts;
  if (rules === '' && !defaults) return undefined;
  const later = new LaterAlerts();
  const cancel = clock.after(START_AFTER_MS, () => {
    makeAlerts(options, parts).then(
      (alerts) => later.open(alerts),
      (error: unknown) => options.log.error('Failed to start alerts', { error }),
    );
  });
  closing.add(() => {
    cancel();
    later.close();
    return Promise.resolve();
  });
  return later;
}

type Subscriber = (before: JsonObject | null, after: JsonObject | null) => void;

/** Stands in for NodeAlerts until its code is loaded; has no alerts until then. */
class LaterAlerts implements QueriedAlerts {
  readonly #subscribers = new Set<Subscriber>();
  #alerts: NodeAlerts | undefined;
  #isClosed = false;

  open(alerts: NodeAlerts): void {
    if (this.#isClosed) return alerts.close();
    this.#alerts = alerts;
    for (const alert of alerts.all()) this.#notify(null, alert);
    alerts.subscribe((before, after) => this.#notify(before, after));
  }

  all(): readonly JsonObject[] {
    return this.#alerts?.all() ?? [];
  }

  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  close(): void {
    this.#isClosed = true;
    this.#alerts?.close();
  }

  #notify(before: JsonObject | null, after: JsonObject | null): void {
    for (const subscriber of this.#subscribers) subscriber(before, after);
  }
}

async function makeAlerts(
  { name: nodeName, folder: rootFolder, log, config, api }: NodeOptions,
  { kubelet, agent, decisions, metrics, events }: NodeParts,
): Promise<NodeAlerts> {
  const { NodeAlerts } = await import('../../../kubelet/alerts/node-alerts.ts');
  const { pods, status } = kubelet.queried;
  return new NodeAlerts({
    clock,
    random,
    log,
    nodeName,
    rootFolder,
    registry: metrics.registry,
    events,
    nodeEvents: events,
    pods,
    status,
    decisions,
    node: () => agent.node(),
    apiSilentMs: () => agent.apiSilentMs(),
    clockSkewMs: () => metrics.restClient.clockSkewMs,
    post: postJson,
    api,
    runCommand: runBoundedCommand,
    stopContainer: kubelet.stopContainer.bind(kubelet),
    options: config.podkeep.alerts,
  });
}
