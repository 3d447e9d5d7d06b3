/** Reports every request of podkeep to the model, and passes answers on only to a podkeep that is alive. */
import type { PodStatus } from '../../src/api/pod.ts';
import { isJsonObject, type Json } from '../../src/lib/json.ts';
import { ApiError, type ApiClient, type PodName } from '../../src/ports/api/api-client.ts';
import type { EventJournal } from './event-journal.ts';
import type { Gate } from './recipe-deps.ts';
import type { RequestModel } from './request-model.ts';
import type { StatusModel } from './status-model.ts';

export interface TapOptions {
  readonly api: ApiClient;
  readonly gate: Gate;
  readonly journal: EventJournal;
  readonly requests: RequestModel;
  readonly statuses: StatusModel;
  /** The pod whose status is being written now: requests do not all name it. */
  readonly writing: () => string;
}

export function tapApi({ api, gate, journal, requests, statuses, writing }: TapOptions): ApiClient {
  const tapped = async <Answer>(
    verb: string,
    { name }: PodName,
    target: string,
    send: () => Promise<Answer>,
  ): Promise<Answer> => {
    const uid = writing();
    journal.notify('api', `${uid}: ${verb} ${name} is sent`);
    requests.sent(uid, verb, target);
    try {
      return await gate(send());
    } catch (error) {
      journal.notify('api', `${uid}: ${verb} ${name} failed: ${describe(error)}`);
      statuses.failed(uid);
      if (isConflict(error)) requests.conflicted(uid, target);
      throw error;
    } finally {
      requests.settled(uid);
    }
  };
  return {
    getPod: (pod, signal) => tapped('GET', pod, '', () => api.getPod(pod, signal)),
    patchPodStatus: (pod, patch, signal) => {
      const target = uidIn(patch);
      statuses.sent(writing(), target, statusIn(patch));
      return tapped('PATCH', pod, target, () => api.patchPodStatus(pod, patch, signal));
    },
    deletePod: (pod, conditions, signal) =>
      tapped('DELETE', pod, conditions.uid, () => api.deletePod(pod, conditions, signal)),
  };
}

/** Podkeep's view of the object is stale (SM-74). */
function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.statusCode === 409 || error.statusCode === 422);
}

function statusIn(patch: Json): PodStatus {
  const status = isJsonObject(patch) ? patch['status'] : undefined;
  return isJsonObject(status) ? status : {};
}

function uidIn(patch: Json): string {
  const metadata = isJsonObject(patch) ? patch['metadata'] : undefined;
  const uid = isJsonObject(metadata) ? metadata['uid'] : undefined;
  return typeof uid === 'string' ? uid : '';
}

function describe(error: unknown): string {
  return error instanceof ApiError ? `${error.statusCode} ${error.reason}` : String(error);
}
