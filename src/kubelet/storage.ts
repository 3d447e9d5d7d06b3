/**
 * Opens the storage of the kubelet: the files, logs and volumes of pods, the inputs of containers, and the
 * checkpoints of resources.
 *
 *     ROOT/pods/UID/…                 folders, volumes, termination messages (volumes/volume-layout.ts)
 *     ROOT/actuated_pods_state        the resources applied to containers (E-4)
 *     ROOT/allocated_pods_state       the resources allocated to them (E-3)
 *     LOGS/NAMESPACE_NAME_UID/…       logs
 */
import { MemoryFolder } from '../lib/memory-folder.ts';
import { spreadFolders } from '../lib/spread-folders.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventRecorder } from '../ports/observe/event-recorder.ts';
import type { StorageObserver } from '../ports/observe/storage-observer.ts';
import type { Log } from '../ports/log.ts';
import type { NodeFacts } from '../ports/node-facts.ts';
import type { ObjectLookup } from '../ports/api/object-lookup.ts';
import type { Random } from '../ports/random.ts';
import type { PodFiles } from '../ports/pod/pod-files.ts';
import type { PullSecrets } from '../ports/api/pull-secrets.ts';
import type { TokenSource } from '../ports/api/token-source.ts';
import type { StateStore } from '../ports/pod/state-store.ts';
import {
  ACTUATED_PODS_STATE,
  ALLOCATED_PODS_STATE,
  openCheckpointStateStore,
} from './allocation-state/checkpoint-state-store.ts';
import { createMemoryStateStore } from './allocation-state/memory-state-store.ts';
import { DiskUsage } from './eviction/disk-usage.ts';
import { VolumeContainerInputs } from './environment/container-inputs.ts';
import { makeFolders } from './volumes/files/folders.ts';
import type { KubeletApi, KubeletStorage } from './kubelet-options.ts';
import { ObjectCache } from './object-cache/object-cache.ts';
import { objectNotRegistered } from './object-cache/object-errors.ts';
import { DiskPodFiles } from './volumes/files/disk-pod-files.ts';
import { dockerConfigFiles, NodeCredentials } from './images/node-credentials.ts';
import { LogLinks } from './logs/log-links.ts';
import { ObjectPullSecrets } from './containers/start/object-pull-secrets.ts';
import { claimLookupFrom, tokenSourceFrom } from './volumes/api-lookups.ts';
import { SystemMounter } from './volumes/mounts/system-mounter.ts';
import { TokenManager } from './volumes/payload/token-manager.ts';
import { VolumeLayout } from './volumes/volume-layout.ts';
import { VolumeManager } from './volumes/volume-manager.ts';
import { VolumeMemory } from './volumes/volume-memory.ts';

export interface StorageOptions {
  /** Both folders are absolute. */
  readonly rootFolder: string;
  readonly logFolder: string;
  /** The folder for links to logs, absolute. Absent or empty: no links are created. */
  readonly linkFolder?: string | undefined;
  /** Present: containers are simulated, and nothing is written to disk. */
  readonly simulatedFiles?: PodFiles | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly node: NodeFacts;
  readonly clusterDomain: string;
  readonly supportsRecursiveReadOnly: () => boolean;
  /** Whether the runtime mounts images as volumes. */
  readonly mountsImages: () => boolean;
  readonly mountsImageSubPaths: () => boolean;
  /** Absent: a node without an API server. */
  readonly api?: KubeletApi | undefined;
  /** Absent: operations on volumes are not measured. */
  readonly observer?: StorageObserver | undefined;
  /** Home of podkeep's user, where Docker may have its credentials. */
  readonly home?: string | undefined;
}

export interface OpenStorage extends KubeletStorage {
  readonly volumes: VolumeManager;
  readonly allocated: StateStore;
  readonly layout: VolumeLayout;
  /** Stops all watches. */
  close(): void;
}

