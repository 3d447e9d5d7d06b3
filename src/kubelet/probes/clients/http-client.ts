/**
 * Runs an httpGet probe: sends a GET request; a status from 200 to 399 is a success (KL-71).
 *
 * Redirects are followed as long as they stay on the first host; a redirect to another host is not followed
 * and counts as success with a warning. Certificates are not verified, proxies are not used, connections are
 * not reused, and no more than 10 KiB of a body are read.
 */
import type { Clock } from '../../../ports/clock.ts';
import { goQuote } from '../../containers/config/go-text.ts';
import { failed, probeErrored, succeeded, type ProbeAnswer } from '../answer.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import type { HttpProbeRequest } from './http-request.ts';
import { redirectOf } from './http-redirect.ts';
import { httpMessage } from './http-messages.ts';
import { withinTime, type TimeLimit } from './time-limit.ts';

const REQUESTS_MAX = 10;
const HEADERS_TOO_LATE =
  'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const BODY_TOO_LATE =
  'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

export function probeHttp(
  clock: Clock,
  request: HttpProbeRequest,
  timeoutMs: number,
  outer: AbortSignal,
): Promise<ProbeAnswer> {
  return withinTime(clock, timeoutMs, outer, async (limit) => {
    let next = request;
    for (let asked = 1; ; asked++) {
      const answer = await ask(next, limit, outer);
      if (typeof answer === 'string') return failed(`Get ${goQuote(next.url)}: ${answer}`);
      const redirect = redirectOf(request, next, answer);
      if (redirect === null) return probeAnswerOf(answer, await read(answer, limit, outer));
      answer.close();
      if (redirect.type === 'broken')
        return failed(`Get ${goQuote(next.url)}: ${redirect.message}`);
      if (asked >= REQUESTS_MAX) {
        return failed(`Get ${goQuote(redirect.location)}: stopped after ${REQUESTS_MAX} redirects`);
      }
      next = redirect.request;
    }
  });
}

/** The head of the response, or the message why there is none. */
async function ask(
  request: HttpProbeRequest,
  limit: TimeLimit,
  outer: AbortSignal,
): Promise<HttpAnswer | string> {
  try {
    return await exchange(request, limit.signal);
  } catch (error) {
    outer.throwIfAborted();
    return limit.isOver() ? HEADERS_TOO_LATE : httpMessage(error, request);
  }
}

/**
 * A response that breaks off is an error of the probe and not a failure of the container, whatever its status
 * was.
 */
async function read(answer: HttpAnswer, limit: TimeLimit, outer: AbortSignal): Promise<string> {
  try {
    return await answer.read();
  } catch (error) {
    outer.throwIfAborted();
    throw probeErrored({ message: limit.isOver() ? BODY_TOO_LATE : 'unexpected EOF' }, error);
  } finally {
    answer.close();
  }
}

/** The message of a failure does not contain the body, because readers of Events may not be allowed to see it. */
function probeAnswerOf({ status }: HttpAnswer, body: string): ProbeAnswer {
  if (status < 200 || status >= 400) return failed(`HTTP probe failed with statuscode: ${status}`);
  if (status < 300) return succeeded(body);
  return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
}
