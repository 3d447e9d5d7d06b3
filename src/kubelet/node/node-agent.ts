/**
 * The node itself: registers it, keeps its status true, and shows that it is alive (KL-105 to KL-108).
 *
 *     register ──> status, every 10 s and when something changed ──> the Node is gone ──> register
 *         └──────> lease, every 10 s
 *
 * 1. One thing is done to the Node at a time; a change meanwhile is looked at right after.
 * 2. While the node is not ready after a start, it is looked at every 100 ms, for two minutes at most,
 *    and only the news that it is ready are sent (KL-108).
 * 3. After `stop` nothing is sent and no timer is left.
 *
 * A kubelet whose Node was deleted does not make it again until it is restarted; its pods are then taken
 * away by the garbage collection of pods. Here it comes back at once, with the labels and taints of a new
 * one. Whoever wants to be rid of a node has to end what runs on it, as always.
 */
import type { ResourceList } from '../../api/resources.ts';
import type { Pressure } from '../../core/node/eviction-threshold.ts';
import { hostIPsOf } from '../../core/node/node-addresses.ts';
import { isReady } from '../../core/node/node-conditions.ts';
import { newNode } from '../../core/node/node-object.ts';
import { allocatableOf } from '../../core/node/node-resources.ts';
import { resourcesIn } from '../../core/node/node-status.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Informer, StartInformer } from '../../ports/informer.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import { enforceAllocatable, type EnforceAllocatable } from './allocatable-limit.ts';
import { heartbeatApi, type Send } from './heartbeat-api.ts';
import { KnownNode, statusOf, uidOf } from './known-node.ts';
import type { NodeEvents } from './node-events.ts';
import { NodeLease } from './node-lease.ts';
import { NodeReader, type NodeReaderOptions } from './node-reader.ts';
import { NODES_PATH, registerNode } from './node-registration.ts';
import { identityOf, NodeStatusWriter } from './node-status-writer.ts';
import { PressureMonitor } from './pressure-monitor.ts';
import { jittered, pause } from './waiting.ts';
import { Wake } from './wake.ts';

export interface NodeAgentOptions extends NodeReaderOptions {
  readonly api: KubeApi;
  readonly startInformer: StartInformer;
  readonly random: Random;
  readonly events: NodeEvents;
  /** Asks the runtime now how it is, instead of at the next time; used while the node is not ready. */
  readonly checkRuntime?: (() => Promise<void>) | undefined;
  /** Absent: pods are not held to the node's allocatable resources together. */
  readonly enforceAllocatable?: EnforceAllocatable | undefined;
}

const REGISTER_BACK_OFF_MS = 100;
const REGISTER_BACK_OFF_MS_MAX = 7000;
const FIRST_LOOK_MS = 1000;
const FAST_MS = 100;
const FAST_FOR_MS = 120_000;

export class NodeAgent {
  /** The API has this node. It never rejects, and stays open if the agent is stopped before. */
  readonly registered: Promise<void>;
  readonly #options: NodeAgentOptions;
  readonly #abort = new AbortController();
  readonly #known = new KnownNode();
  readonly #wake: Wake;
  readonly #send: Send;
  readonly #pressure: PressureMonitor;
  readonly #writer: NodeStatusWriter;
  readonly #lease: NodeLease;
  #resolveRegistered: () => void = () => {};
  #informer: Informer | null = null;
  #work: Promise<unknown> = Promise.resolve();
  #isStarted = false;
  #isRegistered = false;
  /** The watch says that the Node is gone. */
  #isDoubtful = false;
  #wasUnschedulable = false;
  #isChecking = false;

