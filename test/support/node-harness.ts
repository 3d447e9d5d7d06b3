/** A node agent on a clock that stands still, and an API server that has one Node and one lease. */
import { onTestFinished } from 'vitest';
import { applyStrategicMergePatch } from '../../src/api/patch/strategic-merge-patch.ts';
import { structOf } from '../../src/api/schema/schema.ts';
import type { Pressure } from '../../src/core/eviction/eviction-signal.ts';
import { NodeAgent, type NodeAgentOptions } from '../../src/kubelet/node/node-agent.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiError } from '../../src/ports/api/api-client.ts';
import type { InformerHandlers } from '../../src/ports/api/informer.ts';
import type { KubeApi, KubeRequest } from '../../src/ports/api/kube-api.ts';
import type { MachineFacts } from '../../src/ports/machine-facts.ts';
import { MACHINE, nodeSettings } from './node-parts.ts';
import { silentLog } from './silent-ports.ts';
import { VirtualClock } from './virtual-clock.ts';

const GIB = 1024 ** 3;
const NODE_PATH = '/api/v1/nodes/n1';

interface Versioned extends JsonObject {
  readonly metadata: JsonObject;
}

/** The fault of a request; null: none. It may also never answer. */
type Fault = (request: KubeRequest) => Error | Promise<never> | null;

const FEATURES = {
  enforcesCpu: true,
  enforcesMemory: true,
  hasMounts: true,
  hasPodAddresses: true,
};

export function refusal(statusCode: number, reason: string, retryAfterMs?: number): ApiError {
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ApiError({ statusCode, reason, message: reason, ...later });
}

export class NodeHarness implements KubeApi {
  readonly clock = new VirtualClock();
  readonly startMs = this.clock.monotonic();
  readonly requests: (KubeRequest & { readonly atMs: number })[] = [];
  readonly events: string[] = [];
  node: Versioned | null = null;
  lease: Versioned | null = null;
  fault: Fault = () => null;
  reasons: readonly string[] = [];
  pressures: ReadonlySet<Pressure> = new Set();
  handlers: InformerHandlers = {};
  informers = 0;
  #version = 0;

  readonly machine: MachineFacts = {
    info: () => Promise.resolve(MACHINE),
    usage: () => Promise.resolve({ memory: null, pids: null }),
    fileSystem: () =>
      Promise.resolve({
        bytes: { capacity: 100 * GIB, available: 50 * GIB },
        inodes: { capacity: 100, available: 90 },
      }),
  };

  agent(options: Partial<NodeAgentOptions> = {}): NodeAgent {
    const agent = new NodeAgent({
      api: this,
      clock: this.clock,
      random: { next: () => 0.5 },
      log: silentLog,
      events: {
        recordNode: (type, reason, message) => this.events.push(`${type} ${reason}: ${message}`),
      },
      nodeName: 'n1',
      machine: this.machine,
      runtime: {
        name: 'test',
        version: () => Promise.resolve({ name: 'test', version: '1.0' }),
        status: () => Promise.resolve({ isReady: true, isNetworkReady: true, features: FEATURES }),
        images: {
          list: () => Promise.resolve([]),
          usage: () => Promise.resolve(null),
          find: () => Promise.resolve(null),
          pull: () => Promise.reject(new Error('no')),
          remove: () => Promise.resolve(),
        },
      },
      settings: nodeSettings(),
      kubeletVersion: 'v1.36.4-podkeep',
      kubeletPort: 10_250,
      addresses: ['192.0.2.5'],
      rootFolder: '/var/lib/podkeep',
      readiness: () => this.reasons,
      eviction: { pressures: () => this.pressures, observe: () => Promise.resolve() },
      startInformer: ({ handlers = {} }) => {
        this.handlers = handlers;
        this.informers += 1;
        return { hasSynced: true, get: () => undefined, list: () => [], stop: () => {} };
      },
      ...options,
    });
    onTestFinished(() => agent.stop());
    return agent;
  }

  /** Starts one, and lets it register. */
  async run(options: Partial<NodeAgentOptions> = {}): Promise<NodeAgent> {
    const agent = this.agent(options);
    agent.start();
    await this.clock.pass(0);
    return agent;
  }

  /** Requests since the last call, such as `PATCH /api/v1/nodes/n1/status`; leases left out. */
  given(): readonly string[] {
    const requests = this.requests.splice(0).filter(({ path }) => !path.includes('/leases'));
    return requests.map(({ method, path }) => `${method} ${path}`);
  }

  renewals(): readonly string[] {
    const requests = this.requests.filter(({ path }) => path.includes('/leases'));
    return requests.map(({ method, atMs }) => `${method} ${atMs}`);
  }

  async send(request: KubeRequest, _signal?: AbortSignal): Promise<JsonObject> {
    this.requests.push({ ...request, atMs: this.clock.monotonic() - this.startMs });
    const fault = this.fault(request);
    if (fault instanceof Error) throw fault;
    if (fault) return fault;
    return request.path.includes('/leases') ? this.#serveLease(request) : this.#serveNode(request);
  }

  watch(): AsyncIterable<never> {
    throw new Error('nobody watches here');
  }

  /** Another client changes the Node. */
  change(fields: JsonObject): void {
    this.node = this.#stored({ ...this.node, ...fields }, this.node);
  }

  #serveNode({ method, path, body = {} }: KubeRequest): JsonObject {
    if (method === 'POST') {
      if (this.node) throw refusal(409, 'AlreadyExists');
      this.node = this.#stored(body as JsonObject, null);
      return this.node;
    }
    if (!this.node || !path.startsWith(NODE_PATH)) throw refusal(404, 'NotFound');
    if (method === 'PATCH') {
      const patched = applyStrategicMergePatch(this.node, body, structOf('core/v1.Node'));
      this.node = this.#stored(patched, this.node);
    }
    return this.node;
  }

  #serveLease({ method, body = {} }: KubeRequest): JsonObject {
    const lease = body as Versioned;
    if (method === 'POST') {
      this.lease = this.#stored(lease, null);
      return this.lease;
    }
    if (!this.lease) throw refusal(404, 'NotFound');
    if (method === 'PUT') {
      const isStale = lease.metadata['resourceVersion'] !== this.lease.metadata['resourceVersion'];
      if (isStale) throw refusal(409, 'Conflict');
      this.lease = this.#stored(lease, this.lease);
    }
    return this.lease;
  }

  #stored(object: JsonObject, before: Versioned | null): Versioned {
    this.#version += 1;
    const uid = before?.metadata['uid'] ?? `uid-${this.#version}`;
    const metadata = { ...(object['metadata'] as JsonObject), uid };
    return { ...object, metadata: { ...metadata, resourceVersion: String(this.#version) } };
  }
}

export function readyOf(node: JsonObject | null): JsonObject | undefined {
  const { conditions } = (node?.['status'] ?? {}) as JsonObject;
  return (conditions as JsonObject[] | undefined)?.find(({ type }) => type === 'Ready');
}
