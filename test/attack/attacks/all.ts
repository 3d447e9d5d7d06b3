/** All attacks, by class. Those that look at what the others have left come last. */
import type { Attack } from '../harness/types.ts';
import { AFTERMATH } from './aftermath.ts';
import { DESCRIPTORS } from './descriptors.ts';
import { DEVICES } from './devices.ts';
import { INVENTORY } from './inventory.ts';
import { KERNEL_FILES } from './kernel-files.ts';
import { LAYERS } from './layers.ts';
import { LEAVING_ROOT } from './leaving-root.ts';
import { MOUNT_TARGETS } from './mount-targets.ts';
import { NEIGHBOURS } from './neighbours.ts';
import { OUTPUT } from './output.ts';
import { PLANTED } from './planted.ts';
import { PRIVILEGES } from './privileges.ts';
import { RESOURCES } from './resources.ts';
import { RIGHTS } from './rights.ts';
import { SUB_PATHS } from './sub-paths.ts';
import { SYSTEM_CALLS } from './system-calls.ts';
import { TERMINALS } from './terminals.ts';
import { TERMINATION } from './termination.ts';
import { TRACING } from './tracing.ts';
import { WORKING_DIRS } from './working-dirs.ts';

/** Those that take long begin first, so that nothing waits for them in the end. */
export const ALL_ATTACKS: readonly Attack[] = [
  ...RESOURCES,
  ...INVENTORY,
  ...SUB_PATHS,
  ...TRACING,
  ...DESCRIPTORS,
  ...LEAVING_ROOT,
  ...WORKING_DIRS,
  ...KERNEL_FILES,
  ...DEVICES,
  ...TERMINALS,
  ...MOUNT_TARGETS,
  ...TERMINATION,
  ...PLANTED,
  ...SYSTEM_CALLS,
  ...NEIGHBOURS,
  ...LAYERS,
  ...PRIVILEGES,
  ...RIGHTS,
  ...OUTPUT,
  ...AFTERMATH,
];
