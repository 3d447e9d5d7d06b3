/**
 * Everything that can happen and is counted. A run of many histories in which one of these never happened
 * has not tested what it claims to test.
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

/** What eviction can come to, as the model counts it. */
const EVICTION = [
  ...['memory', 'disk', 'inodes', 'pids'].flatMap((kind) => [`hard ${kind}`, `soft ${kind}`]),
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].flatMap((one) => [
    `${one} begins`,
    `${one} ends`,
  ]),
  'a pressure lasts',
  'a soft threshold waits',
  'too little was reclaimed',
  'old stats are not acted on',
  'enough was reclaimed',
  'above its own limits',
  'only critical pods are left',
];

/** By group, in the order of the table. */
export const POSSIBLE: Readonly<Record<string, readonly string[]>> = {
  'pod worker': POD_WORKER.map((edge) => `pod-worker: ${edge}`),
  'status write': STATUS_WRITE.map((edge) => `status-write: ${edge}`),
  eviction: EVICTION.map((what) => `eviction: ${what}`),
  faults: FAULTS,
  acts: ACTS.map(({ name }) => name),
};
