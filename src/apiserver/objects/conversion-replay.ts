/**
 * Lets synchronous code use objects that a webhook converts.
 *
 *     run ──> needs a conversion ──> the webhook is called ──> run again, with its answer ──> … ──> result
 *
 * Pure functions decide who manages which field, and what a policy sees. They are not made asynchronous:
 * instead the whole decision is run again whenever the result of another conversion has arrived. So the
 * function that is run must have no effects, or only effects that may be repeated. If it needs no conversion,
 * it runs once, synchronously.
 */
import type { JsonObject } from '../../lib/json.ts';
import { internalFailure, StatusError } from './status.ts';

type Outcome = { readonly object: JsonObject } | { readonly failure: StatusError };

/** One write needs a conversion of its old and its new object for each version of the kind. */
const CONVERSIONS_MAX = 50;

/** A conversion that is not known yet. Only `replayed` catches it. */
class ConversionNeeded extends Error {
  readonly key: string;
  readonly convert: () => Promise<JsonObject>;

  constructor(key: string, convert: () => Promise<JsonObject>) {
    super('an object has to be converted by a webhook, where nothing waits for one');
    this.key = key;
    this.convert = convert;
  }
}

/** The conversions of the function that runs now; null: none runs. It is set only while no other code can run. */
let current: Map<string, Outcome> | null = null;

/** A promise only if the function needs a conversion. */
export function replayed<Result>(run: () => Result): Result | Promise<Result> {
  const known = new Map<string, Outcome>();
  try {
    return runWith(known, run);
  } catch (error) {
    if (!(error instanceof ConversionNeeded)) throw error;
    return replay(known, run, error);
  }
}

/** Undefined: it needs a conversion, for which the caller cannot wait. */
export function runIfConverted<Result>(run: () => Result): Result | undefined {
  try {
    return runWith(new Map(), run);
  } catch (error) {
    if (error instanceof ConversionNeeded) return undefined;
    throw error;
  }
}

/** The result of a conversion, by a key that names object and version. Throws the StatusError of a failed one. */
export function recall(key: string, convert: () => Promise<JsonObject>): JsonObject {
  const outcome = current?.get(key);
  if (!outcome) throw new ConversionNeeded(key, convert);
  if ('failure' in outcome) throw outcome.failure;
  return outcome.object;
}

async function replay<Result>(
  known: Map<string, Outcome>,
  run: () => Result,
  first: ConversionNeeded,
): Promise<Result> {
  let needed = first;
  while (known.size < CONVERSIONS_MAX) {
    known.set(needed.key, await outcomeOf(needed));
    try {
      return runWith(known, run);
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      needed = error;
    }
  }
  throw internalFailure(`a request needs more than ${CONVERSIONS_MAX} conversions`);
}

async function outcomeOf({ convert }: ConversionNeeded): Promise<Outcome> {
  try {
    return { object: await convert() };
  } catch (error) {
    if (error instanceof StatusError) return { failure: error };
    throw error;
  }
}

function runWith<Result>(known: Map<string, Outcome>, run: () => Result): Result {
  const outer = current;
  current = known;
  try {
    return run();
  } finally {
    current = outer;
  }
}
