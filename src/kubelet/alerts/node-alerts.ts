/**
 * Connects the parts of alerting on a node: rules, their inputs, alerts, and everything that alerts are sent
 * to.
 *
 *     rule files, default rules ──> AlertEngine ──> AlertSet ──┬──> ALERTS on /metrics
 *     pods, statuses, decisions ──────┘                        ├──> Events
 *     node, metrics, volumes                                   ├──> query API
 *                                                              ├──> Alertmanager, webhooks
 *                                                              └──> actions
 */
import path from 'node:path';
import type { Pod } from '../../api/pod.ts';
import type { AlertRule } from '../../core/alerts/alert-rule.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkTrustedPath } from '../../lib/trusted-file.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HttpPost } from '../../ports/http-post.ts';
import type { Log } from '../../ports/log.ts';
import type { DecisionLog } from '../../ports/observe/decision-log.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Random } from '../../ports/random.ts';
import type { NodeEvents } from '../node/node-events.ts';
import { timeOf } from '../query/decision-json.ts';
import type { QueriedAlerts, QueriedDecisions } from '../query/node-query.ts';
import { ShownPods, type QueriedPods, type QueriedStatuses } from '../query/shown-pods.ts';
import type { WatchFolder } from '../sources/folder-watch.ts';
import { ActionLedger } from './actions/action-ledger.ts';
import type { ActionTasksDeps } from './actions/action-tasks.ts';
import { AlertActions } from './actions/alert-actions.ts';
import { AlertEngine } from './alert-engine.ts';
import { AlertEvents } from './alert-events.ts';
import { AlertMetrics } from './alert-metrics.ts';
import { AlertSet } from './alert-set.ts';
import { alertJsonOf, type AlertView } from './alert-view.ts';
import { DEFAULT_RULES } from './default-rules.ts';
import { NodeFigures } from './node-figures.ts';
import { RuleFolder } from './rule-folder.ts';
import { readRuleFile, readRules, type RuleFileContent } from './rule-file.ts';
import { AlertDelivery } from './receivers/alert-delivery.ts';
import type { AlertReceiver } from './receivers/receiver-file.ts';
import { readVolumeSpace } from './volume-space.ts';

export interface NodeAlertsOptions {
  /** A folder with rule files; empty: there is none. */
  readonly rules: string;
  /** Whether the rules that ship with podkeep are evaluated. */
  readonly defaults: boolean;
  /** Whether rules may run commands. */
  readonly commands: boolean;
}

export interface NodeAlertsDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly nodeName: string;
  readonly rootFolder: string;
  readonly registry: Registry;
  readonly events: EventRecorder;
  readonly nodeEvents: NodeEvents;
  readonly pods: QueriedPods;
  readonly status: QueriedStatuses & { isAcknowledged(uid: string): boolean };
  readonly decisions: Pick<QueriedDecisions, 'of' | 'subscribe'> & DecisionLog;
  readonly node: () => JsonObject | null;
  readonly apiSilentMs: () => number;
  readonly clockSkewMs: () => number | null;
  readonly post: HttpPost;
  readonly api: ActionTasksDeps['api'];
  readonly runCommand: ActionTasksDeps['runCommand'];
  readonly stopContainer: ActionTasksDeps['stopContainer'];
  readonly options: NodeAlertsOptions;
  /** Absent: the file system is measured. */
  readonly volumes?: (pod: Pod) => Promise<readonly JsonObject[]>;
  readonly watch?: WatchFolder;
}

export class NodeAlerts implements QueriedAlerts {
  readonly engine: AlertEngine;
  readonly #deps: NodeAlertsDeps;
  readonly #alerts: AlertSet;
  readonly #metrics: AlertMetrics;
  readonly #actions: AlertActions;
  readonly #shown: ShownPods;
  readonly #folder: RuleFolder<RuleFileContent> | null;
  #deliveries: readonly { readonly id: string; readonly delivery: AlertDelivery }[] = [];
  readonly #unsubscribe: () => void;

