/**
 * Lists the rules of `podkeep explain pod/NAME`, the most important first. To add a rule, add a file in
 * rules/ and a line here. Rules do not exclude each other: a pod can be stuck for several reasons.
 */
import type { Rule } from './finding.ts';
import { containerNotStarted } from './rules/container-not-started.ts';
import { crashBackOff } from './rules/crash-back-off.ts';
import { ended } from './rules/ended.ts';
import { evicted } from './rules/evicted.ts';
import { heldByFinalizer } from './rules/held-by-finalizer.ts';
import { imageNotPulled } from './rules/image-not-pulled.ts';
import { initContainer } from './rules/init-container.ts';
import { livenessProbe } from './rules/liveness-probe.ts';
import { missingObject } from './rules/missing-object.ts';
import { nodeTrouble } from './rules/node-trouble.ts';
import { notScheduled } from './rules/not-scheduled.ts';
import { notTaken } from './rules/not-taken.ts';
import { otherWaits } from './rules/other-waits.ts';
import { outOfMemory } from './rules/out-of-memory.ts';
import { parked } from './rules/parked.ts';
import { readinessGate } from './rules/readiness-gate.ts';
import { readinessProbe } from './rules/readiness-probe.ts';
import { rejected } from './rules/rejected.ts';
import { resize } from './rules/resize.ts';
import { sandboxNotMade } from './rules/sandbox-not-made.ts';
import { startupProbe } from './rules/startup-probe.ts';
import { staticPodPredecessor } from './rules/static-pod-predecessor.ts';
import { statusNotWritten } from './rules/status-not-written.ts';
import { stopping } from './rules/stopping.ts';
import { volumeNotMounted } from './rules/volume-not-mounted.ts';

export const POD_RULES: readonly Rule[] = [
  parked,
  // If the status is outdated, or no kubelet acts on the pod, all other findings are doubtful.
  statusNotWritten,
  nodeTrouble,
  // The pod is over.
  rejected,
  evicted,
  // The pod has to end.
  stopping,
  heldByFinalizer,
  // It has not started: in the order in which a pod starts.
  notScheduled,
  staticPodPredecessor,
  notTaken,
  missingObject,
  volumeNotMounted,
  sandboxNotMade,
  imageNotPulled,
  containerNotStarted,
  initContainer,
  // It has started.
  outOfMemory,
  livenessProbe,
  crashBackOff,
  startupProbe,
  readinessProbe,
  readinessGate,
  resize,
  ended,
  otherWaits,
];
