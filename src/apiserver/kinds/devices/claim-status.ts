/**
 * Validates the status of a ResourceClaim: the allocated devices, the pods for which it is reserved, and the
 * drivers' reports about the devices.
 */
import { jsonEqual } from '../../../api/values/json-equal.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { changeStructAt, objectsAt, structAt, valueAt } from '../../objects/field-path.ts';
import { validateUnchanged } from '../number-rules.ts';
import {
  forbiddenField,
  invalidField,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { withField } from '../../../api/validation/json-changes.ts';
import { isGiven, readText } from '../../../api/validation/json-reading.ts';
import { validateDnsLabel } from '../../../api/validation/names.ts';
import { validateDistinctItems, validateItems } from './bounded-lists.ts';
import { requestNamesOf } from './device-claim-rules.ts';
import {
  validateDriverName,
  validatePoolName,
  validateRequestReference,
  type RequestNames,
} from './device-names.ts';

const RESERVED_FOR = 'status.reservedFor';
const ALLOCATION = 'status.allocation';
const RESULTS = `${ALLOCATION}.devices.results`;
const RESERVATIONS_MAX = 256;
const RESULTS_MAX = 32;

/** Drops the drivers' reports about devices that are no longer allocated. */
export function withoutFreed(object: JsonObject, old: JsonObject): JsonObject {
  const kept = new Set(objectsAt(object, RESULTS).map(keyOfDevice));
  const freed = new Set(
    objectsAt(old, RESULTS)
      .map(keyOfDevice)
      .filter((key) => !kept.has(key)),
  );
  const reports = objectsAt(object, 'status.devices');
  const left = reports.filter((report) => !freed.has(keyOfDevice(report)));
  if (left.length === reports.length) return object;
  return changeStructAt(object, 'status', (status) => withField(status, 'devices', left));
}

export function* validateClaimStatus(object: JsonObject, old: JsonObject): FieldErrors {
  const reservations = objectsAt(object, RESERVED_FOR);
  yield* validateDistinctItems(
    reservations,
    RESERVATIONS_MAX,
    RESERVED_FOR,
    ({ uid }) => readText(uid),
    validateReservation,
  );
  yield* validateReports(object);
  yield* validateReserving(object, old);
  if (!isGiven(valueAt(object, ALLOCATION))) return;
  if (isGiven(valueAt(old, ALLOCATION))) {
    yield* validateUnchanged(object, old, [ALLOCATION]);
    return;
  }
  const names = requestNamesOf(structAt(object, 'spec.devices'));
  yield* validateItems(objectsAt(object, RESULTS), RESULTS_MAX, RESULTS, (result, field) =>
    validateResult(result, field, names),
  );
}

function* validateReservation(reference: JsonObject, path: string): FieldErrors {
  for (const name of ['resource', 'name', 'uid'] as const) {
    if (readText(reference[name]) === '') yield required(`${path}.${name}`);
  }
}

/**
 * A claim without allocated devices cannot be reserved, and a claim that is being deleted cannot get new
 * users.
 */
function* validateReserving(object: JsonObject, old: JsonObject): FieldErrors {
  const reservations = objectsAt(object, RESERVED_FOR);
  if (reservations.length === 0) return;
  if (!isGiven(valueAt(object, ALLOCATION))) {
    yield forbiddenField(RESERVED_FOR, 'may not be specified when `allocated` is not set');
    return;
  }
  if (metadataOf(object)['deletionTimestamp'] === undefined) return;
  const before = objectsAt(old, RESERVED_FOR);
  if (reservations.every((one) => before.some((other) => jsonEqual(one, other)))) return;
  const detail =
    'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  yield forbiddenField(RESERVED_FOR, detail);
}

/** Drivers may report only devices that are allocated to the claim. */
function* validateReports(object: JsonObject): FieldErrors {
  const allocated = new Set(objectsAt(object, RESULTS).map(keyOfDevice));
  const reports = objectsAt(object, 'status.devices');
  yield* validateDistinctItems(
    reports,
    reports.length,
    'status.devices',
    keyOfDevice,
    function* (report, path) {
      yield* validateDevice(report, path);
      if (allocated.has(keyOfDevice(report))) return;
      yield invalidField(path, keyOfDevice(report), 'must be an allocated device in the claim');
    },
  );
}

function* validateResult(result: JsonObject, path: string, names: RequestNames): FieldErrors {
  yield* validateRequestReference(readText(result['request']), `${path}.request`, names);
  yield* validateDevice(result, path);
}

function* validateDevice(device: JsonObject, path: string): FieldErrors {
  yield* validateDriverName(readText(device['driver']), `${path}.driver`);
  yield* validatePoolName(readText(device['pool']), `${path}.pool`);
  yield* validateDnsLabel(readText(device['device']), `${path}.device`);
}

function keyOfDevice(device: JsonObject): string {
  const [driver, pool, name, share] = ['driver', 'pool', 'device', 'shareID'].map((field) =>
    readText(device[field]),
  );
  const base = `${driver}/${pool}/${name}`;
  return share === '' ? base : `${base}/${share}`;
}
