/**
 * Probes a container up to three times, records Events, and returns the outcome: success, failure, or
 * `errored` if the probe could not run (KL-71, KL-74).
 */
import type { Pod } from '../../api/pod.ts';
import type { Outcome, ProbeKind } from '../../core/probes/probe-worker.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import { containerReferenceOf } from '../../api/run-spec.ts';
import { failureMessageOf } from '../containers/start/start-failure.ts';
import type { ProbeAnswer } from './answer.ts';
import type { AskContainer, ProbeQuestion } from './probe-clients.ts';

export interface ProberPorts {
  readonly log: Log;
  readonly events: EventRecorder;
  readonly ask: AskContainer;
}

/** The pod of the container, and the kind of the probe. */
export interface ProbeSubject {
  readonly pod: Pod;
  readonly kind: ProbeKind;
}

const TRIES_MAX = 3;
const TITLES = { liveness: 'Liveness', readiness: 'Readiness', startup: 'Startup' } as const;

/** Never rejects. Once the signal is aborted, nothing is recorded. */
export async function runProbe(
  ports: ProberPorts,
  subject: ProbeSubject,
  question: ProbeQuestion,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const answer = await askPatiently(ports.ask, question, signal);
    if (signal.aborted) return 'errored';
    record(ports, subject, question, answer);
    return answer.result === 'failure' ? 'failure' : 'success';
  } catch (error) {
    if (!signal.aborted) recordError(ports, subject, question, error);
    return 'errored';
  }
}

export function titleOf(kind: ProbeKind): string {
  return TITLES[kind];
}

async function askPatiently(
  ask: AskContainer,
  question: ProbeQuestion,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask(question, signal);
    } catch (error) {
      if (tries >= TRIES_MAX || signal.aborted) throw error;
    }
  }
}

function record(
  { events }: ProberPorts,
  { pod, kind }: ProbeSubject,
  { container }: ProbeQuestion,
  { result, output }: ProbeAnswer,
): void {
  if (result === 'success') return;
  const about = containerReferenceOf(pod, container.name);
  if (result === 'warning') {
    events.record(about, 'Warning', 'ProbeWarning', `${TITLES[kind]} probe warning: ${output}`);
  } else {
    events.record(about, 'Warning', 'Unhealthy', `${TITLES[kind]} probe failed: ${output}`);
  }
}

/**
 * As in the kubelet, the message says "failure" for a response that broke off, and "unknown" for a probe that
 * could not run.
 */
function recordError(
  { events, log }: ProberPorts,
  { pod, kind }: ProbeSubject,
  { container, probe }: ProbeQuestion,
  error: unknown,
): void {
  const isAnswered = probe.httpGet !== undefined && isErrored(error);
  const state = isAnswered ? 'failure' : 'unknown';
  const message = `${TITLES[kind]} probe errored and resulted in ${state} state: ${failureMessageOf(error)}`;
  events.record(containerReferenceOf(pod, container.name), 'Warning', 'Unhealthy', message);
  log.info('Probe errored', {
    pod: pod.metadata.uid,
    container: container.name,
    error,
  });
}

function isErrored(error: unknown): boolean {
  return error instanceof PodkeepError && error.code === 'PROBE_ERRORED';
}
