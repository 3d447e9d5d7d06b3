/**
 * Where the status of a pod of host processes may differ from the kubelet's for its containers: word by
 * word, and why. docs/process-runtime.md has the same for users. Any other difference is a mistake.
 */
import { spawnSync } from 'node:child_process';
import { containerNotStarted, imageNotMapped } from '../../../src/runtimes/process/errors.ts';
import { NO_ROUTE } from '../../../src/runtimes/process/sandbox/unenforced.ts';
import type { Difference } from './difference.ts';

const ABSENT = '127.0.0.1:1/absent:1';
const NOT_PULLED =
  `failed to pull and unpack image "${ABSENT}": failed to resolve reference "${ABSENT}": failed to do ` +
  'request: Head "http://127.0.0.1:1/v2/absent/manifests/1": dial tcp 127.0.0.1:1: connect: ' +
  'connection refused';
const NOT_MAPPED = imageNotMapped({ image: ABSENT }).message;
const NOT_RUN =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create ' +
  'failed: unable to start container process: exec: "/bin/nonexistent": stat /bin/nonexistent: no such ' +
  'file or directory: unknown';
const NOT_FOUND =
  'exec: "/bin/nonexistent": no such file or directory, or not a program that this user may run';

const USER =
  'The process runtime says as whom a container runs; the recorded containerd 1.6 did not.';
const ROUTE = 'Pods reach no other network unless the operator allows it.';
const PULLS = 'Nothing is pulled, so the reason is not that of a registry.';
const WORDS = 'The reason is in the words of what runs the command, here the process runtime.';
const NO_DNS = 'The cluster of `podkeep up` has no DNS by design; only the Node has this event.';
const SHELL = "The script runs in the machine's shell, which has another code for it than busybox.";

export const DIFFERENCES: readonly Difference[] = [
  { case: '*', path: '*.user.linux.uid', kubelet: null, podkeep: '<uid>', why: USER },
  { case: '*', path: '*.user.linux.gid', kubelet: null, podkeep: '<gid>', why: USER },
  {
    case: '*',
    path: 'event Warning RouteUnavailable ',
    kubelet: null,
    podkeep: NO_ROUTE,
    isForRoot: true,
    why: ROUTE,
  },
  {
    case: 'image-pull-fails',
    path: 'containerStatuses.0.state.waiting.message',
    kubelet: NOT_PULLED,
    podkeep: NOT_MAPPED,
    why: PULLS,
  },
  {
    case: 'image-pull-fails',
    path: 'event Warning Failed spec.containers{main}',
    kubelet: `Failed to pull image "${ABSENT}": ${NOT_PULLED}`,
    podkeep: `Failed to pull image "${ABSENT}": ${NOT_MAPPED}`,
    why: PULLS,
  },
  {
    case: 'command-not-found',
    path: 'containerStatuses.0.state.terminated.message',
    kubelet: NOT_RUN,
    podkeep: NOT_FOUND,
    why: WORDS,
  },
  {
    case: 'command-not-found',
    path: 'event Warning Failed spec.containers{main}',
    kubelet: `Error: ${NOT_RUN}`,
    podkeep: `Error: ${containerNotStarted({ name: 'main', reason: NOT_FOUND }).message}`,
    why: WORDS,
  },
  {
    case: 'killed-by-signal',
    path: 'containerStatuses.0.state.terminated.exitCode',
    kubelet: 1,
    podkeep: codeOfShell('kill -9 $'),
    why: SHELL,
  },
  {
    case: 'static-go-node',
    path: 'event Warning MissingClusterDNS ',
    kubelet:
      'pod: "static-go-node_rec(<uid>)". kubelet does not have ClusterDNS IP configured and cannot create ' +
      'Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
    podkeep: null,
    why: NO_DNS,
  },
];

/** Two dollars in a command of a pod are an escaped one, so the recorded shell had no PID to kill. */
function codeOfShell(script: string): number {
  return spawnSync('/bin/sh', ['-c', script], { stdio: 'ignore' }).status ?? 0;
}
