/**
 * Validates container state transitions: a terminated container stays terminated unless its restart policy
 * lets it restart. A status that says otherwise comes from a client with outdated state.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { forbiddenField, type FieldErrors } from '../../../../api/validation/field-errors.ts';
import {
  isGiven,
  readList,
  readNumber,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../../api/validation/json-reading.ts';

const FORBIDDEN = 'may not be transitioned to non-terminated state';

export function* validateTransitions(
  status: JsonObject,
  old: JsonObject,
  spec: JsonObject,
): FieldErrors {
  // If a container may restart all containers of the pod, each of them may start again.
  if (!mayRestartAll(spec)) {
    yield* checkList(status, old, 'containerStatuses', mayRestart(spec, 'containers'));
    yield* checkList(status, old, 'initContainerStatuses', mayRestart(spec, 'initContainers'));
  }
  yield* checkList(status, old, 'ephemeralContainerStatuses', () => false);
}

type MayRestart = (name: string, exitCode: number) => boolean;

function* checkList(
  status: JsonObject,
  old: JsonObject,
  list: string,
  mayStartAgain: MayRestart,
): FieldErrors {
  const statuses = readObjects(status[list]);
  for (const [index, before] of readObjects(old[list]).entries()) {
    const ended = readObject(readStruct(before['state'])['terminated']);
    const name = readText(before['name']);
    const lives = statuses.some(
      (after) =>
        readText(after['name']) === name && !isGiven(readStruct(after['state'])['terminated']),
    );
    if (!ended || !lives || mayStartAgain(name, readNumber(ended['exitCode']))) continue;
    yield forbiddenField(`status.${list}[${index}].state`, FORBIDDEN);
  }
}

function mayRestart(spec: JsonObject, list: 'containers' | 'initContainers'): MayRestart {
  const containers = new Map(
    readObjects(spec[list]).map((container) => [readText(container['name']), container]),
  );
  return (name, exitCode) => {
    const container = containers.get(name);
    return container !== undefined && restarts(container, spec, exitCode);
  };
}

/** The rules of core/pod-actions/restart-policy.ts, for unvalidated specs. */
function restarts(container: JsonObject, spec: JsonObject, exitCode: number): boolean {
  const own = container['restartPolicy'];
  if (!isGiven(own)) return restartsByPolicy(readText(spec['restartPolicy']), exitCode) ?? true;
  const rule = readObjects(container['restartPolicyRules']).find((one) => matches(one, exitCode));
  const action = rule?.['action'];
  if (action === 'Restart' || action === 'RestartAllContainers') return true;
  return (
    restartsByPolicy(readText(own), exitCode) ??
    restartsByPolicy(readText(spec['restartPolicy']), exitCode) ??
    true
  );
}

function matches(rule: JsonObject, exitCode: number): boolean {
  const { operator, values } = readStruct(rule['exitCodes']);
  const isListed = readList(values).includes(exitCode);
  return (operator === 'In' && isListed) || (operator === 'NotIn' && !isListed);
}

function restartsByPolicy(policy: string, exitCode: number): boolean | undefined {
  if (policy === 'Always') return true;
  if (policy === 'OnFailure') return exitCode !== 0;
  return policy === 'Never' ? false : undefined;
}

function mayRestartAll(spec: JsonObject): boolean {
  const containers = [...readObjects(spec['containers']), ...readObjects(spec['initContainers'])];
  return containers.some((container) =>
    readObjects(container['restartPolicyRules']).some(
      ({ action }) => action === 'RestartAllContainers',
    ),
  );
}
