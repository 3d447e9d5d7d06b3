/**
 * Runs the actions of alerts that start to fire, and records what was done and why.
 *
 *     alert fires ──> decideAction (core) ──┬── run ──> ActionTasks ──> done, refused, failed
 *                                           ├── dry run
 *                                           └── repeated, rateLimited
 *     each result ──> record of the alert, decision of the pod, metric, log;
 *                     an Event, unless the action was skipped
 *
 * 1. Actions run when an alert starts to fire, and not again while it fires. Failed actions are not retried.
 * 2. Runs are counted separately for each rule and type of action, and are stored on disk: neither an edit of
 *    the rule file nor a restart of podkeep causes additional runs.
 * 3. At most 16 actions are under way at once.
 */
import { decideAction } from '../../../core/alerts/action-decision.ts';
import type { AlertRule } from '../../../core/alerts/alert-rule.ts';
import { safeText } from '../../../core/alerts/alert-text.ts';
import { actionSubjectOf, type RuleAction } from '../../../core/alerts/rule-action.ts';
import type { Pod } from '../../../api/pod.ts';
import { LruMap } from '../../../lib/lru-map.ts';
import type { DecisionLog } from '../../../ports/observe/decision-log.ts';
import type { EventRecorder } from '../../../ports/observe/event-recorder.ts';
import type { NodeEvents } from '../../node/node-events.ts';
import type { AlertChange, AlertView } from '../alert-view.ts';
import type { ActionLedger } from './action-ledger.ts';
import { ActionTasks, type ActionOutcome, type ActionTasksDeps } from './action-tasks.ts';

export type ActionResult = ActionOutcome['result'] | 'dryRun' | 'repeated' | 'rateLimited';

export interface ActionRecord {
  readonly atMs: number;
  readonly action: string;
  readonly result: ActionResult;
  readonly message: string;
}

export interface AlertActionsDeps extends ActionTasksDeps {
  readonly events: EventRecorder;
  readonly nodeEvents: NodeEvents;
  readonly decisions: DecisionLog;
  readonly ledger: Pick<ActionLedger, 'get' | 'set'>;
  readonly podWithUid: (uid: string) => Pod | undefined;
  /** Counts the results of actions. */
  readonly acted: (alertname: string, action: string, result: ActionResult) => void;
  /** The alert has a new record. */
  readonly recorded: (alertKey: string) => void;
}

const RECORDS_MAX = 10;
const ALERTS_REMEMBERED_MAX = 1000;
const UNDER_WAY_MAX = 16;
const MESSAGE_CHARACTERS_MAX = 512;
const SKIPPED: ReadonlySet<ActionResult> = new Set(['repeated', 'rateLimited']);
const EVENTS = {
  done: ['Normal', 'AlertActionTaken'],
  dryRun: ['Normal', 'AlertActionDryRun'],
  refused: ['Warning', 'AlertActionRefused'],
  failed: ['Warning', 'AlertActionFailed'],
} as const;

export class AlertActions {
  readonly #deps: AlertActionsDeps;
  readonly #tasks: ActionTasks;
  #rules: ReadonlyMap<string, AlertRule> = new Map();
  readonly #records = new LruMap<string, readonly ActionRecord[]>(ALERTS_REMEMBERED_MAX);
  #underWay = 0;

  constructor(deps: AlertActionsDeps) {
    this.#deps = deps;
    this.#tasks = new ActionTasks(deps);
  }

  setRules(rules: readonly AlertRule[]): void {
    this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
  }

  /** The newest records of an alert, oldest first. */
  of(alertKey: string): readonly ActionRecord[] {
    return this.#records.get(alertKey) ?? [];
  }

  changed({ before, after }: AlertChange): void {
    if (after?.state !== 'firing' || before?.state === 'firing') return;
    for (const action of this.#rules.get(after.ruleId)?.actions ?? []) {
      void this.#act(action, after);
    }
  }

  close(): void {
    this.#tasks.close();
  }

  async #act(action: RuleAction, alert: AlertView): Promise<void> {
    // Other subscribers see that the alert fires before they see the result of its actions.
    await Promise.resolve();
    const { task, limit, dryRun } = action;
    const pod = alert.pod ? this.#deps.podWithUid(alert.pod.uid) : undefined;
    const key = `${alert.ruleId}#${task.type}`;
    const subject = actionSubjectOf(task, pod, alert.key);
    const firing = { atMs: this.#deps.clock.monotonic(), subject };
    const { ledger } = this.#deps;
    const { result, runs } = decideAction(ledger.get(key), firing, limit);
    if (result === 'run') ledger.set(key, runs);
    const window = `${limit.max} in ${limit.perMs / 1000} s`;
    if (result === 'repeated') {
      const message = `not again within ${limit.perMs / 1000} s: its own action may be the cause`;
      return this.#record(alert, action, { result, message });
    }
    if (result === 'rateLimited') {
      const message = `the rate limit of ${window} is reached`;
      return this.#record(alert, action, { result, message });
    }
    if (dryRun) return this.#record(alert, action, { result: 'dryRun', message: 'not done' });
    this.#record(alert, action, await this.#perform(action, alert, pod));
  }

  async #perform({ task }: RuleAction, alert: AlertView, pod: Pod | undefined) {
    if (this.#underWay >= UNDER_WAY_MAX) {
      const message = `${UNDER_WAY_MAX} actions are under way`;
      return { result: 'refused', message } satisfies ActionOutcome;
    }
    this.#underWay += 1;
    try {
      return await this.#tasks.perform(task, alert, pod);
    } finally {
      this.#underWay -= 1;
    }
  }

  #record(
    alert: AlertView,
    { task: { type: action } }: RuleAction,
    outcome: { readonly result: ActionResult; readonly message: string },
  ): void {
    const { clock, log, decisions, acted, recorded } = this.#deps;
    const { alertname, key, pod } = alert;
    const { result } = outcome;
    acted(alertname, action, result);
    const records = this.of(key);
    const last = records.findLast((record) => record.action === action);
    // Otherwise an alert that flaps would displace all other records.
    if (SKIPPED.has(result) && last?.result === result) return;
    const message = safeText(outcome.message, MESSAGE_CHARACTERS_MAX);
    const atMs = clock.now();
    this.#records.set(key, [...records, { atMs, action, result, message }].slice(-RECORDS_MAX));
    log.info('Recorded alert action', {
      alert: alertname,
      action,
      result,
      message,
      ...(pod && { pod }),
    });
    const why = `alert ${alertname} fires: ${message}`;
    if (pod)
      decisions.record({ atMs, pod, machine: 'alert-action', from: action, to: result, why });
    this.#recordEvent(alert, result, `${action}: ${message} (alert ${alertname})`);
    recorded(key);
  }

  #recordEvent({ pod }: AlertView, result: ActionResult, message: string): void {
    if (result === 'repeated' || result === 'rateLimited') return;
    const [type, reason] = EVENTS[result];
    if (pod) this.#deps.events.record(pod, type, reason, message);
    else this.#deps.nodeEvents.recordNode(type, reason, message);
  }
}
