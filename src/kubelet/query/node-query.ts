/**
 * The query API of this node, to read and watch: pods with their newest statuses, the decisions about them,
 * the node, its usage and its alerts. The HTTP interface below /podkeep/v1 is a thin layer over these calls
 * (src/server/query/).
 *
 *     pod manager, status manager ──> ShownPods ──> feed of pods ──────┐
 *     decision history ─────────────────────────> feed of decisions ───┼──> watchers
 *     alerts ───────────────────────────────────> feed of alerts ──────┘
 *
 * 1. Nothing here changes anything, and no read waits for the API server.
 * 2. All changes share one counter, the revision. A list has the revision at which it was taken.
 * 3. The number of watchers is limited, and so are the bytes that wait for one of them.
 */
import type { Pod } from '../../api/pod.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import { defineError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { PodName } from '../../ports/api/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecisionRecord } from '../../ports/observe/decision-log.ts';
import { nodeLoadIn, type NodeFileSystem } from '../stats/node-load-reader.ts';
import type { UsageRecorder } from '../stats/usage-recorder.ts';
import { ChangeFeed, type ChangeFeedOptions } from './change-feed.ts';
import { decisionJsonOf, podJsonOf, timelineItemOf } from './decision-json.ts';
import { nodeReportOf, type NodeFindings } from './node-report.ts';
import {
  decisionMatcher,
  podMatcher,
  type DecisionFilter,
  type PodFilter,
} from './query-filter.ts';
import type { QueryWatch } from './query-watch.ts';
import { resourceReportOf } from './resource-report.ts';
import { ShownPods, type ShownPodsDeps } from './shown-pods.ts';
import { UsageSamples, type UsageSource } from './usage-samples.ts';

/** The part of the decision history that queries need. */
export interface QueriedDecisions {
  of(uid: string): readonly DecisionRecord[];
  all(): readonly DecisionRecord[];
  findByName(namespace: string, name: string): PodReference | undefined;
  subscribe(subscriber: (decision: DecisionRecord) => void): () => void;
}

/** The alerts of this node, as JSON. */
export interface QueriedAlerts {
  all(): readonly JsonObject[];
  /** `before` is null for a new alert, `after` for one that is no longer shown. */
  subscribe(subscriber: (before: JsonObject | null, after: JsonObject | null) => void): () => void;
}

export interface NodeQueryDeps extends Omit<ShownPodsDeps, 'publish'> {
  readonly clock: Clock;
  readonly nodeName: string;
  /** Names this process in the IDs of events: lower-case letters and digits, never used before. */
  readonly epoch: string;
  readonly decisions: QueriedDecisions;
  readonly usage: UsageSource;
  /** Absent: the node's own files are not on a disk. */
  readonly disk?: NodeFileSystem['disk'] | undefined;
  /** Absent: usage is not recorded. */
  readonly history?: Pick<UsageRecorder, 'report'> | undefined;
  readonly node: () => NodeFindings;
  /** Absent: no alert rules are evaluated on this node. */
  readonly alerts?: QueriedAlerts | undefined;
  readonly limits?: Partial<NodeQueryLimits>;
}

export interface NodeQueryLimits {
  readonly watchersMax: number;
  /** The bytes that may wait for one watcher; beyond that its watch is ended. */
  readonly unsentBytesMax: number;
  /** Changes that a watcher can resume from, of pods and of decisions each. */
  readonly entriesMax: number;
  readonly bytesMax: number;
  readonly lingerMs: number;
}

export interface WatchPosition {
  /** The ID of the last event that the client has. Absent: it has none, and gets the whole state. */
  readonly lastEventId?: string | undefined;
}

export interface DecisionListFilter extends DecisionFilter {
  /** The newest ones only. Absent: 1,000. The answer says how many were left out. */
  readonly limit?: number | undefined;
}

const MIB = 2 ** 20;
const LIMITS: NodeQueryLimits = {
  watchersMax: 512,
  unsentBytesMax: 4 * MIB,
  entriesMax: 10_000,
  bytesMax: 64 * MIB,
  lingerMs: 300_000,
};
const DECISIONS_LISTED = 1000;
const FIRST_REVISION = 1;
const API_VERSION = 'podkeep/v1';

export const podUnknown = defineError<PodName>({
  code: 'POD_UNKNOWN',
  retry: 'never',
  message: ({ namespace, name }) => `pod ${namespace}/${name} is not on this node`,
  hint: () => 'List the pods of this node: /podkeep/v1/pods, or podkeep get pods -A -o wide.',
});

