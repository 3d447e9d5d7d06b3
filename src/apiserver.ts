/**
 * The entry point `podkeep/apiserver`: a Kubernetes API server in this process, as a function from a Request
 * to a Response.
 *
 * This entry point is separate, because most programs that build nodes use an API server elsewhere.
 */
export {
  openEmbeddedServer,
  type EmbeddedServer,
  type EmbeddedServerOptions,
} from './apiserver/embedded-server.ts';
export { ApiServer } from './apiserver/http/api-server.ts';
export type { ApiServerOptions } from './apiserver/http/api-server-options.ts';

// Kinds: the built-in ones, and the definition of a custom one.
export { builtInKinds } from './apiserver/kinds/built-in-kinds.ts';
export type {
  Column as PrinterColumn,
  KindDefinition,
  KindRules,
  StoredForm as KindStoredForm,
  Subresource as KindSubresource,
  Verb as KindVerb,
  View as SubresourceView,
} from './apiserver/objects/kind.ts';
export type { FieldError, FieldErrorType } from './api/validation/field-error.ts';

// Where objects are stored.
export { openMemoryStore as openMemoryObjectStore } from './apiserver/store/memory-store.ts';
export {
  openLmdbStore as openLmdbObjectStore,
  type LmdbStoreOptions as LmdbObjectStoreOptions,
} from './apiserver/store/lmdb-store.ts';
export type {
  Change as ObjectStoreChange,
  ListOptions as ObjectStoreListOptions,
  ListPage as ObjectStoreListPage,
  ObjectStore,
  StoredObject,
  StoreEvent as ObjectStoreEvent,
} from './ports/api/object-store.ts';
