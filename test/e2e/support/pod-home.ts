/**
 * Where the tests of one file run their pods. The same tests are true of processes and of containers:
 *
 *     PodCluster       processes, under a `podkeep up` of the file's own
 *     ContainerPods    containers of containerd, under Kubernetes' own control plane
 *                      (test/cluster/support/container-pods.ts)
 *
 * What a test needs to know of either is here.
 */
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Account } from './account.ts';
import { Hands } from './hands.ts';

export interface PodHomeOptions {
  /** Documents for --config beside a KubeletConfiguration, given the folder of the cluster. */
  readonly config?: (folder: string) => readonly JsonObject[];
  /** Manifests are read from a folder of static pods. */
  readonly hasManifests?: boolean;
}

/** What a pod that wants to speak to the API server needs beside its account. */
export interface WayToApi {
  /** Joins the fields of the pod's spec. */
  readonly spec: JsonObject;
  readonly env: readonly JsonObject[];
}

export abstract class PodHome extends Hands {
  /** As whom podkeep runs. */
  abstract readonly account: Account;
  /** For what the tests of the file put on the machine. */
  abstract readonly folder: string;
  /** The data folder of podkeep. */
  abstract readonly data: string;
  /** Static pods. */
  abstract readonly manifests: string;
  abstract readonly wayToApi: WayToApi;

  abstract start(): Promise<void>;

  /** Fails if anything stayed behind, after it was taken away. */
  abstract remove(): Promise<void>;

  /** The processes of this machine that are its pods' and have these words in their command. */
  abstract processesWith(words: string): readonly number[];

  get isRoot(): boolean {
    return this.account.uid === 0;
  }
}
