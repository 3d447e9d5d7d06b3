/**
 * How long a pod may take to end once somebody deletes it.
 *
 * As long as they ask for, or else as long as the pod says. No time at all if nobody has to stop
 * anything: the pod has no node yet, or is over. Less than no time is one second: soon, but not
 * without asking the processes first.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { readNumber, readStruct, readText } from '../validation/json-reading.ts';

export function podGraceSeconds(pod: JsonObject, askedSeconds?: number): number {
  const [spec, status] = [readStruct(pod['spec']), readStruct(pod['status'])];
  const { phase } = status;
  if (readText(spec['nodeName']) === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = askedSeconds ?? readNumber(spec['terminationGracePeriodSeconds']);
  return seconds < 0 ? 1 : seconds;
}
