import { expect, test } from 'vitest';
import { livePod } from '../../../test/kubelet/runs/live-pod.ts';
import { checkNonRoot, containerSecurity } from './container-security.ts';

const NONE = { supplementalGroups: [] };

test('a container that says nothing runs as the runtime chooses', () => {
  expect(containerSecurity(livePod('web'), { name: 'main' }, NONE)).toEqual({
    isPrivileged: false,
    isReadOnlyRoot: false,
    noNewPrivileges: false,
    addedCapabilities: [],
    droppedCapabilities: [],
    supplementalGroups: [],
  });
});

test('its own words go before those of the pod, and groups add up', () => {
  const pod = livePod('web', {
    securityContext: {
      runAsUser: 1000,
      runAsGroup: 2000,
      fsGroup: 3000,
      supplementalGroups: [4000],
      seccompProfile: { type: 'RuntimeDefault' },
    },
  });
  const securityContext = {
    runAsUser: 1,
    privileged: true,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
    seccompProfile: { type: 'Localhost' as const, localhostProfile: 'mine.json' },
    appArmorProfile: { type: 'Unconfined' as const },
  };
  const extras = { supplementalGroups: [5000, 4000], targetContainerId: 'x://1' };
  expect(containerSecurity(pod, { name: 'main', securityContext }, extras)).toEqual({
    isPrivileged: true,
    isReadOnlyRoot: true,
    noNewPrivileges: true,
    addedCapabilities: ['NET_ADMIN'],
    droppedCapabilities: ['ALL'],
    supplementalGroups: [3000, 5000, 4000],
    runAsUser: 1,
    runAsGroup: 2000,
    seccomp: 'localhost/mine.json',
    appArmor: 'unconfined',
    targetContainerId: 'x://1',
  });
});

const CAREFUL = livePod('web', { securityContext: { runAsNonRoot: true } });

test.each([
  [{ runAsUser: 0 }, null, "container's runAsUser breaks non-root policy"],
  [{}, { uid: 0 }, 'container has runAsNonRoot and image will run as root'],
  [{}, { userName: 'app' }, 'image has non-numeric user (app), cannot verify user is non-root'],
])(
  'a container that must not be root is refused if it might be: %j %j',
  (context, image, words) => {
    const container = { name: 'main', securityContext: context };
    expect(() => checkNonRoot(CAREFUL, container, image)).toThrow(words);
  },
);

test.each([
  [{ runAsUser: 7 }, { uid: 0 }],
  [{}, { uid: 5 }],
  [{}, null],
  [{ runAsNonRoot: false }, { uid: 0 }],
])('and is let through if it is not: %j %j', (securityContext, image) => {
  expect(() => checkNonRoot(CAREFUL, { name: 'main', securityContext }, image)).not.toThrow();
});
