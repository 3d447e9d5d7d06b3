/** Validates a container's security context. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  invalidFor,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readFlag,
  readNumber,
  readObject,
  readStruct,
  readText,
  readTexts,
} from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { checkId } from '../../validation/names.ts';
import { internalForm } from '../internal-form.ts';
import { validateAppArmor, validateSeccomp } from './security-profiles.ts';
import { validateWindowsOptions } from './windows-options.ts';

const PROC_MOUNTS = ['Default', 'Unmasked'];

export function* validateSecurityContext(
  value: Value,
  path: string,
  hasOwnUsers: boolean,
): FieldErrors {
  const context = readObject(value);
  if (!context) return;
  yield* validateIds(context, path, ['runAsUser', 'runAsGroup']);
  yield* validateProcMount(context['procMount'], `${path}.procMount`, hasOwnUsers);
  yield* validateSeccomp(context['seccompProfile'], `${path}.seccompProfile`);
  yield* validateEscalation(context, path);
  yield* validateWindowsOptions(context['windowsOptions'], `${path}.windowsOptions`);
  yield* validateAppArmor(context['appArmorProfile'], `${path}.appArmorProfile`);
}

export function* validateIds(
  context: JsonObject,
  path: string,
  names: readonly string[],
): FieldErrors {
  for (const name of names) {
    if (!isGiven(context[name])) continue;
    const id = readNumber(context[name]);
    yield* invalidFor(`${path}.${name}`, id, checkId(id));
  }
}

/** An unmasked /proc is safe only where the pod has its own user namespace. */
function* validateProcMount(value: Value, field: string, hasOwnUsers: boolean): FieldErrors {
  if (!isGiven(value)) return;
  const type = readText(value);
  if (!PROC_MOUNTS.includes(type)) yield unsupported(field, type, PROC_MOUNTS);
  if (type === 'Unmasked' && !hasOwnUsers) {
    yield invalidField(field, type, '`hostUsers` must be false to use `Unmasked`');
  }
}

function* validateEscalation(context: JsonObject, path: string): FieldErrors {
  if (context['allowPrivilegeEscalation'] !== false) return;
  const cannot = 'cannot set `allowPrivilegeEscalation` to false and';
  const shown = internalForm(context, 'core/v1.SecurityContext');
  if (readFlag(context['privileged']))
    yield invalidField(path, shown, `${cannot} \`privileged\` to true`);
  for (const capability of readTexts(readStruct(context['capabilities'])['add'])) {
    if (capability !== 'CAP_SYS_ADMIN') continue;
    yield invalidField(path, shown, `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`);
  }
}
