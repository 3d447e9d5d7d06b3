/**
 * Audits requests: creates an AuditTrail for each, and writes the audit events to a log.
 *
 * Clients never wait for the log. Events wait in a bounded buffer. While it is full or the log cannot be
 * written, events are dropped and counted, and the count is logged.
 */
import { PodkeepError } from '../../lib/errors.ts';
import { uuidOf } from '../../lib/uuid.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApiRequest, ClientIdentity } from '../../ports/api/http-handler.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { Attributes } from '../objects/access.ts';
import { attributesOf, verbOf } from '../registry/call.ts';
import { readResourcePath, type ResourceRequest } from '../requests/request-info.ts';
import { readUrl } from '../requests/request-url.ts';
import { StatusError } from '../objects/status.ts';
import { printEvent, printLegacy } from '../audit/audit-event.ts';
import { AuditTrail, type TrailDeps } from '../audit/audit-trail.ts';
import type { AuditPolicy } from '../audit/policy.ts';

export interface AuditorOptions {
  readonly policy: AuditPolicy;
  readonly format: 'json' | 'legacy';
  /** Appends whole lines. Rejects if they could not be written. Called once at a time. */
  readonly write: (lines: readonly string[]) => Promise<void>;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** The limit for events that wait to be written. */
  readonly bufferCharsMax?: number;
}

const BUFFER_CHARS_MAX = 16 * 2 ** 20;
/** The shortest time between two log messages about dropped events. */
const REPORT_MS = 10_000;
const ID_CHARS_MAX = 256;
const ID_FORM = /^[\x21-\x7e]+$/;

export class Auditor {
  readonly #options: AuditorOptions;
  readonly #deps: TrailDeps;
  #waiting: string[] = [];
  #waitingChars = 0;
  #writing: Promise<void> | null = null;
  #dropped = 0;
  #unlogged = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #lastError: unknown;

  constructor(options: AuditorOptions) {
    this.#options = options;
    const { policy, clock, format } = options;
    const print = format === 'json' ? printEvent : printLegacy;
    this.#deps = { policy, now: () => clock.now(), record: (event) => this.#add(print(event)) };
  }

  /** How many events were never written. */
  get dropped(): number {
    return this.#dropped;
  }

  begin(request: ApiRequest, identity: ClientIdentity): AuditTrail {
    const given = request.headers.get('audit-id') ?? '';
    // A client's ID must not break the header or fill the log.
    const isGood = given.length <= ID_CHARS_MAX && ID_FORM.test(given);
    const id = isGood ? given : uuidOf(this.#options.random.bytes(16));
    return new AuditTrail(this.#deps, id, request, identity, wantedBy(request));
  }

  /** Resolves when all waiting events are written or dropped. */
  async close(): Promise<void> {
    await this.#writing;
    this.#report(true);
  }

  #add(line: string): void {
    const { bufferCharsMax = BUFFER_CHARS_MAX } = this.#options;
    if (this.#waitingChars + line.length > bufferCharsMax) {
      this.#drop(1, undefined);
      return;
    }
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // All events of the same moment share one write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      const chars = this.#waitingChars;
      this.#waiting = [];
      try {
        await this.#options.write(lines);
      } catch (error) {
        this.#drop(lines.length, error);
      }
      // Until now they counted for the buffer.
      this.#waitingChars -= chars;
    }
    this.#writing = null;
  }

  #drop(count: number, error: unknown): void {
    this.#dropped += count;
    this.#unlogged += count;
    this.#lastError = error ?? this.#lastError;
    this.#report(false);
  }

  #report(isLast: boolean): void {
    const { clock, log } = this.#options;
    const nowMs = clock.monotonic();
    const isDue = isLast || nowMs - this.#loggedAtMs >= REPORT_MS;
    if (this.#unlogged === 0 || !isDue) return;
    this.#loggedAtMs = nowMs;
    const error = this.#lastError ?? 'the buffer of audit events is full';
    log.error('Dropped audit events', { count: this.#unlogged, total: this.#dropped, error });
    this.#unlogged = 0;
    this.#lastError = undefined;
  }
}

function wantedBy({ method, url }: ApiRequest): Attributes {
  const { pathname, searchParams } = readUrl(url);
  const path = readResourcePath(pathname);
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  if (!path) return { verb, path: pathname };
  return attributesOf(knownVerb(method, path, searchParams) ?? verb, path, searchParams);
}

/** Undefined: the API has no verb for this method. */
function knownVerb(
  method: string,
  path: ResourceRequest,
  query: URLSearchParams,
): string | undefined {
  try {
    return verbOf(method, path, query);
  } catch (error) {
    if (error instanceof StatusError || error instanceof PodkeepError) return undefined;
    throw error;
  }
}
