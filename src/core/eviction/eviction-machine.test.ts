/** What a round of the eviction machine orders, to the last effect. */
import { expect, test } from 'vitest';
import { EVICTION_SCENES } from '../../../test/support/eviction-scenes.ts';

test.each(EVICTION_SCENES)('$name', ({ play, expected }) => {
  expect(play()).toEqual(expected);
});
