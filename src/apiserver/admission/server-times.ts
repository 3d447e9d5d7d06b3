/**
 * Timestamps that the server fills in: when a volume entered its phase, when a device was tainted, and when
 * a certificate request was approved, denied or failed.
 *
 * The rules of a kind have no clock, so an admission plugin fills these times in.
 */
import { formatTime } from '../../api/values/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { resourceSlices } from '../kinds/devices/resource-slice.ts';
import { certificateSigningRequests } from '../kinds/rbac/certificate-signing-request.ts';
import { changeStructAt, objectsAt, textAt, valueAt } from '../objects/field-path.ts';
import { persistentVolumes } from '../kinds/storage/persistent-volume.ts';
import { changeObjects, fillAbsent, withField } from '../../api/validation/json-changes.ts';
import { isGiven } from '../../api/validation/json-reading.ts';
import type { Admission, AdmissionRequest } from '../registry/admission.ts';

const PHASE = 'status.phase';
const SINCE = 'status.lastPhaseTransitionTime';

export class ServerTimes implements Admission {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { verb, definition, object, old, subresource } = request;
    if (verb === 'delete') return object;
    const now = formatTime(this.#clock.now());
    if (definition === resourceSlices) return withTaintTimes(object, now);
    if (definition === certificateSigningRequests) {
      return old && subresource !== null ? withConditionTimes(object, old, now) : object;
    }
    const isPhaseWritten = verb === 'create' || subresource === 'status';
    const isVolume = definition === persistentVolumes && isPhaseWritten;
    return isVolume ? withPhaseTime(object, old, now) : object;
  }
}

/** A client may set the time; a time that is only copied from the old object counts as unset. */
function withPhaseTime(volume: JsonObject, old: JsonObject | null, now: string): JsonObject {
  const [given, before] = [valueAt(volume, SINCE), old ? valueAt(old, SINCE) : undefined];
  const isSamePhase = old !== null && textAt(old, PHASE) === textAt(volume, PHASE);
  if (isSamePhase && isGiven(given)) return volume;
  if (!isSamePhase && isGiven(given) && given !== before) return volume;
  const since = isSamePhase ? before : now;
  if (!isGiven(since)) return volume;
  return changeStructAt(volume, 'status', (status) =>
    withField(status, 'lastPhaseTransitionTime', since),
  );
}

/** A condition that had its status before keeps the time of its transition. */
function withConditionTimes(request: JsonObject, old: JsonObject, now: string): JsonObject {
  const before = objectsAt(old, 'status.conditions');
  return changeStructAt(request, 'status', (status) =>
    changeObjects(status, 'conditions', (condition) => {
      const { type, status: value } = condition;
      const same = before.find((one) => one['type'] === type && one['status'] === value);
      const lastTransitionTime = same?.['lastTransitionTime'] ?? now;
      return fillAbsent(condition, { lastUpdateTime: now, lastTransitionTime });
    }),
  );
}

function withTaintTimes(slice: JsonObject, now: string): JsonObject {
  return changeStructAt(slice, 'spec', (spec) =>
    changeObjects(spec, 'devices', (device) =>
      changeObjects(device, 'taints', (taint) => fillAbsent(taint, { timeAdded: now })),
    ),
  );
}
