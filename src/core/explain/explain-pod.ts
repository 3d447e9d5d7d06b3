/**
 * Explains one pod for `podkeep explain`: its state in one word, every cause that a rule finds, and its
 * timeline.
 */
import type { CurrentWait } from './current-waits.ts';
import type { ExplainedCause, Explanation } from './explanation.ts';
import { quoted, toCause } from './finding.ts';
import { isoTime } from './loose-json.ts';
import { POD_RULES } from './pod-rules.ts';
import { viewPod, type PodInput, type PodView } from './pod-view.ts';
import { timelineOf } from './pod-timeline.ts';

export function explainPod(input: PodInput): Explanation {
  const view = viewPod(input);
  const causes = findCauses(view);
  const state = stateOf(view, causes);
  return {
    kind: 'Explanation',
    apiVersion: 'podkeep/v1',
    subject: {
      kind: 'Pod',
      namespace: input.namespace,
      name: input.name,
      uid: view.uid === '' ? null : view.uid,
    },
    at: isoTime(input.now) ?? '',
    state,
    summary: summaryOf(view, state),
    causes,
    timeline: timelineOf(input),
    notes: input.notes,
  };
}

function findCauses(view: PodView): readonly ExplainedCause[] {
  const claimed = new Set<CurrentWait>();
  return POD_RULES.flatMap(({ situation, find }) => {
    const findings = find(view, claimed);
    for (const { waits = [] } of findings) for (const wait of waits) if (wait) claimed.add(wait);
    return findings.map((finding) => toCause(situation, finding));
  });
}

function stateOf(view: PodView, causes: readonly ExplainedCause[]): string {
  const { input, phase, deletedMs, nodeName, containers, conditions } = view;
  const has = (situation: string): boolean => causes.some((one) => one.situation === situation);
  if (has('older-static-pod')) return 'NotStarted';
  if (input.pod === null) return 'Gone';
  if (deletedMs !== null) return 'NotGone';
  if (phase === 'Failed' || phase === 'Succeeded') return phase;
  if (nodeName === '') return 'NotScheduled';
  if (phase === 'Unknown' || (has('node-trouble') && phase === 'Running')) return 'Unknown';
  if (has('crash-back-off')) return 'Restarting';
  if (phase !== 'Running') return 'NotStarted';
  if (conditions.get('Ready')?.status === 'True') return 'Ready';
  const isRestarting = containers.some(({ restarts, isRunning }) => restarts > 0 && !isRunning);
  return isRestarting ? 'Restarting' : 'NotReady';
}

const STATES: Readonly<Record<string, string>> = {
  NotScheduled: 'is not scheduled',
  NotStarted: 'is not started',
  NotReady: 'runs, but is not Ready',
  Restarting: 'keeps restarting',
  NotGone: 'is being deleted, and is not gone',
  Failed: 'has failed',
  Succeeded: 'has succeeded',
  Ready: 'runs and is Ready',
  Unknown: 'is in an unknown state',
};

function summaryOf({ input, nodeName }: PodView, state: string): string {
  const { namespace, name } = input;
  const title = `Pod ${quoted(name)} in namespace ${quoted(namespace)}`;
  if (state === 'Gone') {
    return `${title} does not exist (any more); this is what its Events and the node still say.`;
  }
  const place = nodeName === '' ? '' : ` on node ${quoted(nodeName)}`;
  return `${title}${place} ${STATES[state] ?? 'is in an unknown state'}.`;
}
