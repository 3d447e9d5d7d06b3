/**
 * Admission plugin NamespaceLifecycle: refuses to create objects in a namespace that does not exist or is
 * terminating, and protects the system namespaces.
 */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { Admission, AdmissionRequest } from '../registry/admission.ts';
import { nameOf } from '../objects/metadata.ts';
import { forbidden, notFound } from '../objects/status.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };
/** The server needs these namespaces, so clients cannot delete them. */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export class NamespaceLifecycle implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit(request: AdmissionRequest): JsonObject {
    const { verb, definition, object, namespace: name } = request;
    if (verb === 'delete') checkImmortal(request);
    if (verb !== 'create' || !definition.namespaced) return object;
    const namespace = this.#store.get(`/core/namespaces/${name}`)?.value;
    if (!namespace) throw notFound(NAMESPACES, name);
    const { status } = namespace;
    if (isJsonObject(status) && status['phase'] === 'Terminating') {
      const why = `unable to create new content in namespace ${name} because it is being terminated`;
      throw forbidden(definition, nameOf(object), why, [terminating(name)]);
    }
    return object;
  }
}

function checkImmortal({ definition, name }: AdmissionRequest): void {
  const { group, resource } = definition;
  if (group !== '' || resource !== 'namespaces' || !IMMORTAL.has(name)) return;
  throw forbidden(definition, name, 'this namespace may not be deleted');
}

function terminating(name: string): JsonObject {
  return {
    reason: 'NamespaceTerminating',
    message: `namespace ${name} is being terminated`,
    field: 'metadata.namespace',
  };
}
