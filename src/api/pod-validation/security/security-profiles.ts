/** Validates seccomp and AppArmor profiles. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  required,
  tooLong,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { isGiven, readObject, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { validateDescendingPath } from '../../validation/paths.ts';
import { internalForm } from '../internal-form.ts';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
/** The longest path that Linux can open. */
const PROFILE_BYTES_MAX = 4095;

export function* validateSeccomp(value: Value, path: string): FieldErrors {
  const profile = readObject(value);
  if (!profile) return;
  yield* validateType(profile, path, 'type is required when seccompProfile is set');
  const { localhostProfile } = profile;
  const field = `${path}.localhostProfile`;
  if (profile['type'] !== 'Localhost') {
    if (!isGiven(localhostProfile)) return;
    const shown = internalForm(profile, 'core/v1.SeccompProfile');
    yield invalidField(field, shown, 'can only be set when seccomp type is Localhost');
  } else if (isGiven(localhostProfile)) {
    yield* validateDescendingPath(readText(localhostProfile), field);
  } else {
    yield required(field, 'must be set when seccomp type is Localhost');
  }
}

export function* validateAppArmor(value: Value, path: string): FieldErrors {
  const profile = readObject(value);
  if (!profile) return;
  if (profile['type'] === 'Localhost') {
    yield* validateLocalAppArmor(profile['localhostProfile'], `${path}.localhostProfile`);
    return;
  }
  const faults = [...validateType(profile, path, 'type is required when appArmorProfile is set')];
  yield* faults;
  const { localhostProfile } = profile;
  if (faults.length > 0 || !isGiven(localhostProfile)) return;
  const detail = 'can only be set when AppArmor type is Localhost';
  yield invalidField(`${path}.localhostProfile`, localhostProfile, detail);
}

function* validateType(profile: JsonObject, path: string, missing: string): FieldErrors {
  const type = readText(profile['type']);
  if (type === '') yield required(`${path}.type`, missing);
  else if (!TYPES.includes(type)) yield unsupported(`${path}.type`, type, TYPES);
}

function* validateLocalAppArmor(value: Value, field: string): FieldErrors {
  const missing = 'must be set when AppArmor type is Localhost';
  if (!isGiven(value)) {
    yield required(field, missing);
    return;
  }
  const name = readText(value);
  if (name.trim() !== name) yield invalidField(field, name, 'must not be padded with whitespace');
  else if (name === '') yield required(field, missing);
  if (Buffer.byteLength(name) > PROFILE_BYTES_MAX) yield tooLong(field, PROFILE_BYTES_MAX);
}
