/** The version of this package, from its own package.json: the one place that has it. */
import { createRequire } from 'node:module';

export function version(): string {
  const require = createRequire(import.meta.url);
  // Both the source (src/cli/) and the bundle (dist/) find it by the package's own name.
  const manifest: { readonly version: string } = require('podkeep/package.json');
  return manifest.version;
}
