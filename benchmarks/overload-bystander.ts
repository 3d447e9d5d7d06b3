/**
 * The bystander: a user who works normally while another one overloads the server. Measures how long its
 * requests take.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../src/lib/json.ts';
import { BenchClient, credentialsIn } from './apiserver-clients.ts';
import { PodHarness, sleepingPod } from './node-clients.ts';
import { percentile } from './node-figures.ts';
import { NodeProgram, whyNoProgram } from './node-program.ts';
import { TokenClient, type Target } from './overload-client.ts';
import { THING_DEFINITION } from './overload-loads.ts';

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export interface PodStarts {
  readonly p50: number;
  readonly p90: number;
  readonly count: number;
}

const DEFAULT = '/api/v1/namespaces/default';
const QUIET = '/api/v1/namespaces/quiet/configmaps';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/bench';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const OBJECTS = 2000;
const MEMORY_MS = 250;
const STARTS_MIN = 5;

export class Bystander {
  readonly attacker: Target;
  readonly #program: NodeProgram;
  readonly #pods: PodHarness;
  readonly #admin: TokenClient;
  readonly #client: TokenClient;
  #pod = 0;

  private constructor(program: NodeProgram, pods: PodHarness, targets: readonly Target[]) {
    const [admin, attacker, self] = targets;
    if (!admin || !attacker || !self) throw new Error('three users are needed');
    this.#program = program;
    this.#pods = pods;
    this.attacker = attacker;
    this.#admin = new TokenClient(admin, 2);
    this.#client = new TokenClient(self, 4);
  }

  static async open(): Promise<Bystander> {
    const missing = whyNoProgram();
    if (missing !== null) throw new Error(missing);
    const program = new NodeProgram(['--runtime', 'simulated']);
    const { url } = await program.heard('serving');
    const admin = new BenchClient(String(url), credentialsIn(program.folder), 8);
    const pods = await PodHarness.open(program);
    await pods.create(sleepingPod('quiet'));
    await pods.ready('quiet');
    await prepare(admin);
    const ca = readFileSync(path.join(program.folder.pki, 'ca.crt'), 'utf8');
    const targets: Target[] = [];
    for (const account of ['overload-admin', 'overload-attacker', 'overload-bystander']) {
      targets.push({ url: String(url), ca, token: await tokenOf(program, String(url), account) });
    }
    admin.close();
    return new Bystander(program, pods, targets);
  }

  /**
   * For `ms` milliseconds, sends requests of each kind one after the other, and starts pods one after the
   * other.
   */
  async measure(ms: number) {
    const untilMs = performance.now() + ms;
    const failures: string[] = [];
    const during = async (send: () => Promise<{ readonly code: number }>): Promise<Latency> => {
      const times: number[] = [];
      while (performance.now() < untilMs) {
        const startMs = performance.now();
        const { code } = await send().catch((error: unknown) => ({ code: messageOf(error) }));
        times.push(performance.now() - startMs);
        if (code !== 200) failures.push(String(code));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
    };
    let count = 0;
    const patch = (): Promise<{ readonly code: number }> => {
      const body = JSON.stringify({ data: { count: String((count += 1)) } });
      return this.#client.send('PATCH', `${QUIET}/quiet-0`, body, MERGE);
    };
    const memory = this.#watchMemory(untilMs);
    const lease = this.#watchLease(untilMs);
    const pods = this.#startPods(untilMs);
    const [get, list, patched] = await Promise.all([
      during(() => this.#client.send('GET', `${QUIET}/quiet-1`)),
      during(() => this.#client.send('GET', QUIET)),
      during(patch),
    ]);
    const [pod, leaseMs, memoryMb] = await Promise.all([pods, lease, memory]);
    return { get, list, patch: patched, pod, leaseMs, memoryMb, failures };
  }

  async getP99(times: number): Promise<number> {
    const taken: number[] = [];
    for (let count = 0; count < times; count++) {
      const startMs = performance.now();
      await this.#client.send('GET', `${QUIET}/quiet-1`).catch(() => {});
      taken.push(performance.now() - startMs);
    }
    return percentile(taken, 0.99);
  }

  async close(): Promise<void> {
    this.#client.close();
    this.#admin.close();
    this.#pods.close();
    await this.#program.stop();
  }

  async #startPods(untilMs: number): Promise<PodStarts> {
    const times: number[] = [];
    while (times.length < STARTS_MIN || performance.now() < untilMs) {
      times.push(await this.#startPod());
    }
    return { p50: percentile(times, 0.5), p90: percentile(times, 0.9), count: times.length };
  }

  async #startPod(): Promise<number> {
    const name = `overload-${(this.#pod += 1)}`;
    const sentMs = await this.#pods.create(sleepingPod(name));
    const readyMs = await this.#pods.ready(name);
    await this.#pods.delete(name);
    return readyMs - sentMs;
  }

  async #watchMemory(untilMs: number): Promise<number> {
    let most = 0;
    while (performance.now() < untilMs) {
      most = Math.max(most, this.#program.residentMb());
      await new Promise((resolve) => setTimeout(resolve, MEMORY_MS));
    }
    return most;
  }

  /** Observes the maximum age of the node's Lease. */
  async #watchLease(untilMs: number): Promise<number> {
    let oldest = 0;
    while (performance.now() < untilMs) {
      const { text } = await this.#admin.send('GET', LEASE);
      const lease = JSON.parse(text) as { spec?: { renewTime?: string } };
      const renewedMs = Date.parse(lease.spec?.renewTime ?? '');
      if (!Number.isNaN(renewedMs)) oldest = Math.max(oldest, Date.now() - renewedMs);
      await new Promise((resolve) => setTimeout(resolve, 2 * MEMORY_MS));
    }
    return oldest;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function prepare(admin: BenchClient): Promise<void> {
  const post = (target: string, body: JsonObject): Promise<number> =>
    admin.send('POST', target, JSON.stringify(body));
  await post('/api/v1/namespaces', { metadata: { name: 'quiet' } });
  await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', THING_DEFINITION);
  const text = 'x'.repeat(1000);
  const object = (at: number): JsonObject => ({
    metadata: { name: `quiet-${at}` },
    data: { text },
  });
  for (let at = 0; at < 100; at++) await post(QUIET, object(at));
  for (let at = 0; at < OBJECTS; at++) await post(`${DEFAULT}/configmaps`, object(at));
}

/** Creates a user's token. The attacker has rights in one namespace only; other users have all rights. */
async function tokenOf(program: NodeProgram, url: string, account: string): Promise<string> {
  const admin = new BenchClient(url, credentialsIn(program.folder), 1);
  const isAttacker = account === 'overload-attacker';
  const subject = { kind: 'ServiceAccount', name: account, namespace: 'default' };
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const post = (target: string, body: JsonObject): Promise<number> =>
    admin.send('POST', target, JSON.stringify(body));
  await post(`${DEFAULT}/serviceaccounts`, { metadata: { name: account } });
  const binding = {
    metadata: { name: account },
    subjects: [subject],
    roleRef: { ...role, name: 'cluster-admin' },
  };
  const place = isAttacker
    ? `${rbac}/namespaces/default/rolebindings`
    : `${rbac}/clusterrolebindings`;
  await post(place, binding);
  const token = await readToken(url, program, account);
  admin.close();
  return token;
}

async function readToken(url: string, program: NodeProgram, account: string): Promise<string> {
  const { ca, cert, key } = credentialsIn(program.folder);
  const { Agent, request } = await import('node:https');
  const agent = new Agent({ ca, cert, key });
  const target = `${url}${DEFAULT}/serviceaccounts/${account}/token`;
  const headers = { 'content-type': 'application/json' };
  const text = await new Promise<string>((resolve, reject) => {
    request(target, { method: 'POST', agent, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => resolve(body));
    })
      .on('error', reject)
      .end('{"spec":{}}');
  });
  agent.destroy();
  return (JSON.parse(text) as { status: { token: string } }).status.token;
}
