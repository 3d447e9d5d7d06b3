/** Validates probes and lifecycle hooks. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { isGiven, readNumber, readObject, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { HOOK_HANDLERS, PROBE_HANDLERS, validateHandler } from './handlers.ts';
import { LINUX_SIGNALS, WINDOWS_SIGNALS } from '../stop-signals.ts';

export interface ContainerSurroundings {
  readonly graceSeconds: number;
  /** The pod's `spec.os.name`; undefined: not set. */
  readonly os: string | undefined;
}

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

export function* validateProbes(
  container: JsonObject,
  path: string,
  { graceSeconds }: ContainerSurroundings,
): FieldErrors {
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = readObject(container[name]);
    if (!probe) continue;
    const at = `${path}.${name}`;
    yield* validateProbe(probe, at, graceSeconds);
    if (name === 'readinessProbe') yield* validateReadiness(probe, at);
    else if (readNumber(probe['successThreshold']) !== 1) {
      // Liveness and startup probes must have a success threshold of one.
      yield invalidField(
        `${at}.successThreshold`,
        readNumber(probe['successThreshold']),
        'must be 1',
      );
    }
  }
}

export function* validateLifecycle(
  lifecycle: JsonObject,
  path: string,
  { graceSeconds, os }: ContainerSurroundings,
): FieldErrors {
  for (const name of ['postStart', 'preStop']) {
    const hook = readObject(lifecycle[name]);
    if (hook) yield* validateHandler(hook, `${path}.${name}`, HOOK_HANDLERS, graceSeconds);
  }
  if (isGiven(lifecycle['stopSignal'])) {
    yield* validateStopSignal(readText(lifecycle['stopSignal']), `${path}.stopSignal`, os);
  }
}

function* validateProbe(probe: JsonObject, path: string, graceSeconds: number): FieldErrors {
  yield* validateHandler(probe, path, PROBE_HANDLERS, graceSeconds);
  for (const name of COUNTS) {
    const count = readNumber(probe[name]);
    if (count < 0)
      yield invalidField(`${path}.${name}`, count, 'must be greater than or equal to 0');
  }
  const grace: Value = probe['terminationGracePeriodSeconds'];
  if (isGiven(grace) && readNumber(grace) <= 0) {
    const field = `${path}.terminationGracePeriodSeconds`;
    yield invalidField(field, readNumber(grace), 'must be greater than 0');
  }
}

/** A failed readiness probe kills nothing, so it has no grace period. */
function* validateReadiness(probe: JsonObject, path: string): FieldErrors {
  const grace: Value = probe['terminationGracePeriodSeconds'];
  if (!isGiven(grace)) return;
  const field = `${path}.terminationGracePeriodSeconds`;
  yield invalidField(field, grace, 'must not be set for readinessProbes');
}

/** Signals differ between operating systems, so a pod with a stop signal must name its operating system. */
function* validateStopSignal(signal: string, field: string, os: string | undefined): FieldErrors {
  if (os === undefined) {
    yield forbiddenField(field, 'may not be set for containers with empty `spec.os.name`');
  } else if (os === 'windows' && !WINDOWS_SIGNALS.includes(signal)) {
    yield unsupported(field, signal, WINDOWS_SIGNALS);
  } else if (os === 'linux' && !LINUX_SIGNALS.includes(signal)) {
    yield unsupported(field, signal, LINUX_SIGNALS);
  }
}
