/** Validates the queues of a priority level: their number and length. */
import { invalidField, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import {
  isGiven,
  readNumber,
  readStruct,
  type Value,
} from '../../../api/validation/json-reading.ts';

const QUEUES_MAX = 10_000_000;
/** The queues of a flow are chosen by the bits of one hash. */
const HASH_BITS = 60;

export function* validateQueuing(value: Value, path: string): FieldErrors {
  if (!isGiven(value)) {
    yield required(path, 'must not be empty if limited.limitResponse.type is Limited');
    return;
  }
  const queuing = readStruct(value);
  const [limit = 0, queues = 0, handSize = 0] = ['queueLengthLimit', 'queues', 'handSize'].map(
    (name) => readNumber(queuing[name]),
  );
  if (limit <= 0) yield invalidField(`${path}.queueLengthLimit`, limit, 'must be positive');
  if (queues <= 0) yield invalidField(`${path}.queues`, queues, 'must be positive');
  else if (queues > QUEUES_MAX) {
    yield invalidField(`${path}.queues`, queues, `must not be greater than ${QUEUES_MAX}`);
  }
  yield* validateHand(handSize, queues, `${path}.handSize`);
}

function* validateHand(handSize: number, queues: number, field: string): FieldErrors {
  if (handSize <= 0) {
    yield invalidField(field, handSize, 'must be positive');
  } else if (handSize > queues) {
    yield invalidField(field, handSize, `should not be greater than queues (${queues})`);
  } else if (Math.ceil(Math.log2(queues) * handSize) > HASH_BITS) {
    const detail =
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater ` +
      `than ${HASH_BITS}`;
    yield invalidField(field, handSize, detail);
  }
}
