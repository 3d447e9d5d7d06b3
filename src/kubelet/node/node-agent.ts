/**
 * The node agent: registers the node, keeps its status up to date, and renews its lease (KL-105 to KL-108).
 *
 *     register ──> status, every 10 s and when something changed ──> the Node is gone ──> register
 *         └──────> lease, every 10 s
 *
 * 1. One operation on the Node at a time; a change meanwhile is handled right after it.
 * 2. While the node is not ready after a start, its readiness is checked every 100 ms, for two minutes at
 *    most, and the status is sent when it becomes ready (KL-108).
 * 3. After `stop` nothing is sent and no timer is left.
 *
 * If the Node object is deleted, Kubernetes' kubelet does not create it again before the kubelet is
 * restarted, and the pod garbage collector deletes the pods of the node. podkeep registers the Node again
 * immediately, with the labels and taints of a new one. To remove a node, stop its podkeep first.
 */
import type { ResourceList } from '../../api/resources.ts';
import type { Pressure } from '../../core/eviction/eviction-signal.ts';
import { hostIPsOf } from '../../core/node/node-addresses.ts';
import { isReady } from '../../core/node/node-conditions.ts';
import { newNode } from '../../core/node/node-object.ts';
import { allocatableOf } from '../../core/node/node-resources.ts';
import { resourcesIn } from '../../core/node/node-status.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Informer, StartInformer } from '../../ports/api/informer.ts';
import type { KubeApi } from '../../ports/api/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import { enforceAllocatable, type EnforceAllocatable } from './allocatable-limit.ts';
import { heartbeatApi, type Send } from './heartbeat-api.ts';
import { KnownNode, statusOf, uidOf } from './known-node.ts';
import type { NodeEvents } from './node-events.ts';
import { NodeLease } from './node-lease.ts';
import { NodeReader, type NodeReaderOptions } from './node-reader.ts';
import { NODES_PATH, registerNode } from './node-registration.ts';
import { identityOf, NodeStatusWriter } from './node-status-writer.ts';
import { jittered, pause } from '../waiting/pause.ts';
import { Wake } from './wake.ts';

export interface NodeAgentOptions extends NodeReaderOptions {
  readonly api: KubeApi;
  readonly startInformer: StartInformer;
  readonly random: Random;
  readonly events: NodeEvents;
  readonly eviction: NodePressures;
  /** Checks the runtime now instead of at the next regular check; called while the node is not ready. */
  readonly checkRuntime?: (() => Promise<void>) | undefined;
  /** Absent: pods together are not limited to the node's allocatable resources. */
  readonly enforceAllocatable?: EnforceAllocatable | undefined;
}

/** The pressures of the eviction manager, which calls `changed` when they change. */
export interface NodePressures {
  pressures(): ReadonlySet<Pressure>;
  /** Determines them for the first time. */
  observe(): Promise<void>;
}

const REGISTER_BACK_OFF_MS = 100;
const REGISTER_BACK_OFF_MS_MAX = 7000;
const FIRST_LOOK_MS = 1000;
const FAST_MS = 100;
const FAST_FOR_MS = 120_000;

export class NodeAgent {
  /**
   * Resolves when the API has this node. It never rejects, and stays open if the agent is stopped before.
   */
  readonly registered: Promise<void>;
  readonly #options: NodeAgentOptions;
  readonly #abort = new AbortController();
  readonly #known = new KnownNode();
  readonly #wake: Wake;
  readonly #send: Send;
  readonly #writer: NodeStatusWriter;
  readonly #lease: NodeLease;
  #resolveRegistered: () => void = () => {};
  #informer: Informer | null = null;
  #work: Promise<unknown> = Promise.resolve();
  #isStarted = false;
  #isRegistered = false;
  /** The watch reported that the Node was deleted. */
  #isDoubtful = false;
  #wasUnschedulable = false;
  #isChecking = false;
  /**
   * When the API server last answered, by the clock's `monotonic`. Before the first answer: when the agent
   * was created.
   */
  #apiAnsweredAtMs: number;

