/**
 * Evaluates alert rules when a pod or a decision changes, and every 15 seconds.
 *
 *     pod, decision ──> dirty pods ──half a second──┐
 *     every 15 s ──> node, metrics, volumes, time ──┴──> rules that read what changed ──> AlertSet
 *
 * 1. A rule is evaluated for a subject only if something that it reads has changed for this subject. A rule
 *    that reads `now` is evaluated every 15 seconds.
 * 2. Each evaluation has a cost budget. An evaluation that fails changes no alert, and is counted and logged.
 * 3. Changes are collected for half a second, so that a pod that changes ten times while it starts is
 *    evaluated once.
 */
import type { Pod } from '../../api/pod.ts';
import { formatMicroTime } from '../../api/values/time.ts';
import { Budget, CelError, type CelValue } from '../../cel/cel.ts';
import type { AlertRule } from '../../core/alerts/alert-rule.ts';
import {
  ANNOTATION_CHARACTERS_MAX,
  LABEL_CHARACTERS_MAX,
  safeText,
} from '../../core/alerts/alert-text.ts';
import type { Template } from '../../core/alerts/annotation-template.ts';
import {
  nextExpiry,
  viewContainers,
  type AlertedContainer,
  type PodMarks,
} from '../../core/alerts/container-view.ts';
import { ruleValues, type AlertInput, type RuleInputs } from '../../core/alerts/rule-variables.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';
import type { AlertSet, AlertSubject } from './alert-set.ts';

/** The values that rules read. Each function may be called at any time, and never throws. */
export interface AlertInputSources {
  readonly node: () => JsonObject | null;
  readonly metrics: () => JsonObject;
  readonly samples: () => JsonObject;
  readonly decisions: (uid: string) => readonly DecisionRecord[];
  /** Resolves with an empty list for pods without a volume on its own file system. */
  readonly volumes: (pod: Pod) => Promise<readonly JsonObject[]>;
}

export interface AlertEngineDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly nodeName: string;
  readonly sources: AlertInputSources;
  readonly alerts: AlertSet;
  readonly evaluationFailed: (rule: AlertRule) => void;
}

interface KnownPod {
  readonly pod: Pod;
  readonly marks: PodMarks;
  readonly views: readonly AlertedContainer[];
  readonly volumes: readonly JsonObject[];
}

const TICK_MS = 15_000;
const COLLECT_MS = 500;
/** Volumes are measured with every fourth tick. */
const VOLUME_TICKS = 4;
const COST_MAX = 100_000;
const DECISIONS_MAX = 50;
const GLOBAL: readonly AlertInput[] = ['node', 'metrics', 'samples', 'now'];

export class AlertEngine {
  readonly #deps: AlertEngineDeps;
  #rules: readonly AlertRule[] = [];
  readonly #pods = new Map<string, KnownPod>();
  readonly #dirty = new Map<string, Set<AlertInput>>();
  readonly #failing = new Map<string, string>();
  #global: Readonly<Partial<Record<AlertInput, Json>>> = {};
  #globalText: Readonly<Partial<Record<AlertInput, string>>> = {};
  #ticks = 0;
  #cancelTick: Cancel = () => {};
  #cancelCollect: Cancel | null = null;
  #isClosed = false;
  /** How often a rule was evaluated, for tests and benchmarks. */
  evaluations = 0;

  constructor(deps: AlertEngineDeps) {
    this.#deps = deps;
    this.#cancelTick = deps.clock.after(TICK_MS, () => void this.#tick());
  }

