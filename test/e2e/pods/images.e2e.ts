/** What names of images are mapped to: commands, folders, or nothing. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, test } from 'vitest';
import { podCluster } from '../support/pod-cluster.ts';
import { containerOf, LIVE, shellPod } from '../support/pod-view.ts';
import { makeSmallRoot } from './small-root.ts';

const cluster = podCluster('images', {
  config: (folder) => [
    {
      apiVersion: 'podkeep.dev/v1alpha1',
      kind: 'PodkeepConfiguration',
      images: {
        'example.com/greeter': {
          command: ['sh', '-c', `echo "$GREETING $1"; ${LIVE}`, 'sh'],
          args: ['world'],
          env: { GREETING: 'hello' },
        },
        small: {
          folder: path.join(folder, 'small'),
          command: ['/bin/sh', '-c', LIVE],
          user: 'app',
        },
      },
    },
  ],
});

beforeAll(() => {
  const folder = path.join(cluster.folder, 'small');
  mkdirSync(folder);
  makeSmallRoot(folder);
  // A user namespace maps only the user who created it.
  const { uid, gid } = cluster.account;
  execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
});

/** A pod of one container of an image, which runs the command of the image unless the pod has one. */
function imagePod(name: string, image: string, more = {}) {
  const container = { name: 'main', image, ...more };
  return shellPod({ name, spec: { containers: [container] } });
}

describe.concurrent('images', () => {
  test('a name that stands for a command runs that command', async ({ expect }) => {
    await cluster.apply(imagePod('greeter', 'example.com/greeter'));
    await cluster.ready('greeter');
    expect(await cluster.logWith('greeter', 'hello')).toBe('hello world\n');
  });

  test('a pod may say more than its image does', async ({ expect }) => {
    const more = { args: ['moon'], env: [{ name: 'GREETING', value: 'good night' }] };
    await cluster.apply(imagePod('other-greeter', 'example.com/greeter:latest', more));
    await cluster.ready('other-greeter');
    expect(await cluster.logWith('other-greeter', 'night')).toBe('good night moon\n');
  });

  test('a name that stands for a folder runs in that folder as its root', async ({ expect }) => {
    await cluster.apply(imagePod('small', 'small'));
    await cluster.ready('small');
    expect(await cluster.kubectl('exec small -- cat /etc/which')).toBe('the small one\n');
    expect(await cluster.kubectl('exec small -- ls /')).not.toContain('usr\nvar');
    expect(await cluster.kubectl('exec small -- id -u')).toBe('1500\n');
    await cluster.kubectl('exec small -- touch /tmp/mine');
    expect((await cluster.attempt('exec small -- node --version')).code).not.toBe(0);
  });

  test('what a container writes to its root is not in the folder, nor seen by the next', async ({
    expect,
  }) => {
    const script = 'test -e /tmp/mark && echo seen; touch /tmp/mark && ls /tmp';
    const command = ['/bin/sh', '-c', `${script}; ${LIVE}`];
    await cluster.apply(
      imagePod('writer', 'small', { command }),
      imagePod('reader', 'small', { command }),
    );
    expect(await cluster.logWith('writer', 'mark')).toBe('mark\n');
    expect(await cluster.logWith('reader', 'mark')).toBe('mark\n');
  });

  test('a name that stands for nothing is told with the way to map it', async ({ expect }) => {
    await cluster.apply(imagePod('unknown', 'nginx:1.27'));
    const { message } = await cluster.event('unknown', 'Failed', 'nginx:1.27');
    expect(message).toContain('runs local processes and pulls no images');
    expect(message).toContain('images: {"nginx:1.27"');
    const pod = await cluster.podWhen(
      'unknown',
      'to wait for its image',
      (each) => containerOf(each)?.state.waiting?.reason === 'ImagePullBackOff',
    );
    const waiting = containerOf(pod)?.state.waiting?.message;
    expect(waiting).toMatch(
      /^Back-off pulling image "nginx:1\.27": .*runs local processes and pulls no images/,
    );
    await cluster.event('unknown', 'BackOff', 'Back-off pulling image "nginx:1.27"');
  });

  test('a name that may not be pulled is reported as such', async ({ expect }) => {
    await cluster.apply(imagePod('unpulled', 'redis', { imagePullPolicy: 'Never' }));
    const pod = await cluster.podWhen(
      'unpulled',
      'to be refused',
      (each) => containerOf(each)?.state.waiting?.reason === 'ErrImageNeverPull',
    );
    expect(containerOf(pod)?.state.waiting?.message).toContain(
      'Container image "redis" is not present with pull policy of Never',
    );
  });

  test('an invalid name is reported as such', async ({ expect }) => {
    await cluster.apply(imagePod('unnamed', 'Not A Name', { command: ['true'] }));
    const pod = await cluster.podWhen(
      'unnamed',
      'to be refused',
      (each) => containerOf(each)?.state.waiting?.reason === 'InvalidImageName',
    );
    expect(containerOf(pod)?.state.waiting?.message).toContain('Not A Name');
  });

  test('a command needs no image: it is run as it is', async ({ expect }) => {
    const spec = { restartPolicy: 'Never' };
    await cluster.apply(shellPod({ name: 'plain', script: 'echo plain', spec }));
    await cluster.over('plain');
    expect(await cluster.kubectl('logs plain')).toBe('plain\n');
  });
});
