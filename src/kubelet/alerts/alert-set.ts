/**
 * Holds all alerts of this node: runs the state machine (core/alerts/alert-machine.ts) of each rule and
 * subject, sets one timer for the earliest deadline, and notifies subscribers of changes.
 *
 * Inactive alerts take no memory. At most 5,000 other alerts are tracked; further ones are counted, and
 * logged once.
 */
import { decide, initial, type Event, type State } from '../../core/alerts/alert-machine.ts';
import type { AlertRule } from '../../core/alerts/alert-rule.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { AlertChange, AlertSubscriber, AlertView } from './alert-view.ts';

export interface AlertSubject {
  /** Empty: the node. */
  readonly key: string;
  readonly pod: PodReference | null;
  readonly container: string | null;
}

interface Texts {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Entry {
  readonly rule: AlertRule;
  readonly subject: AlertSubject;
  readonly texts: Texts;
  state: State;
  wakeAtMs: number;
  view: AlertView | null;
}

const ALERTS_MAX = 5000;

export interface AlertSetDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly alertsMax?: number;
}

export class AlertSet {
  readonly #deps: AlertSetDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #subscribers = new Set<AlertSubscriber>();
  #cancelTimer: Cancel = () => {};
  #timerAtMs = Number.POSITIVE_INFINITY;
  #hasWarned = false;
  /** Alerts that were not tracked because there were too many. */
  omitted = 0;

  constructor(deps: AlertSetDeps) {
    this.#deps = deps;
  }

  all(): readonly AlertView[] {
    return [...this.#entries.values()].flatMap(({ view }) => view ?? []);
  }

  subscribe(subscriber: AlertSubscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** `texts` is called only if the alert is not inactive. */
  evaluated(rule: AlertRule, subject: AlertSubject, isTrue: boolean, texts: () => Texts): void {
    const key = keyOf(rule, subject);
    const entry = this.#entries.get(key);
    if (!entry && !isTrue) return;
    if (!entry && this.#isFull(rule)) return;
    // A rule that was loaded again may have other texts and times.
    const current: Entry = {
      rule,
      subject,
      texts: isTrue || !entry ? texts() : entry.texts,
      state: entry?.state ?? initial(),
      wakeAtMs: entry?.wakeAtMs ?? Number.POSITIVE_INFINITY,
      view: entry?.view ?? null,
    };
    this.#send(key, current, { type: 'evaluated', isTrue, at: this.#now() });
  }

  /** The subjects for which `isGone` is true (pods or single containers) do not exist any more. */
  subjectGone(isGone: (subject: AlertSubject) => boolean): void {
    this.#end(({ subject }) => isGone(subject));
  }

  /** Alerts of rules that are no longer loaded resolve. */
  keepRules(ids: ReadonlySet<string>): void {
    this.#end(({ rule }) => !ids.has(rule.id));
  }

  /**
   * Notifies subscribers, because something changed that is shown with the alert but not part of it (its
   * actions).
   */
  touch(key: string): void {
    const view = this.#entries.get(key)?.view ?? null;
    if (view) this.#notify({ before: view, after: view });
  }

  close(): void {
    this.#cancelTimer();
    this.#subscribers.clear();
  }

  #end(isEnded: (entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (isEnded(entry)) this.#send(key, entry, { type: 'subjectGone', at: this.#now() });
    }
  }

  #send(key: string, entry: Entry, event: Event): void {
    const { state, effects } = decide(entry.state, event, entry.rule);
    entry.state = state;
    const wake = effects.find((effect) => effect.type === 'wakeAt');
    entry.wakeAtMs = wake?.ms ?? Number.POSITIVE_INFINITY;
    if (state.phase === 'inactive') this.#entries.delete(key);
    else this.#entries.set(key, entry);
    const before = entry.view;
    entry.view = viewOf(key, entry);
    if (!isSame(before, entry.view)) this.#notify({ before, after: entry.view });
    this.#wakeAt(entry.wakeAtMs);
  }

  #notify(change: AlertChange): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(change);
      } catch (error) {
        this.#deps.log.error('Alert subscriber failed', { error });
      }
    }
  }

  #wakeAt(ms: number): void {
    if (ms >= this.#timerAtMs) return;
    const { clock } = this.#deps;
    this.#cancelTimer();
    this.#timerAtMs = ms;
    this.#cancelTimer = clock.after(Math.max(ms - clock.monotonic(), 0), () => this.#wake());
  }

  #wake(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    const at = this.#now();
    for (const [key, entry] of this.#entries) {
      if (entry.wakeAtMs <= at.ms) this.#send(key, entry, { type: 'woke', at });
    }
    const next = Math.min(...[...this.#entries.values()].map(({ wakeAtMs }) => wakeAtMs));
    if (Number.isFinite(next)) this.#wakeAt(next);
  }

  #isFull({ alert }: AlertRule): boolean {
    const { alertsMax = ALERTS_MAX, log } = this.#deps;
    if (this.#entries.size < alertsMax) return false;
    this.omitted += 1;
    if (!this.#hasWarned)
      log.warn('Too many alerts; further ones are not tracked', { alert, alertsMax });
    this.#hasWarned = true;
    return true;
  }

  #now() {
    const { clock } = this.#deps;
    return { ms: clock.monotonic(), wallMs: clock.now() };
  }
}

function keyOf({ id }: AlertRule, { key }: AlertSubject): string {
  return `${id}#${key}`;
}

function viewOf(key: string, { rule, subject, texts, state }: Entry): AlertView | null {
  if (state.phase === 'inactive') return null;
  return {
    key,
    ruleId: rule.id,
    alertname: rule.alert,
    severity: rule.severity,
    state: state.phase,
    pod: subject.pod,
    container: subject.container,
    ...texts,
    activeAtMs: state.active.wallMs,
    firedAtMs: state.phase === 'pending' ? null : state.fired.wallMs,
    resolvedAtMs: state.phase === 'resolved' ? state.resolved.wallMs : null,
  };
}

/**
 * A change of the texts alone does not count; otherwise changing messages of pods would notify receivers
 * repeatedly.
 */
function isSame(a: AlertView | null, b: AlertView | null): boolean {
  if (!a || !b) return a === b;
  return a.state === b.state && a.firedAtMs === b.firedAtMs && a.activeAtMs === b.activeAtMs;
}
