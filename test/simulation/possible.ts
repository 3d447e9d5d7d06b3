/**
 * Everything that can happen and is counted. A run of many histories in which one of these never
 * happened has not tried what it claims to have tried.
 */
import { ACTS } from './history.ts';
import { FAULTS } from './weather.ts';

/** Every edge of the pod worker's machine (core/pod-worker). */
const POD_WORKER = [
  'forgotten → waiting',
  'forgotten → syncing',
  'forgotten → terminating',
  'forgotten → terminated',
  'forgotten → finished',
  'waiting → waiting',
  'waiting → syncing',
  'waiting → finished',
  'waiting → forgotten',
  'syncing → syncing',
  'syncing → terminating',
  'terminating → terminating',
  'terminating → terminated',
  'terminating → forgotten',
  'terminated → terminated',
  'terminated → finished',
  'finished → finished',
  'finished → forgotten',
];

/** Every edge of the status write's machine (core/status-write), with the event that takes it. */
const STATUS_WRITE = [
  'idle → queued (changed)',
  'idle → queued (overwritten)',
  'queued → busy (admitted)',
  'queued → idle (admitted)',
  'queued → missing (admitted)',
  'busy → idle (settled: done)',
  'busy → queued (settled: done)',
  'busy → queued (settled: conflict)',
  'busy → waiting (settled: conflict)',
  'busy → waiting (settled: failed)',
  'busy → missing (settled: notFound)',
  'waiting → queued (woke)',
  'missing → queued (seen)',
];

/** By group, in the order of the table. */
export const POSSIBLE: Readonly<Record<string, readonly string[]>> = {
  'pod worker': POD_WORKER.map((edge) => `pod-worker: ${edge}`),
  'status write': STATUS_WRITE.map((edge) => `status-write: ${edge}`),
  faults: FAULTS,
  acts: ACTS.map(({ name }) => name),
};
