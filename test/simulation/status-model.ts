/**
 * The model's own record of statuses: what podkeep accepted, what it sent, and what the API has.
 * (Invariants 5, 6, 7, 8, 11, 17 and 24.)
 *
 * A version has no number on the wire. Versions are distinguished there by the container statuses, which
 * a patch carries whole or not at all; so each accepted status is identified by these.
 */
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../../src/api/pod.ts';
import { isOwned } from '../../src/core/pod-status/condition-ownership.ts';
import { isTerminalPhase } from '../../src/core/pod/pod-facts.ts';
import type { ApiChange } from './api-server.ts';
import type { EventJournal } from './event-journal.ts';
import { sourceUidOf } from './pod-templates.ts';
import type { RuntimeRecords } from './runtime-records.ts';
import type { Volumes } from './volumes.ts';

interface Accepted {
  /** Every accepted status in this life of podkeep, by its containers. */
  readonly versions: string[];
  newest: PodStatus;
  /** The version that was sent last, as an index. */
  sent: number;
  /** The newest version when something was last sent; null: nothing was sent, or it failed. */
  sentAs: string | null;
  /** The UID in the API that it was sent to. */
  target: string;
}

export interface StatusModelOptions {
  readonly journal: EventJournal;
  readonly runtime: RuntimeRecords;
  readonly volumes: Volumes;
  /** Has podkeep, in its present life, a request under way for this pod? */
  readonly isUnderWay: (uid: string) => boolean;
}

export class StatusModel {
  readonly #options: StatusModelOptions;
  readonly #accepted = new Map<string, Accepted>();
  /** Pods that a user asked to delete. */
  readonly #unwanted = new Set<string>();
  /** Pods that the API knew to be finished, even if that has been overwritten since. */
  readonly #wasOver = new Set<string>();
  /** Pods to whose status others wrote, so that podkeep's next write cannot be predicted. */
  readonly #edited = new Set<string>();
  readonly #refused = new Set<string>();
  /** Pods whose phase another writer made terminal. */
  readonly #endedByOthers = new Set<string>();

  constructor(options: StatusModelOptions) {
    this.#options = options;
  }

  /** The status that the API must have in the end. */
  newest(uid: string): PodStatus | undefined {
    return this.#accepted.get(uid)?.newest;
  }

  wasEndedByOthers(uid: string): boolean {
    return this.#endedByOthers.has(uid);
  }

