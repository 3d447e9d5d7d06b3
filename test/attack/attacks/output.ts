/**
 * Output that hurts the node: floods, files with holes, logs that a container rewrites. While a container
 * writes, its log may take what containerLogMaxSize and containerLogMaxFiles allow, and some slack.
 */
import { waitFor } from '../../e2e/support/patience.ts';
import { isOver } from '../../e2e/support/pod-view.ts';
import { checkDeletion, peakOf, usageOf, type Peak } from '../harness/measure.ts';
import { podAttack, type PodAttack } from '../harness/pod-attack.ts';
import { probeOf, type PodShape } from '../harness/pods.ts';
import { LOG_BYTES_MAX, LOG_FILES_MAX } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'output';
const FLOOD_MIB = 200;
const SLACK_MIB = 64;
const DISK_MIB_MAX = (LOG_BYTES_MAX * LOG_FILES_MAX) / 1024 / 1024 + SLACK_MIB;
const MEMORY_MIB_MAX = 400;
const LARGEST_MIB_MAX = 512;
const FLOOD_SECONDS = 8;
/** What the container writes between two checks of the kubelet, and what folders take. */
const ROTATION_SLACK = 256 * 1024;

const flood = (line: string, to = ''): string =>
  `yes ${line} | head -c ${FLOOD_MIB}M ${to}; echo; echo FLOODED ${to}`;
const LINE = 'x'.repeat(99);

/** Samples while the pod writes. The result is in the output, as one line. */
const sample: NonNullable<PodAttack['drive']> = async (target, { name, uid }) => {
  const ended = async (): Promise<boolean> => {
    const pod = await target.pod(name);
    return pod === undefined || isOver(pod);
  };
  return `PEAK ${JSON.stringify(await peakOf(target, uid, ended, FLOOD_SECONDS))}\n`;
};

const checkPeak: NonNullable<PodAttack['check']> = async (target, pod, output) => {
  const line = /^PEAK (.*)$/m.exec(output)?.[1];
  if (line !== undefined) {
    const peak = JSON.parse(line) as Peak;
    if (peak.diskMiB > DISK_MIB_MAX) return `its output took ${peak.diskMiB} MiB on disk`;
    if (peak.largestMiB > LARGEST_MIB_MAX) return `a file of ${peak.largestMiB} MiB`;
    if (peak.memoryMiB > MEMORY_MIB_MAX) return `podkeep took ${peak.memoryMiB} MiB more memory`;
  }
  await checkDeletion(target, pod, 15);
  return undefined;
};

function floodAttack(id: string, tries: string, script: string, pod: PodShape = {}): Attack {
  return podAttack({
    class: KIND,
    id,
    tries,
    isHeavy: true,
    pod,
    script: `echo READY; sleep 0.5; ${script}`,
    drive: sample,
    proof: /^PEAK/m,
    check: checkPeak,
  });
}

/** Makes the file behind a stream 768 MiB long, without writing. */
const truncated = (how: string): string => `perl -e '$| = 1; ${how}'; sleep 1; echo made; sleep 1`;

const exec = (command: string, tty = false): NonNullable<PodAttack['drive']> => {
  return async (target, { name, uid }) => {
    let isDone = false;
    const request = { pod: name, container: 'main', command: ['sh', '-c', command], seconds: 8 };
    const running = target
      .exec(tty ? { ...request, tty, stdin: '' } : request)
      .finally(() => (isDone = true));
    const peak = await peakOf(target, uid, async () => isDone, 8);
    await running;
    return `PEAK ${JSON.stringify(peak)}\n`;
  };
};

/** On containerd the kubelet rotates logs when it checks them: what is left then counts. */
const rotated: NonNullable<PodAttack['check']> = async (target, pod) => {
  const bytesMax = (LOG_BYTES_MAX + ROTATION_SLACK) * LOG_FILES_MAX;
  const patience = { what: 'the log to be rotated', deadlineMs: 45_000 };
  let bytes = 0;
  const isRotated = await waitFor(patience, () => {
    bytes = usageOf(target, pod.uid).bytes;
    return bytes <= bytesMax ? true : undefined;
  }).catch(() => false);
  return isRotated ? undefined : `its log still takes ${bytes} bytes`;
};

