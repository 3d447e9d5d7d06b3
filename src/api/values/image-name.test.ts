import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { PodkeepError } from '../../lib/errors.ts';
import { isSameImage, parseImageName } from './image-name.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  ['nginx', 'docker.io', 'library/nginx', 'latest', ''],
  ['nginx:1.27', 'docker.io', 'library/nginx', '1.27', ''],
  ['team/app', 'docker.io', 'team/app', 'latest', ''],
  ['localhost/app', 'localhost', 'app', 'latest', ''],
  ['localhost:5000/app:x', 'localhost:5000', 'app', 'x', ''],
  ['UPPER/bad', 'UPPER', 'bad', 'latest', ''],
  [`example.com/a/b__c.d-e@${DIGEST}`, 'example.com', 'a/b__c.d-e', '', DIGEST],
  [`example.com/a:1@${DIGEST}`, 'example.com', 'a', '1', DIGEST],
])('%s has its parts', (image, domain, path, tag, digest) => {
  expect(parseImageName(image)).toEqual({ domain, path, tag, digest });
});

test.each(['', 'UPPER//bad', 'a//b', 'a:b:c', 'a b', ':tag', 'a@', 'a@sha256:1', 'a:', '-a', 'a/'])(
  '%j is no name',
  (image) => {
    expect(() => parseImageName(image)).toThrow(
      `couldn't parse image name ${JSON.stringify(image)}: invalid reference format`,
    );
  },
);

test('the error for a name with capital letters says what is wrong', () => {
  expect(() => parseImageName('Nginx')).toThrow(
    'invalid reference format: repository name (library/Nginx) must be lowercase',
  );
});

test('names that mean the same image are the same, and invalid names cannot be compared', () => {
  expect(isSameImage('nginx', 'docker.io/library/nginx:latest')).toBe(true);
  expect(isSameImage('nginx', 'nginx:1')).toBe(false);
  expect(isSameImage('nginx', 'a//b')).toBeNull();
});

test('any text is parsed or refused with our error', () => {
  fc.assert(
    fc.property(fc.string(), (image) => {
      const answer = answerOf(image);
      expect(answer).not.toBeNull();
    }),
  );
});

function answerOf(image: string): unknown {
  try {
    return parseImageName(image);
  } catch (error) {
    return error instanceof PodkeepError && error.code === 'INVALID_IMAGE_NAME' ? 'refused' : null;
  }
}