const NODE_HOSTS_FILE = '/etc/hosts';
const PODS_FOLDER_MODE = 0o750;
const LOG_FOLDER_MODE = 0o755;

/** Throws CHECKPOINT_UNUSABLE or CHECKPOINT_FOLDER_UNUSABLE, because allocations must not be lost silently. */
export async function openStorage(options: StorageOptions): Promise<OpenStorage> {
  const { rootFolder, logFolder, clock, random, log, events, node, api } = options;
  const { simulatedFiles, observer, linkFolder = '' } = options;
  const isSimulated = simulatedFiles !== undefined;
  const openStore = (name: string): Promise<StateStore> =>
    isSimulated
      ? Promise.resolve(createMemoryStateStore())
      : openCheckpointStateStore({ folder: rootFolder, name });
  const [allocated, actuated] = await Promise.all([
    openStore(ALLOCATED_PODS_STATE),
    openStore(ACTUATED_PODS_STATE),
  ]);
  const layout = new VolumeLayout(rootFolder);
  const mounter = new SystemMounter({ probeFolder: rootFolder });
  if (!isSimulated) {
    makeTopFolders(layout.podsFolder, logFolder);
    await mounter.sweep();
  }
  const objects = api && new ObjectCache({ startInformer: api.startInformer, clock });
  const source = isSimulated ? NO_TOKENS : api ? tokenSourceFrom(api.kube) : ABSENT_TOKENS;
  const tokens = new TokenManager({ source, clock, random, log });
  const lookup = objects ?? NO_OBJECTS;
  const claims = api && claimLookupFrom(api.kube);
  const memory = openVolumeMemory(layout, isSimulated ? undefined : rootFolder);
  const volumes = new VolumeManager({
    layout,
    mounter,
    memory,
    objects: lookup,
    tokens,
    claims,
    node,
    events,
    observer,
    clock,
    log,
    isSimulated,
    mountsImages: options.mountsImages,
  });
  const inputs = new VolumeContainerInputs({
    ...options,
    objects: lookup,
    volumes,
    layout,
    mounter,
    nodeHostsFile: NODE_HOSTS_FILE,
    isSimulated,
  });
  const files = simulatedFiles ?? new DiskPodFiles({ rootFolder, logFolder });
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
    isSimulated,
    disk: isSimulated ? undefined : new DiskUsage({ clock, rootFolder, layout, files }),
    rankingDisk: isSimulated
      ? undefined
      : new DiskUsage({ clock, rootFolder, layout, files, countsUnfinished: true }),
    close: () => objects?.stop(),
  };
}

/** `dataFolder`: absent in a simulation, which writes nothing. */
function openVolumeMemory(layout: VolumeLayout, dataFolder: string | undefined): VolumeMemory {
  const folder = dataFolder === undefined ? undefined : new MemoryFolder({ dataFolder });
  const memory = new VolumeMemory({ layout, memory: folder });
  memory.sweep();
  return memory;
}

function makeTopFolders(podsFolder: string, logFolder: string): void {
  try {
    makeFolders(podsFolder, PODS_FOLDER_MODE);
    makeFolders(logFolder, LOG_FOLDER_MODE);
  } catch {
    // Each pod tries again, and records an Event.
  }
  // Only a hint to the file system: it is not awaited.
  void spreadFolders([podsFolder, logFolder]);
}

function pullSecretsOf(options: StorageOptions, objects: ObjectLookup): PullSecrets {
  const { clock, log, rootFolder, home = '', simulatedFiles } = options;
  // A simulation pulls nothing, so it needs no credentials of the node.
  if (simulatedFiles) return new ObjectPullSecrets({ objects, log });
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
  request: () => Promise.reject(new Error('this node has no API server that could issue tokens')),
};

/** For a simulation, in which tokens are never read. */
const NO_TOKENS: TokenSource = {
  request: (_namespace, _account, { expirationSeconds }) =>
    Promise.resolve({ token: '', expirationSeconds, expiresAtMs: Number.MAX_SAFE_INTEGER }),
};
