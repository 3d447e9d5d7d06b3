/**
 * Times that nobody has to send: when a volume came into its phase, and when a device was tainted.
 *
 * The rules of a kind know no clock, so these are filled in here, like what other plugins fill in.
 */
import { formatTime } from '../../api/time.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { resourceSlices } from '../kinds/devices/resource-slice.ts';
import { changeStructAt, textAt, valueAt } from '../kinds/field-path.ts';
import { persistentVolumes } from '../kinds/persistent-volume.ts';
import { changeObjects, fillAbsent, withField } from '../kinds/validation/json-changes.ts';
import { isGiven } from '../kinds/validation/json-reading.ts';
import type { Admission, AdmissionRequest } from './admission.ts';

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
    const isPhaseWritten = verb === 'create' || subresource === 'status';
    const isVolume = definition === persistentVolumes && isPhaseWritten;
    return isVolume ? withPhaseTime(object, old, now) : object;
  }
}

/** Whoever knows better may say so; a time that was only copied counts as not said. */
function withPhaseTime(volume: JsonObject, old: JsonObject | null, now: string): JsonObject {
  const [said, before] = [valueAt(volume, SINCE), old ? valueAt(old, SINCE) : undefined];
  const isSamePhase = old !== null && textAt(old, PHASE) === textAt(volume, PHASE);
  if (isSamePhase && isGiven(said)) return volume;
  if (!isSamePhase && isGiven(said) && said !== before) return volume;
  const since = isSamePhase ? before : now;
  if (!isGiven(since)) return volume;
  return changeStructAt(volume, 'status', (status) =>
    withField(status, 'lastPhaseTransitionTime', since),
  );
}

function withTaintTimes(slice: JsonObject, now: string): JsonObject {
  return changeStructAt(slice, 'spec', (spec) =>
    changeObjects(spec, 'devices', (device) =>
      changeObjects(device, 'taints', (taint) => fillAbsent(taint, { timeAdded: now })),
    ),
  );
}
