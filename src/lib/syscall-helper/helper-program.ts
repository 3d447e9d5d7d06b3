/** Finds Perl and the Perl programs of the helpers on this machine. */
import { accessSync, constants, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const INTERPRETERS = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl'];
/** The folders of the programs: in the source tree, and beside the bundle. */
const FOLDERS = ['./program/', './syscall-helper/', '../syscall-helper/'];

/** The whole environment of a helper. */
export const HELPER_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

export type HelperProgram =
  | { readonly interpreter: string; readonly program: string }
  | { readonly obstacle: string };

export function findHelperProgram(name: string): HelperProgram {
  const interpreter = INTERPRETERS.find(isExecutable);
  if (interpreter === undefined) return { obstacle: 'perl is not on this machine' };
  const candidates = FOLDERS.map((folder) =>
    fileURLToPath(new URL(`${folder}${name}`, import.meta.url)),
  );
  const program = candidates.find((file) => existsSync(file));
  return program === undefined ? { obstacle: 'its program is missing' } : { interpreter, program };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
