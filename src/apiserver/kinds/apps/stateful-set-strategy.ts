/** Defaults and validates the update strategy and pod management policy of StatefulSets. */
import type { JsonObject } from '../../../lib/json.ts';
import { structAt } from '../../objects/field-path.ts';
import { amountOf, validateAtMostAll, validateIntOrPercent } from '../int-or-percent.ts';
import { invalidField, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { changeObject, fillAbsent, fillEmpty } from '../../../api/validation/json-changes.ts';
import { isGiven, readNumber, readObject, readText } from '../../../api/validation/json-reading.ts';

export function defaultStatefulStrategy(strategy: JsonObject): JsonObject {
  const typed =
    readText(strategy['type']) === ''
      ? fillAbsent(fillEmpty(strategy, { type: 'RollingUpdate' }), { rollingUpdate: {} })
      : strategy;
  if (typed['type'] !== 'RollingUpdate') return typed;
  return changeObject(typed, 'rollingUpdate', (update) => fillAbsent(update, { partition: 0 }));
}

export function* checkStatefulStrategy(spec: JsonObject): FieldErrors {
  const policy = readText(spec['podManagementPolicy']);
  if (policy === '') yield required('spec.podManagementPolicy');
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    yield invalidField('spec.podManagementPolicy', policy, detail);
  }
  yield* checkUpdateStrategy(structAt(spec, 'updateStrategy'));
}

function* checkUpdateStrategy(strategy: JsonObject): FieldErrors {
  const field = 'spec.updateStrategy';
  const update = readObject(strategy['rollingUpdate']);
  switch (readText(strategy['type'])) {
    case '':
      yield required(field);
      return;
    case 'OnDelete':
      if (update) {
        const detail = "only allowed for updateStrategy 'RollingUpdate'";
        yield invalidField(`${field}.rollingUpdate`, update, detail);
      }
      return;
    case 'RollingUpdate':
      if (update) yield* checkRollingUpdate(update, `${field}.rollingUpdate`);
      return;
    default:
      yield invalidField(field, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  }
}

function* checkRollingUpdate(update: JsonObject, path: string): FieldErrors {
  const partition = readNumber(update['partition']);
  if (partition < 0) {
    yield invalidField(`${path}.partition`, partition, 'must be greater than or equal to 0');
  }
  const { maxUnavailable } = update;
  if (!isGiven(maxUnavailable)) return;
  const field = `${path}.maxUnavailable`;
  yield* validateIntOrPercent(maxUnavailable, field);
  if (amountOf(maxUnavailable) === 0) yield invalidField(field, maxUnavailable, 'cannot be 0');
  yield* validateAtMostAll(maxUnavailable, field);
}
