/** All attacks, by class. */
import type { Attack } from '../harness/types.ts';
import { DESCRIPTORS } from './descriptors.ts';

export const ALL_ATTACKS: readonly Attack[] = [...DESCRIPTORS];
