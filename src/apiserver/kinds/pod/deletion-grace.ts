/**
 * How long a pod may take to end once it is deleted.
 *
 * As long as the request says, or else the pod. Zero if nothing has to be stopped: the pod has no node yet,
 * or is finished. A negative value means one second: soon, but processes still get their signal first.
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
