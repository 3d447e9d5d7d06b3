/** Applies the pod failure policy of a Job to a failed pod: the first rule that matches decides. */
import { readNumber, readObjects, readText } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';

export interface FailureDecision {
  readonly action: 'Count' | 'Ignore' | 'FailJob' | 'FailIndex';
  /** The reason, used for FailJob. */
  readonly message: string;
}

const COUNT: FailureDecision = { action: 'Count', message: '' };

export function decidePodFailure(job: JsonObject, pod: JsonObject): FailureDecision {
  const rules = objectsAt(job, 'spec.podFailurePolicy.rules');
  for (const [index, rule] of rules.entries()) {
    const why = matchOf(rule, pod);
    if (why === null) continue;
    const action = actionOf(textAt(rule, 'action'));
    return { action, message: `${why} matching ${action} rule at index ${index}` };
  }
  return COUNT;
}

function actionOf(text: string): FailureDecision['action'] {
  return text === 'Ignore' || text === 'FailJob' || text === 'FailIndex' ? text : 'Count';
}

/** Null: the rule does not match. */
function matchOf(rule: JsonObject, pod: JsonObject): string | null {
  const podName = `${textOf(metadataOf(pod)['namespace'])}/${nameOf(pod)}`;
  const codes = structAt(rule, 'onExitCodes');
  if (Object.keys(codes).length > 0) {
    const failed = failedContainer(codes, pod);
    return (
      failed &&
      `Container ${failed.name} for pod ${podName} failed with exit code ${failed.exitCode}`
    );
  }
  const condition = objectsAt(pod, 'status.conditions').find((one) =>
    objectsAt(rule, 'onPodConditions').some(
      ({ type, status }) => one['type'] === type && one['status'] === (status ?? 'True'),
    ),
  );
  return condition ? `Pod ${podName} has condition ${textOf(condition['type'])}` : null;
}

function failedContainer(codes: JsonObject, pod: JsonObject) {
  const values = readObjectsOfNumbers(codes);
  const only = readText(codes['containerName']);
  const statuses = [
    ...readObjects(structAt(pod, 'status')['containerStatuses']),
    ...readObjects(structAt(pod, 'status')['initContainerStatuses']),
  ];
  for (const status of statuses) {
    const name = textOf(status['name']);
    const exitCode = readNumber(structAt(status, 'state.terminated')['exitCode']);
    if (exitCode === 0 || (only !== '' && only !== name)) continue;
    if (values.has(exitCode) === (codes['operator'] === 'In')) return { name, exitCode };
  }
  return null;
}

function readObjectsOfNumbers(codes: JsonObject): ReadonlySet<number> {
  const { values } = codes;
  return new Set(Array.isArray(values) ? values.map(readNumber) : []);
}
