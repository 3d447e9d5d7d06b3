/**
 * The actions that a rule may run when one of its alerts starts to fire, and the pods and containers for
 * which podkeep refuses them.
 */
import type { Pod } from '../../api/pod.ts';
import { isCriticalPod } from '../admission/critical-pod.ts';
import {
  initAndRegularContainers,
  isBeingDeleted,
  isMirrorPod,
  isStaticPod,
  isTerminalPhase,
} from '../pod/pod-facts.ts';
import type { ActionLimit } from './action-decision.ts';

export type ActionTask =
  | { readonly type: 'restart' }
  | { readonly type: 'evict' }
  | { readonly type: 'cordon' }
  | {
      readonly type: 'command';
      /** The first is the absolute path of the program. */
      readonly args: readonly string[];
      readonly timeoutMs: number;
    }
  | {
      readonly type: 'webhook';
      readonly url: string;
      /** Empty: no token is sent. */
      readonly bearerTokenFile: string;
    };

export interface RuleAction {
  readonly task: ActionTask;
  readonly limit: ActionLimit;
  /** The action is decided and recorded, but not performed. */
  readonly dryRun: boolean;
}

/**
 * The subject for which an action runs at most once in its window. A controller replaces an evicted pod under
 * another name, so for evictions all pods of a controller are one subject.
 */
export function actionSubjectOf(
  { type }: ActionTask,
  pod: Pod | undefined,
  alertKey: string,
): string {
  if (type === 'cordon') return 'node';
  if (type !== 'evict' || !pod) return alertKey;
  const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
  return controller ? `controller ${controller.uid}` : `pod ${pod.metadata.uid ?? ''}`;
}

/** Null: the pod may be evicted. */
export function evictionRefusal(pod: Pod): string | null {
  if (isStaticPod(pod) || isMirrorPod(pod)) return 'it is a static pod, which cannot be evicted';
  if (isCriticalPod(pod)) return 'it is a critical pod, which is never evicted';
  return endedPod(pod);
}

/** Null: podkeep may stop the container, because the kubelet starts it again. */
export function restartRefusal(pod: Pod, name: string): string | null {
  const container = initAndRegularContainers(pod.spec).find((one) => one.name === name);
  if (!container) return `the pod has no container ${name}`;
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always';
  if (policy !== 'Always') return `its restart policy is ${policy}, so it might not start again`;
  const isPlainInit =
    pod.spec.initContainers?.includes(container) === true && container.restartPolicy !== 'Always';
  if (isPlainInit) return 'it is an init container';
  return endedPod(pod);
}

function endedPod(pod: Pod): string | null {
  if (isBeingDeleted(pod)) return 'the pod is being deleted';
  return isTerminalPhase(pod.status?.phase) ? 'the pod has ended' : null;
}
