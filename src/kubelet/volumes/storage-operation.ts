/** Measures the duration and the outcome of an operation on a volume, for the storage metrics. */
import type { VolumeDeps } from './volume-deps.ts';

export interface StorageOperation {
  readonly plugin: string;
  readonly operation: 'volume_mount' | 'volume_unmount';
}

export async function measureOperation<Result>(
  { clock, observer }: Pick<VolumeDeps, 'clock' | 'observer'>,
  { plugin, operation }: StorageOperation,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!observer) return work();
  const beganAtMs = clock.monotonic();
  const ended = (isFailed: boolean): void =>
    observer.operationEnded(plugin, operation, (clock.monotonic() - beganAtMs) / 1000, isFailed);
  try {
    const result = await work();
    ended(false);
    return result;
  } catch (error) {
    ended(true);
    throw error;
  }
}
