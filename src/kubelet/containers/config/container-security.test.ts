import { expect, test } from 'vitest';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import {
  MASKED_PATHS as maskedPaths,
  READONLY_PATHS as readonlyPaths,
} from '../../../api/masked-paths.ts';
import { checkNonRoot, containerSecurity } from './container-security.ts';
import { CONTAINER_SETTINGS_DEFAULT as settings } from './container-settings.ts';

const NONE = { supplementalGroups: [], settings };

test('a container without a security context leaves the choice to the runtime', () => {
  expect(containerSecurity(livePod('web'), { name: 'main' }, NONE)).toEqual({
    isPrivileged: false,
    isReadOnlyRoot: false,
    noNewPrivileges: false,
    addedCapabilities: [],
    droppedCapabilities: [],
    supplementalGroups: [],
    seccomp: 'unconfined',
    maskedPaths,
    readonlyPaths,
  });
});

test('a node may set a default seccomp profile for containers that name none', () => {
  const strict = { ...NONE, settings: { ...settings, seccompDefault: true } };
  const seccompOf = (spec: object) =>
    containerSecurity(livePod('web', spec), { name: 'main' }, strict).seccomp;
  expect(seccompOf({})).toBe('runtime/default');
  expect(seccompOf({ securityContext: { seccompProfile: { type: 'Unconfined' } } })).toBe(
    'unconfined',
  );
});

test('a Localhost profile needs a name', () => {
  const securityContext = { seccompProfile: { type: 'Localhost' as const } };
  expect(() => containerSecurity(livePod('web'), { name: 'main', securityContext }, NONE)).toThrow(
    'localhostProfile must be set if seccompProfile type is Localhost.',
  );
});

test('an unmasked /proc hides nothing', () => {
  const securityContext = { procMount: 'Unmasked' as const };
  expect(containerSecurity(livePod('web'), { name: 'main', securityContext }, NONE)).toMatchObject({
    maskedPaths: [],
    readonlyPaths: [],
  });
});

test.each([
  ['runtime/default', {}, 'runtime/default'],
  ['localhost/mine', {}, 'localhost/mine'],
  ['nonsense', {}, 'localhost/ours'],
  ['unconfined', { appArmorProfile: { type: 'RuntimeDefault' as const } }, 'runtime/default'],
])(
  'AppArmor: annotation %s and securityContext %j mean %s',
  (annotation, securityContext, expected) => {
    const appArmorProfile = { type: 'Localhost' as const, localhostProfile: 'ours' };
    const pod = livePod('web', { securityContext: { appArmorProfile } });
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/main': annotation };
    const annotated = { ...pod, metadata: { ...pod.metadata, annotations } };
    const security = containerSecurity(annotated, { name: 'main', securityContext }, NONE);
    expect(security.appArmor).toBe(expected);
  },
);

test("the container's settings go before those of the pod, and groups add up", () => {
  const pod = livePod('web', {
    securityContext: {
      runAsUser: 1000,
      runAsGroup: 2000,
      fsGroup: 3000,
      supplementalGroups: [4000],
      supplementalGroupsPolicy: 'Strict',
      seLinuxOptions: { level: 's0:c1,c2' },
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
  const extras = { supplementalGroups: [5000, 4000], targetContainerId: 'x://1', settings };
  expect(containerSecurity(pod, { name: 'main', securityContext }, extras)).toEqual({
    isPrivileged: true,
    isReadOnlyRoot: true,
    noNewPrivileges: true,
    addedCapabilities: ['NET_ADMIN'],
    droppedCapabilities: ['ALL'],
    supplementalGroups: [3000, 4000, 5000],
    supplementalGroupsPolicy: 'Strict',
    seLinux: { level: 's0:c1,c2' },
    maskedPaths,
    readonlyPaths,
    runAsUser: 1,
    runAsGroup: 2000,
    seccomp: 'localhost//var/lib/kubelet/seccomp/mine.json',
    appArmor: 'unconfined',
    targetContainerId: 'x://1',
  });
});

const CAREFUL = livePod('web', { securityContext: { runAsNonRoot: true } });

test.each([
  [{ runAsUser: 0 }, null, "container's runAsUser breaks non-root policy"],
  [{}, { uid: 0 }, 'container has runAsNonRoot and image will run as root'],
  [{}, { uid: 2 ** 31 }, 'image has an invalid user id (2147483648). (Must be 1-(2147483647))'],
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
