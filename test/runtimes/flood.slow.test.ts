/**
 * A container floods its output for a while (FLOOD_SECONDS; `npm run soak`: 60) and podkeep is killed and
 * started again meanwhile, over and over. The log always stays within its bounds; in the end it holds the
 * last lines written, with none lost or doubled; and the container is never blocked for long.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../suites/pod-runtime/runtime-harness.ts';
import { buildOwner, startOwner } from './owner-process.ts';
import { openAt, removeAll } from './process-runtime.ts';

const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 6);
const LOGS = { maxBytes: 1024 * 1024, maxFiles: 3 };
const OWNER_MS = 700;
const SAMPLE_MS = 50;
/** No line may wait longer than this to be taken, which allows for a loaded machine. */
const BLOCKED_SECONDS_MAX = 20;

/** Lines for so many seconds, the longest time that one of them waited, and how many there were. */
const SCRIPT = `
  use Time::HiRes qw(time); $| = 1; my ($n, $longest, $end) = (0, 0, time + ${SECONDS});
  while (1) {
    my $from = time; last if $from > $end;
    print join('', map { "line " . $n++ . " " . ("x" x 60) . "\\n" } 1 .. 200);
    my $took = time - $from; $longest = $took if $took > $longest;
  }
  open(my $out, '>', '/shared/total.new'); print $out "$n $longest\\n"; close $out;
  rename '/shared/total.new', '/shared/total'; exit 7;`;

test(
  'a flood of output outlives podkeep, within the bounds of its log, and no line is lost or doubled',
  { timeout: (SECONDS + 180) * 1000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-flood-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755);
    mkdirSync(path.join(folder, 'shared'));
    chmodSync(path.join(folder, 'shared'), 0o777);
    const built = buildOwner('flood-owner.ts');
    onTestFinished(() => built.remove());

    const total = path.join(folder, 'shared/total');
    let [largest, kills] = [0, 0];
    while (!existsSync(total)) {
      const args = [folder, String(LOGS.maxBytes), String(LOGS.maxFiles), SCRIPT];
      const owner = startOwner(built.program, args);
      await until(() => owner.given().includes('ready'));
      for (let waited = 0; waited < OWNER_MS; waited += SAMPLE_MS) {
        largest = Math.max(largest, sizeOf(folder));
        await delay(SAMPLE_MS);
      }
      owner.child.kill('SIGKILL');
      await owner.ended;
      kills += 1;
    }
    const [count = 0, longest = 0] = readFileSync(total, 'utf8').split(' ').map(Number);
    expect(kills).toBeGreaterThan(1);
    expect(longest).toBeLessThan(BLOCKED_SECONDS_MAX);
    expect(largest).toBeLessThanOrEqual(LOGS.maxBytes * LOGS.maxFiles);

    const runtime = await openAt(path.join(folder, 'runtime'), { network: 'host', logs: LOGS });
    onTestFinished(async () => {
      await removeAll(runtime);
      await runtime.close();
    });
    await until(async () => {
      const { containers } = await runtime.inspect('pod-1');
      return containers[0]?.state === 'exited' && containers[0].exitCode === 7;
    });
    const numbers = logFiles(folder)
      .flatMap((file) => readFileSync(file, 'utf8').trimEnd().split('\n'))
      .map((line) => Number(line.split(' ')[4]));
    // Far more was written than the log holds, otherwise the test proves nothing.
    expect(count).toBeGreaterThan(numbers.length * 2);
    expect(numbers.length).toBeGreaterThan(10_000);
    const first = count - numbers.length;
    expect(numbers.findIndex((number, index) => number !== first + index)).toBe(-1);
    console.log(`${count} lines in ${SECONDS} s, ${kills} kills, at most ${largest} bytes of log`);
  },
);

/** The oldest first. */
function logFiles(folder: string): readonly string[] {
  const logs = path.join(folder, 'logs');
  if (!existsSync(logs)) return [];
  return readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(logs, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .toSorted((a, b) => (a.endsWith('.log') ? 1 : b.endsWith('.log') ? -1 : a.localeCompare(b)));
}

function sizeOf(folder: string): number {
  return logFiles(folder).reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