const containerdFlood = (id: string, tries: string, script: string): Attack =>
  podAttack({
    class: KIND,
    id: `containerd-${id}`,
    tries,
    modes: ['containerd'],
    isHeavy: true,
    script: `echo READY; ${script}; exec sleep 120`,
    drive: async () => '',
    check: rotated,
  });

export const OUTPUT: readonly Attack[] = [
  containerdFlood(
    'stdout',
    'It writes 50 MiB to stdout, of which the kubelet keeps what its log may hold.',
    `yes ${LINE} | head -c 50M`,
  ),
  containerdFlood(
    'one-line',
    'It writes a line of 20 MiB, of which the kubelet keeps what its log may hold.',
    `head -c 20M /dev/zero | tr '\\000' y; echo`,
  ),
  floodAttack('stdout', `It writes ${FLOOD_MIB} MiB of lines to stdout at once.`, flood(LINE)),
  floodAttack(
    'stderr',
    `It writes ${FLOOD_MIB} MiB of lines to stderr at once.`,
    flood(LINE, '>&2'),
  ),
  floodAttack(
    'one-line',
    `It writes a line of ${FLOOD_MIB} MiB that does not end.`,
    `head -c ${FLOOD_MIB}M /dev/zero | tr '\\000' y; echo; echo FLOODED`,
  ),
  floodAttack('short-lines', 'It writes millions of empty lines.', `yes '' | head -c 15M`),
  floodAttack('terminal', 'It floods a terminal.', flood(LINE), {
    container: { tty: true },
  }),
  floodAttack(
    'sparse-stdout',
    'It makes the file behind its stdout 768 MiB long.',
    truncated('truncate(STDOUT, 768 << 20)'),
  ),
  floodAttack(
    'sparse-stderr',
    'It makes the file behind its stderr 768 MiB long.',
    truncated('truncate(STDERR, 768 << 20)'),
  ),
  floodAttack(
    'sparse-by-name',
    'It makes the file behind its stdout 768 MiB long, by names in /proc and /dev.',
    `for f in /proc/self/fd/1 /dev/stdout /proc/$$/fd/1 /dev/fd/2; do truncate -s 768M $f; done; sleep 2`,
  ),
  floodAttack(
    'sparse-seek',
    'It writes one byte far beyond the end of its stdout.',
    truncated('sysseek(STDOUT, (768 << 20) - 1, 0); syswrite(STDOUT, "z")'),
  ),
  floodAttack(
    'allocated',
    'It has blocks allocated for its stdout.',
    `fallocate -l 400M /proc/self/fd/1; fallocate -l 400M /dev/stdout; perl -e 'syscall(${process.arch === 'arm64' ? 47 : 285}, 1, 0, 0, 400 << 20)'; sleep 1`,
  ),
  podAttack({
    class: KIND,
    id: 'exec-flood',
    tries: `A command of kubectl exec writes ${FLOOD_MIB} MiB.`,
    isHeavy: true,
    drive: exec(flood(LINE)),
    proof: /^PEAK/m,
    check: checkPeak,
  }),
  podAttack({
    class: KIND,
    id: 'probe-flood',
    tries: 'The command of a probe writes 100 MiB, of which podkeep keeps little.',
    isHeavy: true,
    pod: {
      container: {
        livenessProbe: probeOf(`yes ${LINE} | head -c 100M; exit 0`, { timeoutSeconds: 3 }),
      },
    },
    script: 'echo READY; sleep 4',
    drive: sample,
    proof: /^PEAK/m,
    check: checkPeak,
  }),
  podAttack({
    class: KIND,
    id: 'erased',
    tries: 'It erases what it has written to its log.',
    script: `echo EVIDENCE-$NONCE; perl -e 'truncate(STDOUT, 0); sysseek(STDOUT, 0, 0); syswrite(STDOUT, "nothing happened\\n")'; sleep 0.5`,
    check: (_target, { nonce }, output) =>
      output.includes(`EVIDENCE-${nonce}`) ? undefined : 'its log has lost what it wrote',
  }),
  podAttack({
    class: KIND,
    id: 'forged',
    tries: 'It writes lines that look like lines of the log itself, with another time and stream.',
    script: `printf '2001-01-01T00:00:00.000000000Z stderr F forged\\n\\n2001-01-01T00:00:00Z stdout P part'`,
    check: (_target, _pod, output) =>
      /^forged$/m.test(output)
        ? 'a line of its output was taken for a record of the log'
        : undefined,
  }),
];
