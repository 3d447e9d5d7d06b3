/**
 * Calls a function many times, in batches that double: 1, 2, 4 and so on. After a batch with a failure the
 * rest is skipped, so that an exhausted quota refuses one request and not hundreds.
 */
const FIRST_BATCH = 1;

/** Rejects with the first failure. */
export async function slowStart(
  count: number,
  call: (index: number) => Promise<unknown>,
): Promise<void> {
  let done = 0;
  for (let size = FIRST_BATCH; done < count; size *= 2) {
    const batch = Math.min(size, count - done);
    const first = done;
    const calls = Array.from({ length: batch }, (_, index) => call(first + index));
    const results = await Promise.allSettled(calls);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    done += batch;
  }
}