  accepted({ metadata: { uid = '' } }: Pod, status: PodStatus): void {
    const { journal } = this.#options;
    journal.notify('status', `${uid}: accepted ${status.phase} ${fingerprint(status)}`);
    const accepted = this.#accepted.get(uid) ?? {
      versions: [],
      newest: status,
      sent: 0,
      sentAs: null,
      target: '',
    };
    this.#accepted.set(uid, accepted);
    accepted.versions.push(fingerprint(status));
    accepted.newest = status;
  }

  forgotten(uid: string): void {
    this.#accepted.delete(uid);
  }

  /** A status was not accepted, because a container that had ended for good runs in it (SM-31). */
  refused(uid: string): void {
    this.#refused.add(uid);
  }

  wasRefused(uid: string): boolean {
    return this.#refused.has(uid);
  }

  lifeEnded(): void {
    this.#accepted.clear();
  }

  /** Podkeep sends a patch. `uid` is the pod's own, even if the patch is for its mirror. */
  sent(uid: string, target: string, status: PodStatus): void {
    const { journal, runtime } = this.#options;
    const [running] = runtime.running(uid);
    if (isTerminalPhase(status.phase) && running) {
      journal.breaks(5, `${uid}: ${status.phase} is sent while ${running.id} runs`);
    }
    if (Object.keys(status).length === 0) journal.breaks(24, `${uid}: an empty patch is sent`);
    const accepted = this.#accepted.get(uid);
    if (!accepted) {
      journal.breaks(6, `${uid}: a status is sent that nobody accepted`);
      return;
    }
    accepted.sentAs = fingerprint(accepted.newest);
    accepted.target = target;
    if (!status.containerStatuses) return;
    const version = `|${containersOf(status.containerStatuses)}`;
    const index = accepted.versions.findIndex(
      (each, at) => at >= accepted.sent && each.endsWith(version),
    );
    if (index < 0) journal.breaks(6, `${uid}: ${version} is sent after a newer one`);
    else accepted.sent = index;
  }

  /** The last request for this pod failed, so the time of the next one cannot be predicted. */
  failed(uid: string): void {
    const accepted = this.#accepted.get(uid);
    if (accepted) accepted.sentAs = null;
  }

  /** Pods with a new status, although their last one was written. */
  *unset(): Generator<{ readonly uid: string; readonly target: string }> {
    for (const [uid, { newest, sentAs, target }] of this.#accepted) {
      if (sentAs === null || this.#edited.has(uid)) continue;
      if (sentAs !== fingerprint(newest)) yield { uid, target };
    }
  }

  /** Something changed in the API. */
  changed({ before, after, by }: ApiChange): void {
    if (after && after.metadata.deletionGracePeriodSeconds !== undefined) {
      this.#unwanted.add(after.metadata.uid ?? '');
    }
    if (isTerminalPhase(after?.status?.phase)) this.#wasOver.add(after?.metadata.uid ?? '');
    if (by === 'user' && isTerminalPhase(after?.status?.phase)) {
      this.#endedByOthers.add(after?.metadata.uid ?? '');
    }
    if (before && before.status !== after?.status) {
      const uid = sourceUidOf(before);
      // Without a request under way it is an old one, which podkeep has abandoned or forgotten.
      if (by === 'user' || !this.#options.isUnderWay(uid)) this.#edited.add(uid);
    }
    if (by === 'user' || !before) return;
    if (!after) this.#checkDeletion(before);
    else if (before.metadata.uid === after.metadata.uid) this.#checkWrite(before, after);
  }

  #checkDeletion(pod: Pod): void {
    const { journal, runtime, volumes } = this.#options;
    const { uid = '' } = pod.metadata;
    if (sourceUidOf(pod) !== uid) return; // podkeep itself deletes mirrors
    const problem = !this.#unwanted.has(uid)
      ? 'nobody asked for it'
      : !this.#wasOver.has(uid)
        ? `it is ${pod.status?.phase}`
        : runtime.isAlive(uid)
          ? 'it runs'
          : volumes.isHeldBy(uid)
            ? 'its volumes are mounted'
            : null;
    if (problem !== null) journal.breaks(8, `${uid}: deleted, but ${problem}`);
  }

  #checkWrite(before: Pod, after: Pod): void {
    const { journal, runtime } = this.#options;
    const { uid } = after.metadata;
    const [kept, found] = [foreignOf(before), foreignOf(after)];
    if (kept !== found) journal.breaks(11, `${uid}: foreign conditions ${kept} became ${found}`);
    for (const { state } of containersIn(after.status ?? {})) {
      const { containerID, exitCode } = state?.terminated ?? {};
      const truth = containerID === undefined ? undefined : runtime.exits.get(containerID);
      if (truth !== undefined && truth !== exitCode) {
        journal.breaks(17, `${uid}: ${containerID} exited with ${truth}, not ${exitCode}`);
      }
    }
  }
}

/** Everything by which two versions of a pod's containers differ. */
export function fingerprint(status: PodStatus): string {
  const { initContainerStatuses = [], containerStatuses = [] } = status;
  return `${containersOf(initContainerStatuses)}|${containersOf(containerStatuses)}`;
}

export function containersIn(status: PodStatus): readonly ContainerStatus[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}

function containersOf(containers: readonly ContainerStatus[]): string {
  return containers.map(describeContainer).join(' ');
}

function describeContainer(container: ContainerStatus): string {
  const { name, containerID = '', state, ready, started, restartCount } = container;
  const { running, terminated, waiting } = state ?? {};
  const kind = running
    ? 'running'
    : terminated
      ? `exited(${terminated.exitCode}, ${terminated.reason})`
      : `waiting(${waiting?.reason ?? ''})`;
  return `${name}=${containerID} ${kind} ${ready ? 'ready' : '-'} ${started ? 'started' : '-'} #${restartCount};`;
}

function foreignOf({ status }: Pod): string {
  const isForeign = ({ type }: PodCondition): boolean =>
    !isOwned(type) && type !== 'DisruptionTarget';
  return JSON.stringify((status?.conditions ?? []).filter(isForeign));
}
