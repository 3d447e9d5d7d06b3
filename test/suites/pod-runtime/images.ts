/** Images are found by name. */
import { expect } from 'vitest';
import { type Case } from './runtime-harness.ts';

const NEVER = new AbortController().signal;

export function casesOfImages(): readonly Case[] {
  return [
    {
      title: 'an image that is here is found, and pulling it gives its reference',
      body: async (harness) => {
        const use = { hasCommand: true };
        const found = await harness.runtime.images.find(harness.image, use);
        expect(found?.ref).not.toBe('');
        expect(await harness.runtime.images.pull(harness.image, null, NEVER, use)).toBe(found?.ref);
      },
    },
    {
      title: 'what can be no name is refused by name',
      body: async ({ runtime }) => {
        for (const image of ['', 'UPPER CASE', 'a//b', 'a:b:c']) {
          await expect(runtime.images.find(image)).rejects.toMatchObject({
            code: 'INVALID_IMAGE_NAME',
          });
        }
      },
    },
  ];
}
