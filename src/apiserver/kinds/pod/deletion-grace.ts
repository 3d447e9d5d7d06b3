/**
 * Computes the grace period of a pod's deletion.
 *
 * The request determines it, or else the pod's terminationGracePeriodSeconds. It is zero if there is nothing
 * to stop, because the pod has no node yet or is finished. A negative value means one second, so that
 * processes still get their signal.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { readNumber, readStruct, readText } from '../../../api/validation/json-reading.ts';

export function podGraceSeconds(pod: JsonObject, askedSeconds?: number): number {
  const [spec, status] = [readStruct(pod['spec']), readStruct(pod['status'])];
  const { phase } = status;
  if (readText(spec['nodeName']) === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = askedSeconds ?? readNumber(spec['terminationGracePeriodSeconds']);
  return seconds < 0 ? 1 : seconds;
}
