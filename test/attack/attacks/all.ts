/** All attacks, by class. */
import type { Attack } from '../harness/types.ts';
import { DESCRIPTORS } from './descriptors.ts';
import { LEAVING_ROOT } from './leaving-root.ts';
import { WORKING_DIRS } from './working-dirs.ts';

export const ALL_ATTACKS: readonly Attack[] = [...DESCRIPTORS, ...LEAVING_ROOT, ...WORKING_DIRS];
