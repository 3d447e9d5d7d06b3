/**
 * Parts of the world around volumes: objects, a mounter that only records, and all deps of a volume
 * manager.
 */
import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../src/api/pod.ts';
import type { Mounter, MountPoint } from '../../src/kubelet/volumes/mounts/mounter.ts';
import { TokenManager } from '../../src/kubelet/volumes/payload/token-manager.ts';
import { VolumeLayout } from '../../src/kubelet/volumes/volume-layout.ts';
import { VolumeMemory } from '../../src/kubelet/volumes/volume-memory.ts';
import type { VolumeDeps } from '../../src/kubelet/volumes/volume-deps.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { MemoryFolder } from '../../src/lib/memory-folder.ts';
import { ApiError } from '../../src/ports/api/api-client.ts';
import type { ClaimLookup } from '../../src/ports/api/claim-lookup.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { EventRecorder } from '../../src/ports/observe/event-recorder.ts';
import type { LookedUpObject, ObjectLookup } from '../../src/ports/api/object-lookup.ts';
import type { PodReference } from '../../src/api/pod-reference.ts';
import type { TokenSource, TokenSpec } from '../../src/ports/api/token-source.ts';
import { silentLog } from './silent-ports.ts';
import { makeTempFolder } from './temp-folder.ts';
import { promisesSettled, VirtualClock } from './virtual-clock.ts';

/** Config maps and secrets of one namespace. */
export class FakeObjects implements ObjectLookup {
  readonly #objects = new Map<string, JsonObject>();
  readonly #listeners = new Map<string, Set<(object: JsonObject | null) => void>>();
  /** How often it was read. */
  reads = 0;

  set(kind: 'ConfigMap' | 'Secret', name: string, object: JsonObject | null): void {
    const key = `${kind}/${name}`;
    if (object) this.#objects.set(key, object);
    else this.#objects.delete(key);
    for (const listener of this.#listeners.get(key) ?? []) listener(object);
  }

  async get({ kind, name }: LookedUpObject): Promise<JsonObject> {
    this.reads += 1;
    const object = this.#objects.get(`${kind}/${name}`);
    if (object) return object;
    const message = `${kind.toLowerCase()} "${name}" not found`;
    throw new ApiError({ statusCode: 404, reason: 'NotFound', message });
  }

  subscribe({ kind, name }: LookedUpObject, listener: (object: JsonObject | null) => void) {
    const key = `${kind}/${name}`;
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

/** Mounts nothing. It can stand for a user without the right, or for a kernel that refuses. */
export class FakeMounter implements Mounter {
  readonly mounts: (MountPoint & { readonly source?: string; readonly sizeBytes?: bigint })[] = [];
  readonly #mayMount: boolean;
  /** Folders that are in use, and cannot be unmounted. */
  readonly busy = new Set<string>();

  constructor(mayMount = false) {
    this.#mayMount = mayMount;
  }

  async isPermitted(): Promise<boolean> {
    return this.#mayMount;
  }

  async mountMemory(folder: string, sizeBytes?: bigint): Promise<void> {
    this.mounts.push({
      folder,
      fileSystem: 'tmpfs',
      ...(sizeBytes !== undefined && { sizeBytes }),
    });
  }

  async bind(source: string, folder: string): Promise<void> {
    this.mounts.push({ folder, fileSystem: 'ext4', source });
  }

  async unmount(folder: string): Promise<void> {
    if (this.busy.has(folder)) throw new Error(`umount: ${folder}: target is busy.`);
    const index = this.mounts.findLastIndex((mount) => mount.folder === folder);
    if (index >= 0) this.mounts.splice(index, 1);
  }

  async list(): Promise<readonly MountPoint[]> {
    return this.mounts;
  }
}

/** Numbered tokens, which live for an hour unless a test sets another time. */
export class FakeTokens implements TokenSource {
  readonly requests: { readonly account: string; readonly spec: TokenSpec }[] = [];
  readonly #clock: Clock;
  /** Instead of an answer. */
  failure: Error | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async request(_namespace: string, account: string, spec: TokenSpec) {
    if (this.failure) throw this.failure;
    this.requests.push({ account, spec });
    const { expirationSeconds } = spec;
    const expiresAtMs = this.#clock.now() + expirationSeconds * 1000;
    return { token: `token-${this.requests.length}`, expirationSeconds, expiresAtMs };
  }
}

/** Events as lines, in order. */
export class EventLines implements EventRecorder {
  readonly lines: string[] = [];

  record(_pod: PodReference, type: string, reason: string, message: string): void {
    this.lines.push(`${type} ${reason} ${message}`);
  }
}

export interface VolumeHarnessOptions {
  readonly mounter?: Mounter;
  readonly claims?: ClaimLookup;
  readonly root?: string;
  readonly memory?: Pick<MemoryFolder, 'open' | 'close'>;
}

/** All deps of a volume manager, in a folder that is removed after the test. */
export function makeVolumeHarness(options: VolumeHarnessOptions = {}) {
  const clock = new VirtualClock();
  const root = options.root ?? path.join(realpathSync(makeTempFolder()), 'root');
  const objects = new FakeObjects();
  const source = new FakeTokens(clock);
  const events = new EventLines();
  const random = { next: () => 0 };
  const layout = new VolumeLayout(root);
  const deps: VolumeDeps = {
    layout,
    memory: new VolumeMemory({ layout, memory: options.memory }),
    mounter: options.mounter ?? new FakeMounter(),
    objects,
    tokens: new TokenManager({ source, clock, random, log: silentLog }),
    claims: options.claims,
    node: {
      hostIPs: () => ['192.0.2.1'],
      allocatable: () => ({ cpu: '4', memory: '8Gi' }),
      services: () => [],
    },
    events,
    clock,
    log: silentLog,
  };
  return { clock, root, objects, source, events: events.lines, deps };
}

/** A pod with these volumes, all mounted by its only container. */
export function podWithVolumes(volumes: readonly object[], spec: object = {}): Pod {
  const named = volumes as readonly { readonly name: string }[];
  const volumeMounts = named.map(({ name }) => ({ name, mountPath: `/mnt/${name}` }));
  return {
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', volumeMounts }], ...{ volumes }, ...spec },
  };
}

/**
 * Lets real files be written while the clock stands still, until a condition holds. Each round makes its
 * own request to the disk, so on a slow machine the rounds are slow too.
 */
export async function until(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 20_000 && !isSo(); round += 1) {
    await stat('/');
    await promisesSettled();
  }
  if (!isSo()) throw new Error('it did not come to that');
}