  setRules(rules: readonly AlertRule[]): void {
    this.#rules = rules;
    this.#failing.clear();
    this.#deps.alerts.keepRules(new Set(rules.map(({ id }) => id)));
    this.#readGlobal();
    this.#evaluateNode(new Set(GLOBAL));
    for (const uid of this.#pods.keys())
      this.#mark(uid, ['pod', 'containers', 'container', 'decisions', 'volumes']);
  }

  podChanged(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const before = this.#pods.get(uid);
    const { views, marks } = viewContainers(pod, before?.marks, this.#deps.clock.now());
    this.#pods.set(uid, { pod, views, marks, volumes: before?.volumes ?? [] });
    const areSame = before && JSON.stringify(before.views) === JSON.stringify(views);
    this.#mark(uid, areSame ? ['pod'] : ['pod', 'containers', 'container']);
    if (before && !areSame) this.#dropContainers(uid, views);
  }

  podRemoved(uid: string): void {
    this.#pods.delete(uid);
    this.#dirty.delete(uid);
    this.#deps.alerts.subjectGone(({ pod }) => pod?.uid === uid);
  }

  decisionMade(uid: string): void {
    if (this.#rules.some(({ reads }) => reads.has('decisions'))) this.#mark(uid, ['decisions']);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTick();
    this.#cancelCollect?.();
  }

  #mark(uid: string, inputs: readonly AlertInput[]): void {
    const marked = this.#dirty.get(uid) ?? new Set();
    for (const input of inputs) marked.add(input);
    this.#dirty.set(uid, marked);
    this.#cancelCollect ??= this.#deps.clock.after(COLLECT_MS, () => {
      this.#cancelCollect = null;
      this.#evaluatePods();
    });
  }

  async #tick(): Promise<void> {
    try {
      await this.#readVolumes();
      if (this.#isClosed) return;
      this.#expireMarks();
      const changed = this.#readGlobal();
      this.#evaluateNode(changed);
      const rules = this.#rules.filter(
        ({ reads, subject }) => subject !== 'node' && overlaps(reads, changed),
      );
      if (rules.length > 0)
        for (const known of this.#pods.values()) this.#evaluatePod(known, rules);
    } catch (error) {
      this.#deps.log.error('Failed to evaluate alert rules', { error });
    }
    if (!this.#isClosed)
      this.#cancelTick = this.#deps.clock.after(TICK_MS, () => void this.#tick());
  }

  /** Returns the variables that changed. `now` always changes. */
  #readGlobal(): ReadonlySet<AlertInput> {
    const { sources, clock } = this.#deps;
    const isRead = (input: AlertInput): boolean =>
      this.#rules.some(({ reads, shows }) => reads.has(input) || shows.has(input));
    const next = {
      node: sources.node() ?? {},
      metrics: sources.metrics(),
      samples: isRead('samples') ? sources.samples() : {},
      now: formatMicroTime(clock.now()),
    };
    const texts = Object.fromEntries(
      Object.entries(next).map(([name, value]) => [name, JSON.stringify(value)]),
    );
    const before: Readonly<Record<string, string | undefined>> = this.#globalText;
    this.#global = next;
    this.#globalText = texts;
    return new Set(GLOBAL.filter((name) => texts[name] !== before[name]));
  }