  constructor(options: NodeAgentOptions) {
    const { api, clock, settings, nodeName } = options;
    const { signal } = this.#abort;
    const { leaseDurationSeconds } = settings;
    // What people have written wrongly is told now, not with every status.
    allocatableOf({}, settings);
    this.#options = options;
    this.registered = new Promise((resolve) => (this.#resolveRegistered = resolve));
    this.#wake = new Wake(clock);
    this.#send = heartbeatApi({ api, clock, leaseDurationSeconds, signal });
    const shared = { ...options, send: this.#send, signal };
    this.#pressure = new PressureMonitor({ ...shared, changed: () => this.changed() });
    const reader = new NodeReader(options, () => this.#pressure.pressures(), signal);
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

  /** Resolves when nothing is under way any more. The Node and its lease stay as they are. */
  async stop(): Promise<void> {
    this.#abort.abort(new Error('the node agent was stopped'));
    this.#informer?.stop();
    await this.#work;
  }

  /** Something that decides whether the node is ready has changed. */
  changed(): void {
    this.#wake.call();
  }

  /** The newest known; null: the API has none, or it was not seen yet. */
  node(): JsonObject | null {
    return this.#known.get();
  }

  capacity(): ResourceList {
    return resourcesIn(this.#newestStatus(), 'capacity');
  }

  /** What pods may ask for together. Empty until the machine was read. */
  allocatable(): ResourceList {
    return resourcesIn(this.#newestStatus(), 'allocatable');
  }

  /** At most one of each family. Empty until the machine was read. */
  hostIPs(): readonly string[] {
    return hostIPsOf(this.#newestStatus()['addresses']);
  }

  /** Of the status: what the API has counts. */
  addresses(): Json | undefined {
    return this.#newestStatus()['addresses'];
  }

  pressures(): ReadonlySet<Pressure> {
    return this.#pressure.pressures();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { clock, settings, enforceAllocatable: enforce } = this.#options;
    // A node in trouble should not say first that it is in none, unless the look takes too long.
    await Promise.race([this.#pressure.look(), pause(clock, FIRST_LOOK_MS, signal)]);
    if (settings.registerNode) await this.#register();
    else await this.#writer.compute({});
    if (signal.aborted) return;
    this.#informer = this.#follow();
    // Both may hang with what they ask; after a stop they do nothing, and nobody waits for them.
    void this.#pressure.run();
    if (enforce) void enforceAllocatable(enforce, this.allocatable(), { ...this.#options, signal });
    await Promise.all([this.#lease.run(), this.#keepStatus()]);
  }

  /** Tries until it works; waits 100 ms, doubled up to 7 s. */
  async #register(): Promise<void> {
    const { log, clock, nodeName, settings, events } = this.#options;
    const { signal } = this.#abort;
    let delayMs = REGISTER_BACK_OFF_MS;
    while (!signal.aborted) {
      const { status, news, reading } = await this.#writer.compute({});
      const fresh = newNode(identityOf(reading), settings, status);
      try {
        const { node, isNew } = await registerNode(this.#send, nodeName, fresh);
        this.#known.learn(node);
        log.info('the node is registered', { node: nodeName, isNew });
        if (isNew) {
          this.#writer.counts();
          for (const one of news) events.recordNode(one.type, one.reason, one.message);
        }
        this.#registeredNow();
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn('the node could not be registered; trying again', { nodeName, delayMs, error });
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
        // One quick try is enough: a server that does not answer is not to be pressed.
        if (becameReady) isFast = false;
        await this.#sync();
        nextMs = clock.monotonic() + jittered(settings.statusUpdateMs, random.next());
        // Calls that follow each other closely are answered together.
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
    this.#options.log.error('the node did not become ready in time after its start');
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
      .catch((error: unknown) => log.warn('the runtime could not be asked', { error }))
      .finally(() => (this.#isChecking = false));
  }

  async #sync(): Promise<void> {
    const { settings, nodeName, log } = this.#options;
    const isDoubtful = this.#isDoubtful;
    this.#isDoubtful = false;
    const outcome = await this.#writer.write(isDoubtful);
    if (outcome === 'failed') this.#isDoubtful ||= isDoubtful;
    if (outcome === 'gone' && settings.registerNode) {
      log.warn('the Node was deleted while its kubelet runs; registering it again', { nodeName });
      await this.#register();
    }
    this.#tellSchedulable();
  }

  #tellSchedulable(): void {
    const { events, nodeName } = this.#options;
    const spec = this.#known.get()?.['spec'];
    const isUnschedulable = isJsonObject(spec) && spec['unschedulable'] === true;
    if (isUnschedulable === this.#wasUnschedulable) return;
    this.#wasUnschedulable = isUnschedulable;
    const reason = isUnschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable';
    events.recordNode('Normal', reason, `Node ${nodeName} status is now: ${reason}`);
  }

  /** What the API has counts, because others may add to it; before that what was computed. */
  #newestStatus(): JsonObject {
    const status = statusOf(this.#known.get());
    return isJsonObject(status['allocatable']) ? status : this.#writer.computed;
  }
}
