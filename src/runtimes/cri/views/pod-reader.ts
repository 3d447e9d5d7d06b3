/**
 * Reads pods from the runtime with two list calls, and a status call for each sandbox and container.
 *
 *     ListPodSandbox ──┐                ┌─ PodSandboxStatus ─┐
 *     ListContainers ──┴─> by pod UID ──┴─ ContainerStatus ──┴─> RuntimePod
 *
 * A status has more than a list entry (addresses, exit codes, times), but costs a call. So `list` requests
 * only the status of objects whose state has changed since the last status; `inspect` of one pod requests
 * them all. A semaphore limits the concurrent status calls.
 *
 * Sandboxes and containers that no kubelet created have no pod UID label and are ignored.
 */
import { Semaphore } from '../../../lib/semaphore.ts';
import type { RuntimePod } from '../../../api/runtime-pod.ts';
import type { RuntimePodEntry } from '../../../ports/runtime/pod-runtime.ts';
import { hasCode } from '../errors.ts';
import { POD_NAME, POD_NAMESPACE, POD_UID } from '../labels.ts';
import { RUNTIME_CALLS } from '../messages/calls.ts';
import type { ContainerMessage } from '../messages/container-messages.ts';
import type { Sent } from '../messages/message.ts';
import type { PodSandbox } from '../messages/sandbox-messages.ts';
import type { CriService } from '../wire/cri-service.ts';
import { viewContainer, type SeenContainer } from './container-view.ts';
import { viewSandbox, type SeenSandbox } from './sandbox-view.ts';

type ListedSandbox = Sent<typeof PodSandbox>;
type ListedContainer = Sent<typeof ContainerMessage>;

interface Listing {
  readonly sandboxes: readonly ListedSandbox[];
  readonly containers: readonly ListedContainer[];
}

/** A cached status, and the state for which it is valid. */
interface Kept<Seen> {
  readonly state: string;
  readonly seen: Seen;
}

const PARALLEL_MAX = 16;

export class PodReader {
  readonly #service: CriService;
  readonly #runtimeName: string;
  readonly #gate = new Semaphore(PARALLEL_MAX);
  readonly #sandboxes = new Map<string, Kept<SeenSandbox>>();
  readonly #containers = new Map<string, Kept<SeenContainer>>();

  constructor(service: CriService, runtimeName: string) {
    this.#service = service;
    this.#runtimeName = runtimeName;
  }

  async list(): Promise<readonly RuntimePodEntry[]> {
    const listing = await this.#list({});
    this.#forgetOthers(listing);
    const entries = [...byPod(listing)].map(async ([uid, parts]): Promise<RuntimePodEntry> => {
      const labels = (parts.sandboxes[0] ?? parts.containers[0])?.labels;
      const name = labels?.[POD_NAME] ?? '';
      const namespace = labels?.[POD_NAMESPACE] ?? '';
      return { uid, name, namespace, pod: await this.#read(parts, false) };
    });
    return Promise.all(entries);
  }

  async inspect(podUid: string): Promise<RuntimePod> {
    return this.#read(await this.#list({ [POD_UID]: podUid }), true);
  }

  /** Drops the cached status of a container that changed without a change of its state. */
  forget(containerId: string): void {
    this.#containers.delete(containerId);
  }

  async #list(labelSelector: Readonly<Record<string, string>>): Promise<Listing> {
    const filter = { labelSelector };
    const [{ items: sandboxes }, { containers }] = await Promise.all([
      this.#service.ask(RUNTIME_CALLS.listPodSandbox, { filter }),
      this.#service.ask(RUNTIME_CALLS.listContainers, { filter }),
    ]);
    return { sandboxes, containers };
  }

  async #read({ sandboxes, containers }: Listing, isFresh: boolean): Promise<RuntimePod> {
    const [seenSandboxes, seenContainers] = await Promise.all([
      Promise.all(sandboxes.map((each) => this.#sandbox(each, isFresh))),
      Promise.all(containers.map((each) => this.#container(each, isFresh))),
    ]);
    const ordered = newestFirst(seenSandboxes);
    return {
      sandboxes: ordered.map(({ sandbox }) => sandbox),
      containers: newestFirst(seenContainers).map(({ container }) => container),
      ips: ordered[0]?.ips ?? [],
    };
  }

  async #sandbox({ id, state }: ListedSandbox, isFresh: boolean): Promise<SeenSandbox | null> {
    const kept = this.#sandboxes.get(id);
    if (!isFresh && kept?.state === state) return kept.seen;
    const { podSandboxStatus } = RUNTIME_CALLS;
    const answer = await this.#unlessGone(() =>
      this.#service.ask(podSandboxStatus, { podSandboxId: id }),
    );
    if (!answer?.status) return null;
    const seen = viewSandbox(answer.status);
    this.#sandboxes.set(id, { state: answer.status.state, seen });
    return seen;
  }

  async #container(listed: ListedContainer, isFresh: boolean): Promise<SeenContainer | null> {
    const { id, state, podSandboxId } = listed;
    const kept = this.#containers.get(id);
    if (!isFresh && kept?.state === state) return kept.seen;
    const { containerStatus } = RUNTIME_CALLS;
    const answer = await this.#unlessGone(() =>
      this.#service.ask(containerStatus, { containerId: id }),
    );
    if (!answer?.status) return null;
    const seen = viewContainer(answer.status, podSandboxId, this.#runtimeName);
    this.#containers.set(id, { state: answer.status.state, seen });
    return seen;
  }

  /** Null: the object was removed after it was listed. */
  async #unlessGone<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
    try {
      return await this.#gate.run(ask);
    } catch (error) {
      if (hasCode(error, 'RUNTIME_NOT_FOUND')) return null;
      throw error;
    }
  }

  #forgetOthers({ sandboxes, containers }: Listing): void {
    keepOnly(this.#sandboxes, sandboxes);
    keepOnly(this.#containers, containers);
  }
}

function byPod({ sandboxes, containers }: Listing): ReadonlyMap<string, Listing> {
  const pods = new Map<string, { sandboxes: ListedSandbox[]; containers: ListedContainer[] }>();
  const partsOf = (uid: string) => {
    const parts = pods.get(uid) ?? { sandboxes: [], containers: [] };
    pods.set(uid, parts);
    return parts;
  };
  for (const sandbox of sandboxes) {
    const uid = sandbox.labels[POD_UID];
    if (uid !== undefined) partsOf(uid).sandboxes.push(sandbox);
  }
  for (const container of containers) {
    const uid = container.labels[POD_UID];
    if (uid !== undefined) partsOf(uid).containers.push(container);
  }
  return pods;
}

function newestFirst<Seen extends { readonly createdAt: bigint }>(
  all: readonly (Seen | null)[],
): readonly Seen[] {
  const there = all.filter((each) => each !== null);
  return there.toSorted((a, b) =>
    a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0,
  );
}

function keepOnly(known: Map<string, unknown>, listed: readonly { readonly id: string }[]): void {
  const ids = new Set(listed.map(({ id }) => id));
  for (const id of known.keys()) {
    if (!ids.has(id)) known.delete(id);
  }
}