export const watchersExhausted = defineError<{ max: number }>({
  code: 'WATCHERS_EXHAUSTED',
  retry: 'backoff',
  message: ({ max }) => `${max} clients watch this node already`,
  hint: () => 'Try again later, or end watches that are not needed any more.',
});

export const alertsNotEvaluated = defineError<{ nodeName: string }>({
  code: 'ALERTS_NOT_EVALUATED',
  retry: 'never',
  message: ({ nodeName }) => `no alert rules are evaluated on node ${nodeName}`,
  hint: () =>
    'The node has just started, or alerts are switched off. /podkeep/v1/node has its conditions.',
});

export class NodeQuery {
  readonly #deps: NodeQueryDeps;
  readonly #limits: NodeQueryLimits;
  readonly #revisions = { newest: FIRST_REVISION };
  readonly #podFeed: ChangeFeed<Pod>;
  readonly #decisionFeed: ChangeFeed<DecisionRecord>;
  readonly #alertFeed: ChangeFeed<JsonObject>;
  readonly #shown: ShownPods;
  readonly #usage: UsageSamples;
  readonly #endings: readonly (() => void)[];
  #watchers = 0;

  constructor(deps: NodeQueryDeps) {
    const { clock, epoch, decisions, usage, alerts } = deps;
    this.#deps = deps;
    this.#limits = { ...LIMITS, ...deps.limits };
    const options: ChangeFeedOptions = {
      ...this.#limits,
      clock,
      epoch,
      revisions: this.#revisions,
    };
    this.#podFeed = new ChangeFeed('pod', jsonOf, options);
    this.#decisionFeed = new ChangeFeed('decision', decisionJsonOf, options);
    this.#alertFeed = new ChangeFeed('alert', (alert) => alert, options);
    this.#shown = new ShownPods({ ...deps, publish: (change) => this.#podFeed.publish(change) });
    this.#usage = new UsageSamples(clock, usage);
    this.#endings = [
      decisions.subscribe((decision) =>
        this.#decisionFeed.publish({ type: 'decision', before: null, after: decision }),
      ),
      alerts?.subscribe((before, after) =>
        this.#alertFeed.publish({ type: after ? 'alert' : 'deleted', before, after }),
      ) ?? (() => {}),
    ];
  }

  /** The pods of this node. Throws QUERY_INVALID. */
  pods(filter: PodFilter = {}): JsonObject {
    const items = this.#shown.all().filter(podMatcher(filter)).map(jsonOf);
    return { kind: 'PodList', apiVersion: API_VERSION, ...this.#position(), items };
  }

  /** One pod. Throws POD_UNKNOWN. */
  pod(name: PodName): JsonObject {
    const pod = this.#shown.findByName(name);
    if (!pod) throw podUnknown(name);
    return jsonOf(pod);
  }

  /**
   * The decisions about one pod, oldest first, even if the pod is gone, as long as they are stored. Throws
   * POD_UNKNOWN and QUERY_INVALID.
   */
  timeline(name: PodName, { since }: Pick<DecisionFilter, 'since'> = {}): JsonObject {
    const pod = this.#find(name);
    const items = this.#deps.decisions.of(pod.uid).filter(decisionMatcher({ since }));
    return {
      kind: 'PodTimeline',
      apiVersion: API_VERSION,
      ...this.#position(),
      pod: podJsonOf(pod),
      items: items.map(timelineItemOf),
    };
  }

  /** The newest decisions about all pods, oldest first. Throws QUERY_INVALID. */
  decisions(filter: DecisionListFilter = {}): JsonObject {
    const { found, omitted } = this.#newestDecisions(filter);
    return {
      kind: 'DecisionList',
      apiVersion: API_VERSION,
      ...this.#position(),
      omitted,
      items: found.map(decisionJsonOf),
    };
  }

  node(): JsonObject {
    return nodeReportOf(this.#deps.nodeName, this.#deps.node(), this.#shown.all());
  }

  /**
   * The resource usage of the node and of the pods that match the filter. Rejects if the runtime does not
   * answer.
   */
  async resources(filter: PodFilter = {}): Promise<JsonObject> {
    const matches = podMatcher(filter);
    const usage = await this.#usage.read();
    const matched = this.#shown.all().filter(matches);
    const byUid = new Map(matched.map((pod) => [pod.metadata.uid ?? '', pod]));
    const { nodeName, disk = () => Promise.resolve(null) } = this.#deps;
    return resourceReportOf(nodeName, usage, await nodeLoadIn(usage, { disk }), byUid);
  }

  /**
   * The resource usage of the node and of the pods that match the filter in the last hour. Throws
   * QUERY_INVALID.
   */
  resourceHistory(filter: PodFilter = {}): JsonObject {
    const { history, nodeName } = this.#deps;
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const matched = this.#shown.all().filter(podMatcher(filter));
    const uids = isFiltered ? new Set(matched.map(({ metadata }) => metadata.uid ?? '')) : null;
    const recorded = history?.report(nodeName, uids) ?? {
      node: { name: nodeName, points: [] },
      pods: [],
    };
    return { kind: 'ResourceHistory', apiVersion: API_VERSION, ...recorded };
  }

  /** Alerts that are pending, firing, or were resolved lately. Throws ALERTS_NOT_EVALUATED. */
  alerts(): JsonObject {
    const items = this.#alerts().all();
    return { kind: 'AlertList', apiVersion: API_VERSION, ...this.#position(), items };
  }

  /** Events `pod` and `deleted`. Throws QUERY_INVALID and WATCHERS_EXHAUSTED. */
  watchPods({ lastEventId, ...filter }: PodFilter & WatchPosition = {}): QueryWatch {
    const matches = podMatcher(filter);
    const state = (): readonly Pod[] => this.#shown.all().filter(matches);
    const ended = this.#countWatcher();
    return this.#podFeed.watch({ matches, state, lastEventId, ended });
  }

  /** Events `decision`. `since` and `limit` restrict the initial state. Throws as `watchPods` does. */
  watchDecisions({ lastEventId, ...filter }: DecisionListFilter & WatchPosition = {}): QueryWatch {
    const matches = decisionMatcher(filter);
    const state = (): readonly DecisionRecord[] => this.#newestDecisions(filter).found;
    const ended = this.#countWatcher();
    return this.#decisionFeed.watch({ matches, state, lastEventId, ended });
  }

  /** The decisions about the pods of one name; the pod need not exist yet. Throws as `watchPods` does. */
  watchTimeline(
    { namespace, name }: PodName,
    { since, lastEventId }: Pick<DecisionFilter, 'since'> & WatchPosition = {},
  ): QueryWatch {
    const isRecent = decisionMatcher({ since });
    const matches = (one: DecisionRecord): boolean =>
      one.pod.namespace === namespace && one.pod.name === name && isRecent(one);
    const state = (): readonly DecisionRecord[] => this.#deps.decisions.all().filter(matches);
    const ended = this.#countWatcher();
    return this.#decisionFeed.watch({ matches, state, lastEventId, ended });
  }

  /** Events `alert` and `deleted`. Throws ALERTS_NOT_EVALUATED and WATCHERS_EXHAUSTED. */
  watchAlerts({ lastEventId }: WatchPosition = {}): QueryWatch {
    const alerts = this.#alerts();
    const ended = this.#countWatcher();
    const state = (): readonly JsonObject[] => alerts.all();
    return this.#alertFeed.watch({ matches: () => true, state, lastEventId, ended });
  }

  /** Ends all watches. */
  close(): void {
    for (const end of this.#endings) end();
    this.#alertFeed.close();
    this.#shown.close();
    this.#podFeed.close();
    this.#decisionFeed.close();
  }

  #alerts(): QueriedAlerts {
    const { alerts, nodeName } = this.#deps;
    if (!alerts) throw alertsNotEvaluated({ nodeName });
    return alerts;
  }

  #position(): JsonObject {
    return { revision: this.#revisions.newest, epoch: this.#deps.epoch };
  }

  #find(name: PodName): PodReference {
    const shown = this.#shown.findByName(name);
    if (shown) return { ...name, uid: shown.metadata.uid ?? '' };
    const remembered = this.#deps.decisions.findByName(name.namespace, name.name);
    if (!remembered) throw podUnknown(name);
    return remembered;
  }

  #newestDecisions({ limit = DECISIONS_LISTED, ...filter }: DecisionListFilter) {
    const all = this.#deps.decisions.all().filter(decisionMatcher(filter));
    const omitted = Math.max(all.length - limit, 0);
    return { found: all.slice(omitted), omitted };
  }

  /** Returns a function to call when the watch has ended. */
  #countWatcher(): () => void {
    const { watchersMax } = this.#limits;
    if (this.#watchers >= watchersMax) throw watchersExhausted({ max: watchersMax });
    this.#watchers += 1;
    return () => void (this.#watchers -= 1);
  }
}

/** A pod is JSON already; this only satisfies the types. */
function jsonOf(pod: Pod): JsonObject {
  return isJsonObject(pod) ? pod : {};
}
