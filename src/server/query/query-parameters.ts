/**
 * Reads the parameters of a query. A parameter that the path does not have, or that is given twice, is
 * refused: if a filter were ignored, the answer would contain more than requested.
 */
import { queryInvalid } from '../../kubelet/query/query-filter.ts';

export type QueryParameterName =
  | 'watch'
  | 'lastEventId'
  | 'labelSelector'
  | 'fieldSelector'
  | 'since'
  | 'limit';

export type QueryParameters = ReadonlyMap<QueryParameterName, string>;

const LIMIT_MAX = 100_000;
const TRUE: ReadonlySet<string> = new Set(['', '1', 'true']);
const FALSE: ReadonlySet<string> = new Set(['0', 'false']);

/** Throws QUERY_INVALID. */
export function readParameters(
  query: URLSearchParams,
  allowed: readonly QueryParameterName[],
): QueryParameters {
  const read = new Map<QueryParameterName, string>();
  for (const [given, value] of query) {
    const parameter = allowed.find((name) => name === given);
    if (parameter === undefined) {
      const known = allowed.length === 0 ? 'no parameters' : allowed.join(', ');
      throw queryInvalid({
        parameter: given,
        problem: `not supported here; this path has ${known}`,
      });
    }
    if (read.has(parameter)) throw queryInvalid({ parameter, problem: 'it is given twice' });
    read.set(parameter, value);
  }
  return read;
}

/** True for `?watch`, `?watch=1` and `?watch=true`. Throws QUERY_INVALID. */
export function isWatch(parameters: QueryParameters): boolean {
  const value = parameters.get('watch');
  if (value === undefined || FALSE.has(value)) return false;
  if (TRUE.has(value)) return true;
  throw queryInvalid({ parameter: 'watch', problem: 'it is true or false' });
}

/** Throws QUERY_INVALID. */
export function readLimit(parameters: QueryParameters): number | undefined {
  const text = parameters.get('limit');
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw queryInvalid({ parameter: 'limit', problem: `it is a number from 1 to ${LIMIT_MAX}` });
}