  constructor(deps: NodeAlertsDeps) {
    const { clock, log, decisions, options } = deps;
    this.#deps = deps;
    this.#alerts = new AlertSet({ clock, log });
    const metrics = new AlertMetrics(deps.registry);
    this.#metrics = metrics;
    const events = new AlertEvents(deps);
    this.#alerts.subscribe((change) => metrics.changed(change));
    this.#alerts.subscribe((change) => events.changed(change));
    this.#alerts.subscribe((change) => {
      for (const { delivery } of this.#deliveries) delivery.changed(change);
    });
    this.#actions = this.#makeActions(metrics);
    this.#alerts.subscribe((change) => this.#actions.changed(change));
    this.engine = this.#makeEngine(metrics);
    this.#shown = new ShownPods({
      ...deps,
      publish: ({ before, after }) => {
        if (after) this.engine.podChanged(after);
        else if (before) this.engine.podRemoved(before.metadata.uid ?? '');
      },
    });
    for (const pod of this.#shown.all()) this.engine.podChanged(pod);
    this.#unsubscribe = decisions.subscribe(({ pod }) => this.engine.decisionMade(pod.uid));
    this.#folder = options.rules === '' ? null : this.#openFolder(options.rules);
    if (this.#folder) this.#folder.start();
    else this.#setRules([]);
  }

  all(): readonly JsonObject[] {
    return this.#alerts.all().map((alert) => this.#jsonOf(alert));
  }

  subscribe(subscriber: (before: JsonObject | null, after: JsonObject | null) => void): () => void {
    return this.#alerts.subscribe(({ before, after }) =>
      subscriber(before && this.#jsonOf(before), after && this.#jsonOf(after)),
    );
  }

  close(): void {
    this.#folder?.stop();
    for (const { delivery } of this.#deliveries) delivery.close();
    this.#unsubscribe();
    this.#shown.close();
    this.engine.close();
    this.#alerts.close();
    this.#actions.close();
  }

  #makeActions(metrics: AlertMetrics): AlertActions {
    const { clock, log, rootFolder } = this.#deps;
    return new AlertActions({
      ...this.#deps,
      ledger: new ActionLedger({ clock, log, file: path.join(rootFolder, 'alert-actions.json') }),
      podWithUid: (uid) => this.#shown.all().find(({ metadata }) => metadata.uid === uid),
      acted: (alertname, action, result) => metrics.acted(alertname, action, result),
      recorded: (key) => this.#alerts.touch(key),
    });
  }

  #jsonOf(alert: AlertView): JsonObject {
    const actions = this.#actions
      .of(alert.key)
      .map(({ atMs, ...record }) => ({ at: timeOf(atMs), ...record }));
    return { ...alertJsonOf(alert, timeOf), ...(actions.length > 0 && { actions }) };
  }

  #makeEngine(metrics: AlertMetrics): AlertEngine {
    const { pods, status, decisions, node, rootFolder } = this.#deps;
    const unwrittenPods = (): readonly string[] =>
      pods
        .pods()
        .flatMap(({ metadata: { uid = '' } }) => (status.isAcknowledged(uid) ? [] : [uid]));
    const figures = new NodeFigures({ ...this.#deps, unwrittenPods });
    const { volumes = (pod: Pod) => readVolumeSpace(rootFolder, pod) } = this.#deps;
    return new AlertEngine({
      ...this.#deps,
      alerts: this.#alerts,
      evaluationFailed: ({ alert }) => metrics.evaluationFailed(alert),
      sources: {
        node,
        metrics: () => figures.metrics(),
        samples: () => figures.samples(),
        decisions: (uid) => decisions.of(uid),
        volumes,
      },
    });
  }

  #openFolder(folder: string): RuleFolder<RuleFileContent> {
    const { nodeEvents: events, log } = this.#deps;
    return new RuleFolder({
      ...this.#deps,
      folder,
      events,
      parse: (file, text) => this.#parse(file, text),
      loaded: (files) => {
        const rules = files.flatMap((file) => file.rules);
        this.#setReceivers(files.flatMap((file) => file.receivers));
        this.#setRules(rules);
        log.info('Alert rules loaded', { folder, files: files.length, rules: rules.length });
      },
    });
  }

  /** A file with commands must also be in a folder where no other user may replace it. */
  #parse(file: string, text: string): RuleFileContent {
    const content = readRuleFile(file, text, this.#deps.options);
    const actions = content.rules.flatMap((rule) => rule.actions);
    if (actions.some(({ task }) => task.type === 'command')) checkTrustedPath(file);
    return content;
  }

  /** A receiver that did not change keeps its unsent alerts. */
  #setReceivers(receivers: readonly AlertReceiver[]): void {
    const before = new Map(this.#deliveries.map((one) => [one.id, one]));
    const firing = this.#alerts.all().filter(({ state }) => state === 'firing');
    const next = receivers.map((receiver) => {
      const id = JSON.stringify(receiver);
      return before.get(id) ?? { id, delivery: this.#deliveryTo(receiver, firing) };
    });
    const kept = new Set(next.map(({ id }) => id));
    for (const { id, delivery } of this.#deliveries) if (!kept.has(id)) delivery.close();
    this.#deliveries = next;
  }

  #deliveryTo(receiver: AlertReceiver, firing: readonly AlertView[]): AlertDelivery {
    const dropped = this.#metrics.deliveryDropped.bind(this.#metrics);
    return new AlertDelivery({ ...this.#deps, receiver, dropped }, firing);
  }

  #setRules(own: readonly AlertRule[]): void {
    const defaults = this.#deps.options.defaults ? readRules('', DEFAULT_RULES) : [];
    const rules = [...defaults, ...own];
    this.#actions.setRules(rules);
    this.engine.setRules(rules);
  }
}
