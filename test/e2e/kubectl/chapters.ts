/** The script: all chapters, in the order in which they are played. */
import { access } from './steps/access.ts';
import { changes } from './steps/changes.ts';
import { cluster } from './steps/cluster.ts';
import { custom } from './steps/custom.ts';
import { deletion } from './steps/deletion.ts';
import { discovery } from './steps/discovery.ts';
import { generators } from './steps/generators.ts';
import { mistakes } from './steps/mistakes.ts';
import { objects } from './steps/objects.ts';
import { subresources } from './steps/subresources.ts';
import { watching } from './steps/watching.ts';
import { workloads } from './steps/workloads.ts';
import type { Chapter } from './step.ts';

export const CHAPTERS: readonly Chapter[] = [
  discovery,
  objects,
  changes,
  watching,
  deletion,
  generators,
  subresources,
  workloads,
  cluster,
  custom,
  access,
  mistakes,
];
