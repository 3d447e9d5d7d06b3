/** Nothing is created in a namespace that does not exist, or that is on its way out. */
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Admission, AdmissionRequest } from './admission.ts';
import { nameOf } from '../metadata.ts';
import { forbidden, notFound } from '../status.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };

export class NamespaceLifecycle implements Admission {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  admit({ verb, definition, object, namespace: name }: AdmissionRequest): JsonObject {
    if (verb !== 'create' || !definition.namespaced) return object;
    const namespace = this.#store.get(`/core/namespaces/${name}`)?.value;
    if (!namespace) throw notFound(NAMESPACES, name);
    const { status } = namespace;
    if (isJsonObject(status) && status['phase'] === 'Terminating') {
      const why = `unable to create new content in namespace ${name} because it is being terminated`;
      throw forbidden(definition, nameOf(object), why);
    }
    return object;
  }
}
