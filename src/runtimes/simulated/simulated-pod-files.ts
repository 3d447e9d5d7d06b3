/** Serves log lines and termination messages of simulated containers from memory. */
import type { ContainerRun, LogTailLimits, PodFiles } from '../../ports/pod/pod-files.ts';
import type { PodReference } from '../../api/pod-reference.ts';
import type { SimulatedContainer } from './container.ts';
import type { SimulatedMachine } from './machine.ts';

export class SimulatedPodFiles implements PodFiles {
  readonly #machine: SimulatedMachine;
  /** Run numbers by pod UID and container name. They stay after the containers are removed. */
  readonly #runs = new Map<string, Map<string, Set<number>>>();
  readonly #pods = new Map<string, PodReference>();

  constructor(machine: SimulatedMachine) {
    this.#machine = machine;
  }

  makePodFolders(): Promise<void> {
    return Promise.resolve();
  }

  logFolder({ namespace, name, uid }: PodReference): string {
    return `/var/log/pods/${namespace}_${name}_${uid}`;
  }

  logPath({ container, attempt }: Omit<ContainerRun, 'pod'>): string {
    return `${container}/${attempt}.log`;
  }

  makeLogFolder(pod: PodReference): Promise<void> {
    this.#pods.set(pod.uid, pod);
    return Promise.resolve();
  }

  lastRunLogged({ uid }: PodReference, container: string): Promise<number | null> {
    const runs = this.#runs.get(uid)?.get(container);
    return Promise.resolve(runs && runs.size > 0 ? Math.max(...runs) : null);
  }

  makeTerminationFile({ pod, container, attempt }: ContainerRun): Promise<string> {
    const containers = this.#runs.get(pod.uid) ?? new Map<string, Set<number>>();
    const runs = containers.get(container) ?? new Set();
    this.#runs.set(pod.uid, containers.set(container, runs.add(attempt)));
    return Promise.resolve(`/var/lib/podkeep/pods/${pod.uid}/containers/${container}/${attempt}`);
  }

  readTerminationFile(run: ContainerRun): Promise<string | null> {
    return Promise.resolve(this.#find(run)?.terminationMessage ?? null);
  }

  readLogTail(run: ContainerRun, { linesMax, bytesMax }: LogTailLimits): Promise<string> {
    const lines = (this.#find(run)?.log ?? []).slice(-linesMax);
    const text = lines.map((line) => `${line.text}\n`).join('');
    return Promise.resolve(text.slice(-bytesMax));
  }

  podsWithLogs(): Promise<readonly PodReference[]> {
    return Promise.resolve([...this.#pods.values()]);
  }

  removePodLogs({ uid }: PodReference): Promise<void> {
    this.#pods.delete(uid);
    this.#runs.delete(uid);
    return Promise.resolve();
  }

  removeLog({ pod, container, attempt }: ContainerRun): Promise<void> {
    this.#runs.get(pod.uid)?.get(container)?.delete(attempt);
    return Promise.resolve();
  }

  #find({ pod, container, attempt }: ContainerRun): SimulatedContainer | undefined {
    return this.#machine.findRun(pod.uid, container, attempt);
  }
}
