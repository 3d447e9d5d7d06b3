/** Explain rule: the kernel killed a container because it exceeded its memory limit (OOMKilled). */
import { quoted, times, type Rule } from '../finding.ts';
import { wordAt } from '../loose-json.ts';
import type { ContainerView } from '../pod-view.ts';

export const outOfMemory: Rule = {
  situation: 'out-of-memory',
  find: ({ containers, phase }) =>
    containers
      .map((container) => ({ container, end: endByKernel(container) }))
      .filter(({ container, end }) => end && !(phase === 'Running' && container.isReady))
      .map(({ container: { name, spec, restarts }, end }) => {
        const limit = wordAt(spec, 'resources', 'limits', 'memory');
        const more = limit === '' ? 'than the node has' : `than its limit of ${limit}`;
        return {
          what: `Container ${quoted(name)} was killed because it used more memory ${more} (OOMKilled, exit code ${end?.exitCode ?? 137}).`,
          sinceMs: end?.finishedMs,
          tried: times(restarts, 'The kubelet restarted it'),
          advice: [
            limit === ''
              ? 'Give the container a memory limit, and less to do; or free memory on the node.'
              : `Raise resources.limits.memory above ${limit}, or let the process use less memory.`,
          ],
        };
      }),
};

function endByKernel({ terminated, last }: ContainerView) {
  return [terminated, last].find((end) => end?.reason === 'OOMKilled') ?? null;
}
