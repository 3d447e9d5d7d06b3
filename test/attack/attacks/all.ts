/** All attacks, by class. Those that check what the others have left come last. */
import type { Attack } from '../harness/types.ts';
import { AFTERMATH } from './aftermath.ts';
import { API_ACCESS } from './api-access.ts';
import { AT_REST } from './at-rest.ts';
import { DESCRIPTORS } from './descriptors.ts';
import { DEVICES } from './devices.ts';
import { INVENTORY } from './inventory.ts';
import { KERNEL_FILES } from './kernel-files.ts';
import { LAYERS } from './layers.ts';
import { LEAVING_ROOT } from './leaving-root.ts';
import { MACHINE_PORTS } from './machine-ports.ts';
import { MOUNT_TARGETS } from './mount-targets.ts';
import { NEIGHBOURS } from './neighbours.ts';
import { withContainerd } from './on-containerd.ts';
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
import { VOLUMES } from './volumes.ts';
import { WORKING_DIRS } from './working-dirs.ts';

/** Slow ones begin first, so that the end does not wait for them. */
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
  ...VOLUMES,
  ...API_ACCESS,
  ...PLANTED,
  ...SYSTEM_CALLS,
  ...NEIGHBOURS,
  ...LAYERS,
  ...PRIVILEGES,
  ...RIGHTS,
  ...OUTPUT,
  ...AT_REST,
  ...MACHINE_PORTS,
  ...AFTERMATH,
].map(withContainerd);
