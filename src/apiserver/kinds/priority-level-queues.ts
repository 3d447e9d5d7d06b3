/** The lines in which requests of a priority level wait: how many there are, and how long. */
import { invalid, required, type Complaints } from './validation/complaint.ts';
import { isGiven, readNumber, readStruct, type Value } from './validation/json-reading.ts';

const QUEUES_MAX = 10_000_000;
/** A flow picks its lines by the bits of one hash. */
const HASH_BITS = 60;

export function* validateQueuing(value: Value, path: string): Complaints {
  if (!isGiven(value)) {
    yield required(path, 'must not be empty if limited.limitResponse.type is Limited');
    return;
  }
  const queuing = readStruct(value);
  const [limit = 0, queues = 0, handSize = 0] = ['queueLengthLimit', 'queues', 'handSize'].map(
    (name) => readNumber(queuing[name]),
  );
  if (limit <= 0) yield invalid(`${path}.queueLengthLimit`, limit, 'must be positive');
  if (queues <= 0) yield invalid(`${path}.queues`, queues, 'must be positive');
  else if (queues > QUEUES_MAX) {
    yield invalid(`${path}.queues`, queues, `must not be greater than ${QUEUES_MAX}`);
  }
  yield* validateHand(handSize, queues, `${path}.handSize`);
}

function* validateHand(handSize: number, queues: number, field: string): Complaints {
  if (handSize <= 0) {
    yield invalid(field, handSize, 'must be positive');
  } else if (handSize > queues) {
    yield invalid(field, handSize, `should not be greater than queues (${queues})`);
  } else if (Math.ceil(Math.log2(queues) * handSize) > HASH_BITS) {
    const detail =
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater ` +
      `than ${HASH_BITS}`;
    yield invalid(field, handSize, detail);
  }
}