  /** Counts of the last ten minutes change because time passes. */
  #expireMarks(): void {
    const nowMs = this.#deps.clock.now();
    for (const { pod, marks } of this.#pods.values()) {
      if (nextExpiry(marks) <= nowMs) this.podChanged(pod);
    }
  }

  async #readVolumes(): Promise<void> {
    this.#ticks += 1;
    const isDue =
      this.#ticks % VOLUME_TICKS === 1 && this.#rules.some(({ reads }) => reads.has('volumes'));
    if (!isDue) return;
    for (const { pod } of this.#pods.values()) {
      const volumes = await this.#deps.sources.volumes(pod);
      const uid = pod.metadata.uid ?? '';
      const known = this.#pods.get(uid);
      if (!known || JSON.stringify(known.volumes) === JSON.stringify(volumes)) continue;
      this.#pods.set(uid, { ...known, volumes });
      this.#mark(uid, ['volumes']);
    }
  }

  #evaluateNode(changed: ReadonlySet<AlertInput>): void {
    const subject: AlertSubject = { key: '', pod: null, container: null };
    for (const rule of this.#rules) {
      if (rule.subject !== 'node') continue;
      if (overlaps(rule.reads, changed)) this.#evaluate(rule, subject, this.#global);
    }
  }

  #evaluatePods(): void {
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    for (const [uid, inputs] of dirty) {
      const known = this.#pods.get(uid);
      const rules = this.#rules.filter(({ reads }) => overlaps(reads, inputs));
      if (known)
        this.#evaluatePod(
          known,
          rules.filter(({ subject }) => subject !== 'node'),
        );
    }
  }

  #evaluatePod(known: KnownPod, rules: readonly AlertRule[]): void {
    const { pod, views, volumes } = known;
    const { uid = '', namespace = '', name = '' } = pod.metadata;
    const reference = { uid, namespace, name };
    for (const rule of rules) {
      const usesDecisions = rule.reads.has('decisions') || rule.shows.has('decisions');
      const inputs: RuleInputs = {
        ...this.#global,
        pod: isJsonObject(pod) ? pod : {},
        containers: views,
        volumes,
        ...(usesDecisions && { decisions: decisionsJson(this.#deps.sources.decisions(uid)) }),
      };
      if (rule.subject === 'pod') {
        this.#evaluate(rule, { key: uid, pod: reference, container: null }, inputs);
      } else {
        for (const container of views) {
          const subject = {
            key: `${uid}/${container.name}`,
            pod: reference,
            container: container.name,
          };
          this.#evaluate(rule, subject, { ...inputs, container });
        }
      }
    }
  }

  #evaluate(rule: AlertRule, subject: AlertSubject, inputs: RuleInputs): void {
    this.evaluations += 1;
    const values = ruleValues(inputs);
    try {
      const isTrue = rule.condition.run(values, new Budget(COST_MAX)) === true;
      this.#failing.delete(rule.id);
      this.#deps.alerts.evaluated(rule, subject, isTrue, () =>
        this.#textsOf(rule, subject, values),
      );
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      this.#deps.evaluationFailed(rule);
      if (this.#failing.get(rule.id) === error.message) return;
      this.#failing.set(rule.id, error.message);
      const { alert, file } = rule;
      this.#deps.log.warn('Failed to evaluate alert rule', { alert, file, problem: error.message });
    }
  }

  #textsOf(
    rule: AlertRule,
    { pod, container }: AlertSubject,
    values: readonly (CelValue | undefined)[],
  ) {
    const own = {
      alertname: rule.alert,
      severity: rule.severity,
      node: this.#deps.nodeName,
      ...(pod && { namespace: pod.namespace, pod: pod.name, uid: pod.uid }),
      ...(container !== null && { container }),
    };
    const safe = Object.entries(own).map(([name, text]) => [
      name,
      safeText(text, LABEL_CHARACTERS_MAX),
    ]);
    return {
      labels: {
        ...rendered(rule.labels, values, LABEL_CHARACTERS_MAX),
        ...Object.fromEntries(safe),
      },
      annotations: rendered(rule.annotations, values, ANNOTATION_CHARACTERS_MAX),
    };
  }

  #dropContainers(uid: string, views: readonly AlertedContainer[]): void {
    const names = new Set(views.map(({ name }) => name));
    this.#deps.alerts.subjectGone(
      ({ pod, container }) => pod?.uid === uid && container !== null && !names.has(container),
    );
  }
}

function rendered(
  templates: ReadonlyMap<string, Template>,
  values: readonly (CelValue | undefined)[],
  charactersMax: number,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...templates].map(([name, template]) => [name, template.render(values, charactersMax)]),
  );
}

function decisionsJson(records: readonly DecisionRecord[]): Json {
  return records
    .slice(-DECISIONS_MAX)
    .map(({ atMs, machine, from, to, why, waitsFor, attempts }) => ({
      at: formatMicroTime(atMs),
      machine,
      from,
      to,
      why,
      waitsFor: waitsFor ?? '',
      attempts: attempts ?? 0,
    }));
}

function overlaps(reads: ReadonlySet<AlertInput>, changed: ReadonlySet<AlertInput>): boolean {
  for (const input of changed) if (reads.has(input)) return true;
  return false;
}
