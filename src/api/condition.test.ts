import { describe, expect, test } from 'vitest';
import { condition, EARLIER, LATER, NOW } from '../../test/support/pod-parts.ts';
import {
  findCondition,
  isConditionTrue,
  replaceOrAppendCondition,
  withTransitionTime,
} from './condition.ts';

const ready = condition('Ready', 'True');
const scheduled = condition('PodScheduled', 'False');

describe('finding', () => {
  test('a condition is found by its type, the same object', () => {
    expect(findCondition([scheduled, ready], 'Ready')).toBe(ready);
  });

  test('an absent one is not found, even without a list', () => {
    expect(findCondition([ready], 'ready')).toBeUndefined();
    expect(findCondition([], 'Ready')).toBeUndefined();
    expect(findCondition(undefined, 'Ready')).toBeUndefined();
  });

  test('only True is true: False, Unknown and absent are not', () => {
    expect(isConditionTrue([ready], 'Ready')).toBe(true);
    expect(isConditionTrue([condition('Ready', 'False')], 'Ready')).toBe(false);
    expect(isConditionTrue([condition('Ready', 'Unknown')], 'Ready')).toBe(false);
    expect(isConditionTrue([scheduled], 'Ready')).toBe(false);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
  });
});

describe('replacing', () => {
  const unready = condition('Ready', 'False');

  test('a condition takes the place of the one of its type', () => {
    expect(replaceOrAppendCondition([ready, scheduled], unready)).toEqual([unready, scheduled]);
  });

  test('one of a new type goes to the end', () => {
    expect(replaceOrAppendCondition([scheduled], ready)).toEqual([scheduled, ready]);
    expect(replaceOrAppendCondition(undefined, ready)).toEqual([ready]);
  });

  test('the list given is left alone, and the others in it are shared', () => {
    const list = Object.freeze([ready, scheduled]);
    const replaced = replaceOrAppendCondition(list, unready);
    expect(list).toEqual([ready, scheduled]);
    expect(replaced[1]).toBe(scheduled);
  });

  test('replacing a condition by itself returns the same list', () => {
    const list = [ready, scheduled];
    expect(replaceOrAppendCondition(list, ready)).toBe(list);
  });
});

describe('SM-23: transition times', () => {
  const old = condition('Ready', 'True', { lastTransitionTime: EARLIER });

  test('a status that stays keeps its time', () => {
    expect(withTransitionTime(ready, old, NOW)).toEqual({ ...ready, lastTransitionTime: EARLIER });
  });

  test('another status, or no condition before, gets the current time', () => {
    const unready = condition('Ready', 'False');
    expect(withTransitionTime(unready, old, NOW).lastTransitionTime).toBe(NOW);
    expect(withTransitionTime(ready, undefined, NOW).lastTransitionTime).toBe(NOW);
  });

  test('another reason or message alone does not move the time', () => {
    const explained = condition('Ready', 'True', { reason: 'Other', message: 'other' });
    expect(withTransitionTime(explained, old, NOW)).toEqual({
      ...explained,
      lastTransitionTime: EARLIER,
    });
  });

  test('a time that the new condition brings along does not count', () => {
    const ahead = condition('Ready', 'True', { lastTransitionTime: LATER });
    expect(withTransitionTime(ahead, old, NOW).lastTransitionTime).toBe(EARLIER);
    expect(withTransitionTime(ahead, undefined, NOW).lastTransitionTime).toBe(NOW);
  });

  test('a condition that has that time already is returned itself, and no input is changed', () => {
    const dated = Object.freeze(condition('Ready', 'True', { lastTransitionTime: EARLIER }));
    expect(withTransitionTime(dated, old, NOW)).toBe(dated);
    const undated = Object.freeze(condition('Ready', 'True'));
    withTransitionTime(undated, old, NOW);
    expect(undated).toEqual(condition('Ready', 'True'));
  });

  test.each([[undefined], [null]])('an old time of %s is kept as none', (none) => {
    const before = { ...ready, ...(none === null && { lastTransitionTime: none }) };
    expect(withTransitionTime(ready, before, NOW)).toBe(ready);
    const dated = condition('Ready', 'True', { lastTransitionTime: LATER });
    expect(withTransitionTime(dated, before, NOW).lastTransitionTime).toBeNull();
  });
});
