/** The alerts of a node without a kubelet: tests set statuses of pods and figures of the node. */
import type { ContainerStatus, Pod, PodStatus } from '../../src/api/pod.ts';
import { formatTime } from '../../src/api/values/time.ts';
import { NodeAlerts, type NodeAlertsDeps } from '../../src/kubelet/alerts/node-alerts.ts';
import { DecisionHistory } from '../../src/kubelet/decision-history.ts';
import { NodePodManager } from '../../src/kubelet/pod-manager/pod-manager.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { prometheusText } from '../../src/lib/metrics/exposition.ts';
import { Registry } from '../../src/lib/metrics/registry.ts';
import type { StatusSubscriber } from '../../src/ports/observe/status-subscriber.ts';
import { podNamed } from './query-harness.ts';
import { silentLog } from './silent-ports.ts';
import { VirtualClock } from './virtual-clock.ts';

export class AlertsHarness {
  readonly clock = new VirtualClock();
  readonly pods = new NodePodManager();
  readonly decisions = new DecisionHistory({ log: silentLog });
  readonly registry = new Registry();
  readonly lines: string[] = [];
  readonly alerts: NodeAlerts;
  readonly unwritten = new Set<string>();
  readonly volumes = new Map<string, readonly JsonObject[]>();
  readonly #statuses = new Map<string, PodStatus>();
  readonly #subscribers = new Set<StatusSubscriber>();
  conditions: readonly JsonObject[] = [];
  silentSince: number | null = null;
  skewMs: number | null = null;
  certificateEndsMs = Number.POSITIVE_INFINITY;

  constructor(options: Partial<NodeAlertsDeps> = {}) {
    const { clock, pods, decisions, registry } = this;
    const name = 'kubelet_certificate_manager_client_ttl_seconds';
    registry.reading({ name, help: '' }, () => (this.certificateEndsMs - clock.now()) / 1000);
    this.alerts = new NodeAlerts({
      clock,
      random: { next: () => 0 },
      log: silentLog,
      nodeName: 'node1',
      rootFolder: '/nowhere',
      registry,
      events: {
        record: (pod, type, reason, message) =>
          void this.lines.push(`  event of pod ${pod.name}: ${type} ${reason}: ${message}`),
      },
      nodeEvents: {
        recordNode: (type, reason, message) =>
          void this.lines.push(`  event of the node: ${type} ${reason}: ${message}`),
      },
      pods,
      status: {
        getPodStatus: (uid) => this.#statuses.get(uid),
        subscribe: (subscriber) => {
          this.#subscribers.add(subscriber);
          return () => void this.#subscribers.delete(subscriber);
        },
        isAcknowledged: (uid) => !this.unwritten.has(uid),
      },
      decisions,
      node: () => ({ metadata: { name: 'node1' }, status: { conditions: this.conditions } }),
      apiSilentMs: () => (this.silentSince === null ? 0 : clock.monotonic() - this.silentSince),
      clockSkewMs: () => this.skewMs,
      volumes: async (pod) => this.volumes.get(pod.metadata.name ?? '') ?? [],
      post: () => Promise.reject(new Error('there is no receiver')),
      api: { send: () => Promise.reject(new Error('there is no API server')) },
      runCommand: () => Promise.reject(new Error('there are no commands')),
      stopContainer: () => Promise.resolve(false),
      options: { rules: '', defaults: true, commands: false },
      ...options,
    });
    this.alerts.subscribe((before, after) => {
      const { alertname, labels } = (after ?? before) as { alertname: string; labels: Labels };
      const subject = [labels['pod'] ?? 'node', labels['container']].filter(Boolean).join('/');
      const [from, to] = [before, after].map((one) => stateOf(one));
      // Only the records of its actions changed.
      if (from !== to) this.lines.push(`${alertname} ${subject}: ${from} -> ${to}`);
    });
  }

  /** Adds a pod, or changes it. */
  put(name: string, more: Partial<Pod['metadata']> = {}): Pod {
    const pod = podNamed(name);
    const changed = { ...pod, metadata: { ...pod.metadata, ...more } };
    this.pods.update(changed);
    return changed;
  }

  setStatus(name: string, status: PodStatus): void {
    const pod = this.pods.findByName({ namespace: 'default', name })?.pod;
    if (!pod) throw new Error(`there is no pod ${name}`);
    this.#statuses.set(`uid-${name}`, status);
    for (const subscriber of this.#subscribers) subscriber.podUpdated(pod, status, false);
  }

  setContainer(name: string, change: Partial<ContainerStatus>): void {
    const before = this.#statuses.get(`uid-${name}`);
    const [container] = before?.containerStatuses ?? [];
    const changed = { name: 'main', ready: false, restartCount: 0, ...container, ...change };
    this.setStatus(name, { phase: 'Running', ...before, containerStatuses: [changed] });
  }

  ended(reason: string, exitCode: number) {
    const finishedAt = formatTime(this.clock.now());
    return { terminated: { reason, exitCode, finishedAt, startedAt: finishedAt } };
  }

  remove(name: string): void {
    this.pods.remove(podNamed(name));
  }

  metricLines(): readonly string[] {
    const text = prometheusText.expose(this.registry);
    return text.split('\n').filter((line) => line.startsWith('ALERTS{'));
  }

  takeLines(): readonly string[] {
    return this.lines.splice(0);
  }
}

function stateOf(alert: JsonObject | null): string {
  const state = alert?.['state'];
  return typeof state === 'string' ? state : 'inactive';
}

type Labels = Readonly<Record<string, string>>;
