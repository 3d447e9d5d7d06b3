/** The entry points of the package, each a file of src/. Entry points whose types others use come first. */
export const ENTRY_POINTS = ['api', 'core', 'node', 'index', 'apiserver', 'tracing'] as const;
