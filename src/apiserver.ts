/**
 * `podkeep/apiserver`: a Kubernetes API in this process, as a function from a Request to a Response.
 *
 * A door of its own, because most programs that use the engine talk to an API server elsewhere.
 */
export {
  openEmbeddedServer,
  type EmbeddedServer,
  type EmbeddedServerOptions,
} from './apiserver/embedded-server.ts';
export { ApiServer, type ApiServerOptions } from './apiserver/api-server.ts';
export { builtInKinds } from './apiserver/kinds/built-in-kinds.ts';
export type * from './apiserver/kind.ts';
export type { FieldError, FieldErrorType } from './apiserver/field-error.ts';
export { openMemoryStore } from './apiserver/store/memory-store.ts';
export { openLmdbStore, type LmdbStoreOptions } from './apiserver/store/lmdb-store.ts';
export type * from './ports/object-store.ts';
