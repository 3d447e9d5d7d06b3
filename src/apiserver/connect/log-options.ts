/** Validates the options of a pod log request. */
import {
  forbiddenField,
  invalidField as wrong,
  type FieldErrors,
} from '../../api/validation/field-errors.ts';
import { badRequest, invalid } from '../objects/status.ts';

const KIND = { group: '', kind: 'PodLogOptions' };

/** Throws a StatusError. */
export function checkLogOptions(query: URLSearchParams, podName: string): void {
  const errors = [...problems(query)];
  if (errors.length > 0) throw invalid(KIND, podName, errors);
}

function* problems(query: URLSearchParams): FieldErrors {
  const tailLines = readInteger(query, 'tailLines');
  const limitBytes = readInteger(query, 'limitBytes');
  const sinceSeconds = readInteger(query, 'sinceSeconds');
  if (tailLines !== null && tailLines < 0) {
    yield wrong('tailLines', tailLines, 'must be greater than or equal to 0');
  }
  if (limitBytes !== null && limitBytes < 1) {
    yield wrong('limitBytes', limitBytes, 'must be greater than 0');
  }
  if (sinceSeconds !== null && query.has('sinceTime')) {
    yield forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified');
  } else if (sinceSeconds !== null && sinceSeconds < 1) {
    yield wrong('sinceSeconds', sinceSeconds, 'must be greater than 0');
  }
  // Choosing one of the two streams (PodLogsQuerySplitStreams) is off by default.
  if (query.has('stream')) yield forbiddenField('stream', 'may not be specified');
}

function readInteger(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}
