/** Rejects pods while the node is under memory, disk or PID pressure, except critical pods (KL-59). */
import { qosClass } from '../resources/qos-class.ts';
import { admissionSpecOf, type AdmissionView } from './admission-view.ts';
import { isCriticalPod } from './critical-pod.ts';
import type { Rejection } from './rejection.ts';
import { toleratesTaint } from './taints.ts';

const MEMORY_PRESSURE = 'MemoryPressure';
const MEMORY_PRESSURE_TAINT = {
  key: 'node.kubernetes.io/memory-pressure',
  effect: 'NoSchedule',
} as const;

export function rejectUnderPressure({ pod, pressures }: AdmissionView): Rejection | null {
  if (pressures.length === 0 || isCriticalPod(pod)) return null;
  // Memory pressure alone: pods with requests or limits, and pods that tolerate its taint, are admitted.
  if (pressures.every((pressure) => pressure === MEMORY_PRESSURE)) {
    if (qosClass(pod) !== 'BestEffort') return null;
    if (toleratesTaint(admissionSpecOf(pod).tolerations, MEMORY_PRESSURE_TAINT)) return null;
  }
  return { reason: 'Evicted', message: `The node had condition: [${pressures.join(' ')}]. ` };
}
