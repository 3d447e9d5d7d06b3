import { expect, test } from 'vitest';
import { outcomeOf, withoutOthers } from './junit.ts';

const TEST = '[sig-node] Pods should "run" & stop [Conformance]';
const NAME = '[It] [sig-node] Pods should &#34;run&#34; &amp; stop [Conformance]';

function file(...cases: readonly string[]): string {
  return `<?xml version="1.0"?><testsuites><testsuite name="s">${cases.join('\n')}</testsuite></testsuites>`;
}

function testCase(status: string, content = '', name = NAME): string {
  return `<testcase name="${name}" classname="s" status="${status}" time="1.5">${content}</testcase>`;
}

const OTHER = testCase('skipped', '<skipped message="skipped"></skipped>', '[It] another');

test('a test that ran and passed has passed', () => {
  expect(outcomeOf(file(OTHER, testCase('passed')), TEST)).toEqual({ passed: true });
});

test('a failed test has its message', () => {
  const failure = '<failure type="failed">expected 1 &lt; 0&#xA;In [It] at: pods.go:7</failure>';
  expect(outcomeOf(file(OTHER, testCase('failed', failure)), TEST)).toEqual({
    passed: false,
    state: 'failed',
    message: 'expected 1 < 0\nIn [It] at: pods.go:7',
  });
});

test.each(['skipped', 'interrupted', 'timedout', 'panicked', 'pending'])(
  'a test that is %s has failed',
  (state) => {
    const content = `<skipped message="because ${state}"></skipped>`;
    const outcome = outcomeOf(file(testCase(state, content)), TEST);
    expect(outcome).toEqual({ passed: false, state, message: `because ${state}` });
  },
);

test('when the preparation failed, its message is the reason', () => {
  const suite = testCase(
    'failed',
    '<failure>no node is ready</failure>',
    '[SynchronizedBeforeSuite]',
  );
  expect(outcomeOf(file(suite, testCase('skipped')), TEST)).toMatchObject({
    passed: false,
    message: 'no node is ready',
  });
});

test('a test that the file does not name has failed', () => {
  expect(outcomeOf(file(OTHER), TEST)).toMatchObject({ passed: false, state: 'not run' });
  expect(outcomeOf('', TEST)).toMatchObject({ passed: false, state: 'not run' });
});

test('the small file has the test, failed steps of the suite, and nothing else', () => {
  const step = testCase('failed', '<failure>x</failure>', '[AfterSuite]');
  const small = withoutOthers(file(OTHER, testCase('passed'), step), TEST);
  expect(small).not.toContain('another');
  expect(small).toContain('<testsuite name="Kubernetes e2e suite" tests="2" failures="1">');
  expect(outcomeOf(small, TEST)).toEqual({ passed: true });
});
