/** Settings of a node: fields of KubeletConfiguration and of the kubelet's flags. */
import type { ResourceList } from '../../api/resources.ts';

export interface NodeSettings {
  /** How often the status is computed. */
  readonly statusUpdateMs: number;
  /** How often it is sent even if nothing has changed. */
  readonly statusReportMs: number;
  readonly leaseDurationSeconds: number;
  /** False: another component creates the Node object. */
  readonly registerNode: boolean;
  readonly registerWithTaints: readonly RegisteredTaint[];
  readonly nodeLabels: Readonly<Record<string, string>>;
  /** Empty: none. */
  readonly providerID: string;
  /** Controllers, not this node, attach volumes. */
  readonly hasControllerAttachDetach: boolean;
  readonly maxPods: number;
  /** 0: no limit by the number of processors. */
  readonly podsPerCore: number;
  readonly systemReserved: ResourceList;
  readonly kubeReserved: ResourceList;
  /** Thresholds by signal, such as `memory.available` and `100Mi` or `5%`. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /** -1: as many as there are. */
  readonly statusImagesMax: number;
  /** Ephemeral storage is part of the capacity, and pods can request it. */
  readonly hasLocalStorageIsolation: boolean;
  /** Node features that a scheduler may require (`status.declaredFeatures`), sorted by name. */
  readonly declaredFeatures: readonly string[];
  /** Pods share the network of the machine, and their ports are the machine's. Absent: they do not. */
  readonly sharesNetwork?: boolean;
}

export interface RegisteredTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** The kubelet's defaults on Linux. */
export const NODE_SETTINGS_DEFAULT: NodeSettings = {
  statusUpdateMs: 10_000,
  statusReportMs: 300_000,
  leaseDurationSeconds: 40,
  registerNode: true,
  registerWithTaints: [],
  nodeLabels: {},
  providerID: '',
  hasControllerAttachDetach: true,
  maxPods: 110,
  podsPerCore: 0,
  systemReserved: {},
  kubeReserved: {},
  evictionHard: {
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    'nodefs.inodesFree': '5%',
    'imagefs.available': '15%',
    'imagefs.inodesFree': '5%',
  },
  statusImagesMax: 50,
  hasLocalStorageIsolation: true,
  declaredFeatures: [],
};
