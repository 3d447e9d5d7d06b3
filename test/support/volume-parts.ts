/** Parts of the world around volumes: objects, a mounter that only remembers, and a room of them. */
import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Pod } from '../../src/api/pod.ts';
import type { Mounter, MountPoint } from '../../src/kubelet/volumes/mounter.ts';
import { TokenManager } from '../../src/kubelet/volumes/token-manager.ts';
import { VolumeLayout } from '../../src/kubelet/volumes/volume-layout.ts';
import type { VolumeRoom } from '../../src/kubelet/volumes/volume-room.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { ApiError } from '../../src/ports/api-client.ts';
import type { ClaimLookup } from '../../src/ports/claim-lookup.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { EventRecorder } from '../../src/ports/event-recorder.ts';
import type { LookedUpObject, ObjectLookup } from '../../src/ports/object-lookup.ts';
import type { PodReference } from '../../src/ports/pod-reference.ts';
import type { TokenSource, TokenSpec } from '../../src/ports/token-source.ts';
import { silentLog } from './silent-ports.ts';
import { makeTempFolder } from './temp-folder.ts';
import { promisesSettled, VirtualClock } from './virtual-clock.ts';

/** Config maps and secrets of one namespace. */
export class FakeObjects implements ObjectLookup {
  readonly #objects = new Map<string, JsonObject>();
  readonly #listeners = new Map<string, Set<(object: JsonObject | null) => void>>();
  /** How often somebody asked. */
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

/** Mounts nothing. It can stand for a user who may not, or for a kernel that says no. */
export class FakeMounter implements Mounter {
  readonly mounts: (MountPoint & { readonly source?: string; readonly sizeBytes?: bigint })[] = [];
  readonly #mayMount: boolean;
  /** Folders that somebody uses, and that cannot be unmounted. */
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

/** Tokens that are numbered, with a life of an hour unless said otherwise. */
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

export interface VolumeStageOptions {
  readonly mounter?: Mounter;
  readonly claims?: ClaimLookup;
  readonly root?: string;
}

/** All that a volume manager needs, in a folder that is gone after the test. */
export function makeVolumeStage(options: VolumeStageOptions = {}) {
  const clock = new VirtualClock();
  const root = options.root ?? path.join(realpathSync(makeTempFolder()), 'root');
  const objects = new FakeObjects();
  const source = new FakeTokens(clock);
  const events = new EventLines();
  const random = { next: () => 0 };
  const room: VolumeRoom = {
    layout: new VolumeLayout(root),
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
  return { clock, root, objects, source, events: events.lines, room };
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
 * Lets real files be written while the clock stands still, until something is so. Each round asks the disk
 * for something itself, so on a slow machine the rounds are slow too.
 */
export async function until(isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 20_000 && !isSo(); round += 1) {
    await stat('/');
    await promisesSettled();
  }
  if (!isSo()) throw new Error('it did not come to that');
}
