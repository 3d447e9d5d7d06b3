/**
 * Where the tests of one file run their pods. The same tests apply to processes and to containers:
 *
 *     PodCluster       processes, under a `podkeep up` of the file's own
 *     ContainerPods    containers of containerd, under Kubernetes' own control plane
 *                      (test/cluster/support/container-pods.ts)
 *
 * This is the interface of both.
 */
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Account } from './account.ts';
import { PodClient } from './pod-client.ts';

export interface PodHomeOptions {
  /** Documents for --config beside a KubeletConfiguration, given the folder of the cluster. */
  readonly config?: (folder: string) => readonly JsonObject[];
  /** Manifests are read from a folder of static pods. */
  readonly hasManifests?: boolean;
}

/** What a pod that uses the API server needs beside its service account. */
export interface WayToApi {
  /** Joins the fields of the pod's spec. */
  readonly spec: JsonObject;
  readonly env: readonly JsonObject[];
}

export abstract class PodHome extends PodClient {
  /** The user that podkeep runs as. */
  abstract readonly account: Account;
  /** For files that the tests put on the machine. */
  abstract readonly folder: string;
  /** The data folder of podkeep. */
  abstract readonly data: string;
  /** Static pods. */
  abstract readonly manifests: string;
  abstract readonly wayToApi: WayToApi;

  abstract start(): Promise<void>;

  /** Fails if anything was left over, after removing it. */
  abstract remove(): Promise<void>;

  /** The processes of its pods on this machine with this text in their command line. */
  abstract processesWith(words: string): readonly number[];

  get isRoot(): boolean {
    return this.account.uid === 0;
  }
}
