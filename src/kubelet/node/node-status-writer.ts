/**
 * Writes the status of this node: computes it from the known Node and the current facts, and sends changes
 * (KL-105).
 *
 *     known Node ──compute──> changed, or a report is due ──PATCH──> known Node
 *         ▲                              │ fails
 *         └──────────── GET ─────────────┘  up to five tries in a row
 *
 * The first try uses the newest Node known from the watch; the Node is read only after a failure. If the
 * server sends Retry-After, there is no further try until the next round.
 */
import { formatTime } from '../../api/values/time.ts';
import { withRequiredLabels } from '../../core/node/node-object.ts';
import type { NodeSettings } from '../../core/node/node-settings.ts';
import {
  nodeStatus,
  type NodeReading,
  type NodeStatusUpdate,
} from '../../core/node/node-status.ts';
import {
  hasStatusChanged,
  isReportDue,
  NEVER_REPORTED,
  nodePatch,
  reported,
  type ReportClock,
} from '../../core/node/status-report.ts';
import type { JsonObject } from '../../lib/json.ts';
import { ApiError } from '../../ports/api/api-client.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import { hasCode, type Send } from './heartbeat-api.ts';
import { statusOf, type KnownNode } from './known-node.ts';
import type { NodeEvents } from './node-events.ts';
import { patchNode, readNode } from './node-registration.ts';

export interface NodeStatusWriterOptions {
  readonly send: Send;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: NodeEvents;
  readonly nodeName: string;
  readonly settings: NodeSettings;
  readonly known: KnownNode;
  readonly read: () => Promise<NodeReading>;
  readonly signal: AbortSignal;
}

export type WriteOutcome = 'done' | 'gone' | 'failed';

const TRIES = 5;

export class NodeStatusWriter {
  readonly #options: NodeStatusWriterOptions;
  #report: ReportClock = NEVER_REPORTED;
  #computed: JsonObject = {};

  constructor(options: NodeStatusWriterOptions) {
    this.#options = options;
  }

  /** The last computed status, whether or not it could be sent. */
  get computed(): JsonObject {
    return this.#computed;
  }

  /** The status that follows from `before` and the current facts. */
  async compute(before: JsonObject): Promise<NodeStatusUpdate & { readonly reading: NodeReading }> {
    const { clock, settings, read } = this.#options;
    const reading = await read();
    const update = nodeStatus(before, reading, settings, formatTime(clock.now()));
    this.#computed = update.status;
    return { ...update, reading };
  }

  /** The Node was created with the newest status: that counts as a report. */
  counts(): void {
    this.#reportNow(true);
  }

  /** `isDoubtful`: the known Node may be wrong, so it is read first. */
  async write(isDoubtful: boolean): Promise<WriteOutcome> {
    const { log, signal, nodeName } = this.#options;
    for (let tries = 0; tries < TRIES && !signal.aborted; tries++) {
      try {
        return await this.#try(isDoubtful || tries > 0);
      } catch (error) {
        if (signal.aborted) return 'failed';
        log.warn('Error updating node status, will retry', { node: nodeName, tries, error });
        if (error instanceof ApiError && error.retryAfterMs !== null) return 'failed';
      }
    }
    return 'failed';
  }

  async #try(readsFirst: boolean): Promise<WriteOutcome> {
    const { send, clock, known, nodeName, events, settings } = this.#options;
    const base = readsFirst ? await this.#live() : (known.get() ?? (await this.#live()));
    if (base === null) return 'gone';
    const { status, nodeEvents, reading } = await this.compute(statusOf(base));
    const node = withRequiredLabels({ ...base, status }, identityOf(reading));
    const isRelabelled = node['metadata'] !== base['metadata'];
    const hasChanged = isRelabelled || hasStatusChanged(statusOf(base), status);
    const { statusReportMs } = settings;
    if (!hasChanged && !isReportDue(this.#report, statusReportMs, clock.monotonic())) return 'done';
    known.learn(await patchNode(send, nodeName, nodePatch(base, node)));
    this.#reportNow(hasChanged);
    for (const { type, reason, message } of nodeEvents) events.recordNode(type, reason, message);
    return 'done';
  }

  #reportNow(hasChanged: boolean): void {
    const { clock, random, settings } = this.#options;
    const { statusReportMs } = settings;
    const nowMs = clock.monotonic();
    this.#report = reported(this.#report, hasChanged, statusReportMs, nowMs, random.next());
  }

  /** Null: the API has no such Node. */
  async #live(): Promise<JsonObject | null> {
    const { send, known, nodeName } = this.#options;
    try {
      const node = await readNode(send, nodeName);
      known.learn(node);
      return node;
    } catch (error) {
      if (!hasCode(error, 404)) throw error;
      known.forget();
      return null;
    }
  }
}

export function identityOf({ nodeName, machine }: NodeReading): {
  nodeName: string;
  operatingSystem: string;
  architecture: string;
} {
  const { operatingSystem = '', architecture = '' } = machine ?? {};
  return { nodeName, operatingSystem, architecture };
}
