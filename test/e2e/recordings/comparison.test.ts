import { expect, test } from 'vitest';
import { compareLives } from './comparison.ts';
import type { Difference } from './difference.ts';
import type { Life, RecordedLife } from './life.ts';

const CREATED = ['phase = "Pending"', 'ready = false'];
const RUNNING = ['phase = "Running"', 'ready = true'];
const ENDED = ['exitCode = 0', 'phase = "Succeeded"', 'ready = false'];
const LIFE: RecordedLife = {
  stages: [CREATED, RUNNING, ENDED],
  lasting: [],
  steps: ['main:running:0', 'main:terminated:0', 'main:waiting back-off 10s:0', 'main:running:1'],
  stepsEarly: 3,
  events: ['event Normal Started = "Container started"'],
  isGone: false,
};

function unexplained(ours: Partial<Life>, isLoop = false): readonly string[] {
  return compareLives(LIFE, { ...LIFE, ...ours }, isLoop, []).unexplained;
}

test('a life is the same as itself, and as one of which a stage was too short to be seen', () => {
  expect(unexplained({})).toEqual([]);
  expect(unexplained({ stages: [CREATED, ENDED] })).toEqual([]);
});

test('another final status, another event and another end are reported', () => {
  const stages = [...LIFE.stages.slice(0, 2), ENDED.with(0, 'exitCode = 1')];
  expect(unexplained({ stages })).toEqual(['- exitCode = 0', '+ exitCode = 1']);
  expect(unexplained({ events: [] })).toEqual(LIFE.events.map((line) => `- ${line}`));
  expect(unexplained({ isGone: true })).toEqual(['+ gone = true']);
});

test('a stage that was never shown, or comes at the wrong time, is reported', () => {
  const strange = ['phase = "Running"', 'ready = "perhaps"'];
  expect(unexplained({ stages: [CREATED, strange, ENDED] })).toContain('+ ready = "perhaps"');
  expect(unexplained({ stages: [RUNNING, CREATED, RUNNING, ENDED] })).not.toEqual([]);
});

test('a stage that lasted may not be missed', () => {
  const recorded = { ...LIFE, lasting: [RUNNING] };
  const missed = compareLives(recorded, { ...LIFE, stages: [CREATED, ENDED] }, false, []);
  expect(missed.unexplained).toEqual(['a stage that only the kubelet showed:', ...RUNNING]);
  expect(compareLives(recorded, LIFE, false, []).unexplained).toEqual([]);
});

test('the phase may come after the rest of the end', () => {
  const waiting = ENDED.with(1, 'phase = "Running"');
  expect(unexplained({ stages: [CREATED, RUNNING, waiting, ENDED] })).toEqual([]);
});

test('a loop may go further than was recorded, and skip short stages, but not fall behind', () => {
  const [running = '', ended = '', waiting = '', again = ''] = LIFE.steps;
  const further = [...LIFE.steps, 'main:terminated:1'];
  expect(unexplained({ steps: further }, true)).toEqual([]);
  expect(unexplained({ steps: [ended, waiting, again] }, true)).toEqual([]);
  expect(unexplained({ steps: [running, ended] }, true)).toContain(`- ${waiting}`);
});

test('a loop that shows an unknown stage, another order, or never shows a kind of step is reported', () => {
  const [running = '', ended = '', waiting = '', again = ''] = LIFE.steps;
  expect(unexplained({ steps: [running, 'main:unknown:0', again] }, true)).not.toEqual([]);
  expect(unexplained({ steps: [running, waiting, ended, again] }, true)).not.toEqual([]);
  expect(unexplained({ steps: [running, ended, again] }, true)).toEqual([`- ${waiting}`]);
});

test('a loop has to report at each step what the kubelet reported there', () => {
  const at = (count: number, ready: boolean): readonly string[] => [
    `containerStatuses.0.restartCount = ${count}`,
    `ready = ${ready}`,
  ];
  const recorded = { ...LIFE, stages: [at(0, true), at(1, false)] };
  const compare = (...stages: readonly (readonly string[])[]): readonly string[] =>
    compareLives(recorded, { ...LIFE, stages }, true, []).unexplained;
  expect(compare(at(1, false), at(0, true), at(2, true))).toEqual([]);
  expect(compare(at(0, false))).toContain('+ ready = false');
});

test('an expected difference excuses exactly what it lists, where it lists it', () => {
  const known = { case: 'c', path: 'exitCode', kubelet: 0, podkeep: 2, why: 'so' };
  const ended = (code: number): Partial<Life> => ({
    stages: [...LIFE.stages.slice(0, 2), ENDED.with(0, `exitCode = ${code}`)],
  });
  const compare = (ours: Partial<Life>, expected: Difference) =>
    compareLives(LIFE, { ...LIFE, ...ours }, false, [expected]);
  expect(compare(ended(2), known)).toEqual({ unexplained: [], used: [known] });
  expect(compare(ended(3), known).unexplained).toContain('+ exitCode = 3');
  expect(compare({}, known)).toEqual({ unexplained: [], used: [] });
  const silent = { ...known, path: '*Code', kubelet: null };
  expect(compare(ended(2), silent).unexplained).toEqual(['- exitCode = 0']);
});
