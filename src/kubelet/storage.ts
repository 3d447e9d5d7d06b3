/**
 * The files of pods, and what containers are given of them: volumes, environment, last
 * words, and what was applied to them.
 *
 *     ROOT/pods/UID/…                 folders, volumes and last words (volumes/volume-layout.ts)
 *     ROOT/actuated_pods_state        what was applied to containers (E-4)
 *     ROOT/allocated_pods_state       what was granted to them (E-3)
 *     LOGS/NAMESPACE_NAME_UID/…       logs
 */
import { spreadFolders } from '../lib/spread-folders.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { Log } from '../ports/log.ts';
import type { NodeFacts } from '../ports/node-facts.ts';
import type { ObjectLookup } from '../ports/object-lookup.ts';
import type { Random } from '../ports/random.ts';
import type { PodFiles } from '../ports/pod-files.ts';
import type { PullSecrets } from '../ports/pull-secrets.ts';
import type { TokenSource } from '../ports/token-source.ts';
import type { StateStore } from '../ports/state-store.ts';
import {
  ACTUATED_PODS_STATE,
  ALLOCATED_PODS_STATE,
  openCheckpointStateStore,
} from './allocation-state/checkpoint-state-store.ts';
import { createMemoryStateStore } from './allocation-state/memory-state-store.ts';
import { DiskUsage } from './eviction/disk-usage.ts';
import { VolumeContainerInputs } from './environment/container-inputs.ts';
import { makeFolders } from './folders.ts';
import type { KubeletApi, KubeletStorage } from './kubelet-options.ts';
import { ObjectCache } from './object-cache/object-cache.ts';
import { objectNotRegistered } from './object-cache/object-errors.ts';
import { DiskPodFiles } from './pod-runner/disk-pod-files.ts';
import { dockerConfigFiles, NodeCredentials } from './images/node-credentials.ts';
import { LogLinks } from './pod-runner/log-links.ts';
import { ObjectPullSecrets } from './pod-runner/object-pull-secrets.ts';
import { claimLookupFrom, tokenSourceFrom } from './volumes/api-lookups.ts';
import { SystemMounter } from './volumes/system-mounter.ts';
import { TokenManager } from './volumes/token-manager.ts';
import { VolumeLayout } from './volumes/volume-layout.ts';
import { VolumeManager } from './volumes/volume-manager.ts';

export interface StorageOptions {
  /** Absolute, both. */
  readonly rootFolder: string;
  readonly logFolder: string;
  /** For links to logs; absent or empty: none. Absolute. */
  readonly linkFolder?: string | undefined;
  /** Absent: on the disk. With others, containers are simulated, and nothing is written at all. */
  readonly imaginedFiles?: PodFiles | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly node: NodeFacts;
  readonly clusterDomain: string;
  readonly supportsRecursiveReadOnly: () => boolean;
  /** Absent: a node without an API server. */
  readonly api?: KubeletApi | undefined;
  /** Of the user that podkeep runs as, in which Docker may keep credentials. */
  readonly home?: string | undefined;
}

export interface OpenStorage extends KubeletStorage {
  readonly volumes: VolumeManager;
  readonly allocated: StateStore;
  readonly layout: VolumeLayout;
  /** Nothing is watched any more. */
  close(): void;
}

const NODE_HOSTS_FILE = '/etc/hosts';
const PODS_FOLDER_MODE = 0o750;
const LOG_FOLDER_MODE = 0o755;

/** Throws CHECKPOINT_CORRUPT and its like: what was granted must not be forgotten silently. */
export async function openStorage(options: StorageOptions): Promise<OpenStorage> {
  const { rootFolder, logFolder, clock, random, log, events, node, api } = options;
  const { imaginedFiles } = options;
  const isImagined = imaginedFiles !== undefined;
  const openStore = (name: string): Promise<StateStore> =>
    isImagined
      ? Promise.resolve(createMemoryStateStore())
      : openCheckpointStateStore({ folder: rootFolder, name });
  const [allocated, actuated] = await Promise.all([
    openStore(ALLOCATED_PODS_STATE),
    openStore(ACTUATED_PODS_STATE),
  ]);
  const layout = new VolumeLayout(rootFolder);
  const mounter = new SystemMounter({ probeFolder: rootFolder });
  if (!isImagined) {
    makeTopFolders(layout.podsFolder, logFolder);
    await mounter.sweep();
  }
  const objects = api && new ObjectCache({ startInformer: api.startInformer, clock });
  const source = isImagined ? NO_TOKENS : api ? tokenSourceFrom(api.kube) : ABSENT_TOKENS;
  const tokens = new TokenManager({ source, clock, random, log });
  const lookup = objects ?? NO_OBJECTS;
  const claims = api && claimLookupFrom(api.kube);
  const volumes = new VolumeManager({
    layout,
    mounter,
    objects: lookup,
    tokens,
    claims,
    node,
    events,
    clock,
    log,
    isImagined,
  });
  const { clusterDomain, supportsRecursiveReadOnly } = options;
  const inputs = new VolumeContainerInputs({
    objects: lookup,
    node,
    volumes,
    layout,
    mounter,
    log,
    clusterDomain,
    supportsRecursiveReadOnly,
    nodeHostsFile: NODE_HOSTS_FILE,
    isImagined,
  });
  const files = imaginedFiles ?? new DiskPodFiles({ rootFolder, logFolder });
  const { linkFolder = '' } = options;
  return {
    files,
    logLinks: linkFolder === '' ? undefined : new LogLinks({ folder: linkFolder, files, log }),
    volumes,
    inputs,
    objects,
    pullSecrets: objects && pullSecretsOf(options, objects),
    actuated,
    allocated,
    layout,
    isImagined,
    disk: isImagined ? undefined : new DiskUsage({ clock, rootFolder, layout, files }),
    close: () => objects?.stop(),
  };
}

function makeTopFolders(podsFolder: string, logFolder: string): void {
  try {
    makeFolders(podsFolder, PODS_FOLDER_MODE);
    makeFolders(logFolder, LOG_FOLDER_MODE);
  } catch {
    // Each pod tries again, and its users are told.
  }
  // Nobody waits for a hint.
  void spreadFolders([podsFolder, logFolder]);
}

function pullSecretsOf(options: StorageOptions, objects: ObjectLookup): PullSecrets {
  const { clock, log, rootFolder, home = '', imaginedFiles } = options;
  // Where nothing is pulled, nobody asks who may.
  if (imaginedFiles) return new ObjectPullSecrets({ objects, log });
  const files = dockerConfigFiles(rootFolder, home);
  const credentials = new NodeCredentials({ clock, log, files });
  return new ObjectPullSecrets({ objects, log, ofNode: () => credentials.entries() });
}

const NO_OBJECTS: ObjectLookup = {
  get: (object) => Promise.reject(objectNotRegistered(object)),
  subscribe: (object) => {
    throw objectNotRegistered(object);
  },
};

const ABSENT_TOKENS: TokenSource = {
  request: () => Promise.reject(new Error('this node has no API server that could give tokens')),
};

/** Nobody reads them. */
const NO_TOKENS: TokenSource = {
  request: (_namespace, _account, { expirationSeconds }) =>
    Promise.resolve({ token: '', expirationSeconds, expiresAtMs: Number.MAX_SAFE_INTEGER }),
};
