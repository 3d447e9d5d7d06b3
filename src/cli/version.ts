/** Reads podkeep's version from its package.json, the only file that has it. */
import { createRequire } from 'node:module';

export function version(): string {
  const require = createRequire(import.meta.url);
  // By the package's own name, both the source (src/cli/) and the bundle (dist/) find it.
  const manifest: { readonly version: string } = require('podkeep/package.json');
  return manifest.version;
}