  constructor(options: NodeAgentOptions) {
    const { api, clock, settings, nodeName } = options;
    const { signal } = this.#abort;
    const { leaseDurationSeconds } = settings;
    // Throws for invalid settings now, not at every status.
    allocatableOf({}, settings);
    this.#options = options;
    this.registered = new Promise((resolve) => (this.#resolveRegistered = resolve));
    this.#wake = new Wake(clock);
    this.#apiAnsweredAtMs = clock.monotonic();
    const answered = (): void => void (this.#apiAnsweredAtMs = clock.monotonic());
    this.#send = heartbeatApi({ api, clock, leaseDurationSeconds, signal, answered });
    const shared = { ...options, send: this.#send, signal };
    const reader = new NodeReader(options, () => this.pressures(), signal);
    const read = () => reader.read();
    this.#writer = new NodeStatusWriter({ ...shared, known: this.#known, read });
    this.#lease = new NodeLease({
      ...shared,
      nodeName,
      durationSeconds: leaseDurationSeconds,
      nodeUid: () => uidOf(this.#known.get()),
    });
  }

  start(): void {
    if (this.#isStarted || this.#abort.signal.aborted) return;
    this.#isStarted = true;
    this.#options.events.recordNode('Normal', 'Starting', 'Starting kubelet.');
    this.#work = this.#run();
  }

  /** Resolves when all work has ended. The Node and its lease stay as they are. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('the node agent was stopped'));
    this.#informer?.stop();
    await this.#work;
  }

  /** Something changed that affects the conditions of the node. */
  changed(): void {
    this.#wake.call();
  }

  /** The newest known Node; null: the API has none, or it was not seen yet. */
  node(): JsonObject | null {
    return this.#known.get();
  }

  capacity(): ResourceList {
    return resourcesIn(this.#newestStatus(), 'capacity');
  }

  /** What pods may request together. Empty until the machine was read. */
  allocatable(): ResourceList {
    return resourcesIn(this.#newestStatus(), 'allocatable');
  }

  /** At most one of each family. Empty until the machine was read. */
  hostIPs(): readonly string[] {
    return hostIPsOf(this.#newestStatus()['addresses']);
  }

  /** The addresses in the status; those in the API take precedence. */
  addresses(): Json | undefined {
    return this.#newestStatus()['addresses'];
  }

  /** How long ago the API server last answered a heartbeat. */
  apiSilentMs(): number {
    return this.#options.clock.monotonic() - this.#apiAnsweredAtMs;
  }

  pressures(): ReadonlySet<Pressure> {
    return this.#options.eviction.pressures();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { clock, settings, enforceAllocatable: enforce, eviction } = this.#options;
    // Observed first, so that a node under pressure does not report at first that it has none; but only if
    // that is quick.
    await Promise.race([eviction.observe(), pause(clock, FIRST_LOOK_MS, signal)]);
    if (settings.registerNode) await this.#register();
    else await this.#writer.compute({});
    if (signal.aborted) return;
    this.#informer = this.#follow();
    // Not awaited, because its calls may hang; after `stop` it does nothing.
    if (enforce) void enforceAllocatable(enforce, this.allocatable(), { ...this.#options, signal });
    await Promise.all([this.#lease.run(), this.#keepStatus()]);
  }

  /** Retries until it succeeds, after 100 ms, doubled up to 7 s. */
  async #register(): Promise<void> {
    const { log, clock, nodeName, settings, events } = this.#options;
    const { signal } = this.#abort;
    let delayMs = REGISTER_BACK_OFF_MS;
    while (!signal.aborted) {
      const { status, nodeEvents, reading } = await this.#writer.compute({});
      const fresh = newNode(identityOf(reading), settings, status);
      try {
        const { node, isNew } = await registerNode(this.#send, nodeName, fresh);
        this.#known.learn(node);
        log.info('Successfully registered node', { node: nodeName, isNew });
        if (isNew) {
          this.#writer.counts();
          for (const one of nodeEvents) events.recordNode(one.type, one.reason, one.message);
        }
        this.#registeredNow();
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn('Unable to register node with API server', { nodeName, delayMs, error });
        await pause(clock, delayMs, signal);
        delayMs = Math.min(delayMs * 2, REGISTER_BACK_OFF_MS_MAX);
      }
    }
  }

  #registeredNow(): void {
    this.#isRegistered = true;
    this.#resolveRegistered();
  }

  #follow(): Informer {
    const { startInformer, nodeName } = this.#options;
    const hear = (node: JsonObject): void => {
      this.#known.hear(node);
      if (!this.#isRegistered) this.#registeredNow();
    };
    const miss = (): void => {
      this.#isDoubtful = true;
      this.changed();
    };
    return startInformer({
      path: NODES_PATH,
      fieldSelector: `metadata.name=${nodeName}`,
      handlers: {
        listed: ([node]) => (node ? hear(node) : miss()),
        added: hear,
        updated: (_before, node) => hear(node),
        deleted: miss,
      },
    });
  }

  async #keepStatus(): Promise<void> {
    const { clock, random, settings } = this.#options;
    const { signal } = this.#abort;
    const startMs = clock.monotonic();
    let nextMs = startMs;
    let isFast = true;
    let wasCalled = false;
    while (!signal.aborted) {
      isFast &&= this.#isStartingUp(startMs);
      if (isFast) this.#checkRuntime();
      const becameReady = isFast && this.#couldBeReady();
      if (wasCalled || becameReady || clock.monotonic() >= nextMs) {
        // One fast try is enough: a server that does not answer must not be flooded.
        if (becameReady) isFast = false;
        await this.#sync();
        nextMs = clock.monotonic() + jittered(settings.statusUpdateMs, random.next());
        // Changes that follow each other closely are sent together.
        await pause(clock, FAST_MS, signal);
      }
      const untilNextMs = Math.max(nextMs - clock.monotonic(), 0);
      wasCalled = await this.#wake.sleep(
        isFast ? Math.min(FAST_MS, untilNextMs) : untilNextMs,
        signal,
      );
    }
  }

  #isStartingUp(startMs: number): boolean {
    if (isReady(statusOf(this.#known.get()))) return false;
    if (this.#options.clock.monotonic() - startMs < FAST_FOR_MS) return true;
    this.#options.log.error('Node not becoming ready in time after startup');
    return false;
  }

  #couldBeReady(): boolean {
    return this.#known.get() !== null && this.#options.readiness().length === 0;
  }

  #checkRuntime(): void {
    const { checkRuntime, log } = this.#options;
    if (!checkRuntime || this.#isChecking) return;
    this.#isChecking = true;
    checkRuntime()
      .catch((error: unknown) => log.warn('Failed to check the container runtime', { error }))
      .finally(() => (this.#isChecking = false));
  }

  async #sync(): Promise<void> {
    const { settings, nodeName, log } = this.#options;
    const isDoubtful = this.#isDoubtful;
    this.#isDoubtful = false;
    const outcome = await this.#writer.write(isDoubtful);
    if (outcome === 'failed') this.#isDoubtful ||= isDoubtful;
    if (outcome === 'gone' && settings.registerNode) {
      log.warn('Node was deleted; registering it again', { nodeName });
      await this.#register();
    }
    this.#recordSchedulable();
  }

  #recordSchedulable(): void {
    const { events, nodeName } = this.#options;
    const spec = this.#known.get()?.['spec'];
    const isUnschedulable = isJsonObject(spec) && spec['unschedulable'] === true;
    if (isUnschedulable === this.#wasUnschedulable) return;
    this.#wasUnschedulable = isUnschedulable;
    const reason = isUnschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable';
    events.recordNode('Normal', reason, `Node ${nodeName} status is now: ${reason}`);
  }

  /**
   * The status in the API, because other components may add to it; before the first write, the computed
   * status.
   */
  #newestStatus(): JsonObject {
    const status = statusOf(this.#known.get());
    return isJsonObject(status['allocatable']) ? status : this.#writer.computed;
  }
}
