/** How a StatefulSet makes its pods and replaces them. */
import type { JsonObject } from '../../lib/json.ts';
import { structAt } from './field-path.ts';
import { amountOf, validateAtMostAll, validateIntOrPercent } from './int-or-percent.ts';
import { invalid, required, type Complaints } from './validation/complaint.ts';
import { changeObject, fillAbsent, fillEmpty } from './validation/json-changes.ts';
import { isGiven, readNumber, readObject, readText } from './validation/json-reading.ts';

export function defaultStatefulStrategy(strategy: JsonObject): JsonObject {
  const typed =
    readText(strategy['type']) === ''
      ? fillAbsent(fillEmpty(strategy, { type: 'RollingUpdate' }), { rollingUpdate: {} })
      : strategy;
  if (typed['type'] !== 'RollingUpdate') return typed;
  return changeObject(typed, 'rollingUpdate', (update) => fillAbsent(update, { partition: 0 }));
}

export function* checkStatefulStrategy(spec: JsonObject): Complaints {
  const policy = readText(spec['podManagementPolicy']);
  if (policy === '') yield required('spec.podManagementPolicy');
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    yield invalid('spec.podManagementPolicy', policy, detail);
  }
  yield* checkUpdateStrategy(structAt(spec, 'updateStrategy'));
}

function* checkUpdateStrategy(strategy: JsonObject): Complaints {
  const field = 'spec.updateStrategy';
  const update = readObject(strategy['rollingUpdate']);
  switch (readText(strategy['type'])) {
    case '':
      yield required(field);
      return;
    case 'OnDelete':
      if (update) {
        const detail = "only allowed for updateStrategy 'RollingUpdate'";
        yield invalid(`${field}.rollingUpdate`, update, detail);
      }
      return;
    case 'RollingUpdate':
      if (update) yield* checkRollingUpdate(update, `${field}.rollingUpdate`);
      return;
    default:
      yield invalid(field, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  }
}

function* checkRollingUpdate(update: JsonObject, path: string): Complaints {
  const partition = readNumber(update['partition']);
  if (partition < 0) {
    yield invalid(`${path}.partition`, partition, 'must be greater than or equal to 0');
  }
  const { maxUnavailable } = update;
  if (!isGiven(maxUnavailable)) return;
  const field = `${path}.maxUnavailable`;
  yield* validateIntOrPercent(maxUnavailable, field);
  if (amountOf(maxUnavailable) === 0) yield invalid(field, maxUnavailable, 'cannot be 0');
  yield* validateAtMostAll(maxUnavailable, field);
}
