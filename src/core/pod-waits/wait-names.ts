/**
 * Names the waits of a pod. The kubelet writes these names into decision records, and `podkeep explain` finds
 * them there; both import them from this file, so that they always match.
 *
 *     waits ──> record with `waitsFor` ──> the same again, with one more attempt ──> record `waitOver`
 */
import type { ProbeKind } from '../probes/probe-worker.ts';

export interface WaitName {
  /** The part of the kubelet that waits. */
  readonly machine: string;
  readonly waitsFor: string;
}

const LAST_ANSWER = ' (last answer: ';
const ERROR_CHARS_MAX = 300;

export function crashBackOffWait(container: string): WaitName {
  return wait('crash-backoff', `the crash-loop back-off of container ${quote(container)} to end`);
}

export function imageWait(container: string, image: string): WaitName {
  return wait('image-manager', `image ${quote(image)} of container ${quote(container)}`);
}

export function startWait(container: string): WaitName {
  return wait('container-start', `container ${quote(container)} to start`);
}

export const SANDBOX_WAIT: WaitName = wait('sandbox', 'the sandbox of the pod');

export function mountWait(volume: string): WaitName {
  return wait('volume-manager', `volume ${quote(volume)} to be mounted`);
}

export function unmountWait(volume: string): WaitName {
  return wait('volume-manager', `volume ${quote(volume)} to be unmounted`);
}

export function probeWait(kind: ProbeKind, container: string): WaitName {
  return wait('prober', `the ${kind} probe of container ${quote(container)} to succeed`);
}

export function preStopWait(container: string): WaitName {
  return wait('container-stop', `the preStop hook of container ${quote(container)} to end`);
}

/** Sidecars stop after the regular containers. */
export function stopTurnWait(container: string): WaitName {
  return wait('container-stop', `other containers to stop before container ${quote(container)}`);
}

export function exitWait(container: string): WaitName {
  return wait('container-stop', `container ${quote(container)} to exit after its stop signal`);
}

/** `holder`: the UID of the static pod that has the name. */
export function staticPodWait(holder: string): WaitName {
  return wait('pod-worker', `the older static pod of this name (UID ${holder}) to be gone`);
}

export function workWait(work: 'sync' | 'stop' | 'release'): WaitName {
  return wait('pod-worker', `the next ${work} of the pod`);
}

export const STATUS_WRITE_WAIT: WaitName = wait(
  'status-write',
  'the API server to take the status',
);

export const DELAYED_WRITE_WAIT: WaitName = wait(
  'status-manager',
  'other pods to start before the status is written',
);

/** The wait with the last error, which may be another one each time. */
export function withLastAnswer(waitsFor: string, error: string): string {
  return `${waitsFor}${LAST_ANSWER}${error.slice(0, ERROR_CHARS_MAX)})`;
}

/** The wait without its last error: the same for all tries. */
export function withoutLastAnswer(waitsFor: string): string {
  return waitsFor.split(LAST_ANSWER, 1)[0] ?? '';
}

/** The `why` of the record that ends a wait. */
export function waitOver(waitsFor: string): string {
  return `no longer waits for ${waitsFor}`;
}

function wait(machine: string, waitsFor: string): WaitName {
  return { machine, waitsFor };
}

function quote(name: string): string {
  return JSON.stringify(name);
}
