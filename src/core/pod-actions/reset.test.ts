import { describe, expect, test } from 'vitest';
import type { RuntimeContainer } from '../../api/runtime-pod.ts';
import { container, podOf, restartRule, sidecar } from '../../../test/support/pod-parts.ts';
import { exited, observed, runtimeOf } from '../../../test/support/runtime-parts.ts';
import { actionsView } from '../../../test/support/views.ts';
import { planReset } from './reset.ts';

const rules = { restartPolicyRules: [restartRule('RestartAllContainers', 'In', 42)] };
const pod = podOf({
  initContainers: [container('i', rules), sidecar('s')],
  containers: [container('a', rules), container('b')],
  ephemeralContainers: [container('e')],
});

function reset(...records: readonly RuntimeContainer[]) {
  return planReset(actionsView(pod, runtimeOf(records), { restartAllContainers: true }));
}

describe('E-7: restarting a pod in place', () => {
  test('regular containers go before init containers, those whose exit caused the restart last', () => {
    const order = reset(
      exited('i', 42),
      observed('s', 'running'),
      exited('a', 42),
      observed('b', 'running'),
    );
    expect(order.map(({ name }) => name)).toEqual(['b', 's', 'a', 'i']);
  });

  test.each(['created', 'running', 'unknown'] as const)(
    'one that is %s is stopped first',
    (state) => {
      expect(reset(observed('b', state))).toEqual([{ id: 'test://b', name: 'b', kill: true }]);
    },
  );

  test('one that exited is only removed', () => {
    expect(reset(exited('b', 0))).toEqual([{ id: 'test://b', name: 'b', kill: false }]);
  });

  test('every record is removed, not just the newest', () => {
    const order = reset(
      exited('a', 42, { id: 'test://a3' }),
      exited('a', 1, { id: 'test://a2' }),
      exited('a', 42, { id: 'test://a1' }),
      observed('b', 'running'),
    );
    expect(order.map(({ id }) => id)).toEqual(['test://a2', 'test://b', 'test://a3', 'test://a1']);
  });

  test('only an exit causes it: a running one is removed with the others', () => {
    const order = reset(observed('a', 'running', { exitCode: 42 }), exited('b', 0));
    expect(order.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('an exit without a code is a success', () => {
    const always = container('a', {
      restartPolicyRules: [restartRule('RestartAllContainers', 'In', 0)],
    });
    const ends = podOf({ containers: [always, container('b')] });
    const runtime = runtimeOf([observed('a', 'exited'), observed('b', 'running')]);
    const order = planReset(actionsView(ends, runtime, { restartAllContainers: true }));
    expect(order.map(({ name }) => name)).toEqual(['b', 'a']);
  });

  test('ephemeral containers and those that the spec does not name stay', () => {
    expect(reset(observed('e', 'running'), observed('stranger', 'running'))).toEqual([]);
  });
});
