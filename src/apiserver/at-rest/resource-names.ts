/** Validates the list of resources of an EncryptionConfiguration, with kube-apiserver's messages. */
import type { FieldError } from '../../api/validation/field-error.ts';
import { ANY, hasDuplicate, hasOverlap, parseGroupResource } from './group-resource.ts';

/** Resources that kube-apiserver stores for itself and does not serve. */
const WITHOUT_API: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

export function resourceNameErrors(names: readonly string[], field: string): readonly FieldError[] {
  const parsed = names.map(parseGroupResource);
  const invalid = (detail: string): FieldError => ({
    type: 'Invalid',
    field,
    value: names,
    detail,
  });
  const errors: FieldError[] = [];
  if (hasDuplicate(parsed)) {
    errors.push(invalid('the same resource cannot be specified multiple times'));
  }
  if (hasOverlap(parsed)) {
    errors.push(
      invalid(
        "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
      ),
    );
  }
  for (const [index, name] of names.entries()) {
    const detail = faultOf(name);
    if (detail !== null) {
      errors.push({ type: 'Invalid', field: `${field}[${index}]`, value: name, detail });
    }
  }
  return errors;
}

/** Null: the name is valid. */
function faultOf(name: string): string | null {
  if (name !== name.toLowerCase()) return 'resource name should not contain capital letters';
  if (name === ANY) {
    return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  }
  if (WITHOUT_API.has(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseGroupResource(name);
  if (group === 'events.k8s.io') {
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  }
  if (group === 'extensions') {
    return "'extensions' group has been removed and cannot be used for encryption";
  }
  if (group === ANY && resource !== ANY) {
    return 'encrypting the same resource across groups is not supported';
  }
  return null;
}
