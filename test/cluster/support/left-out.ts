/** The tests of pods that do not apply to containers, and why. */

/** Files, by their names in test/e2e/pods. */
export const FILES_LEFT_OUT: Readonly<Record<string, string>> = {
  plain: 'containers always have namespaces and control groups',
  top: 'it is about the metrics API of the embedded server',
  up: 'it is about `podkeep up`; failures.cluster.ts stops and kills `podkeep kubelet`',
};

/** Tests, by the name of their file and their own. */
export const TESTS_LEFT_OUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  examples: {
    'a runtime of functions runs a pod to its end': 'it brings a runtime of its own',
  },
  images: {
    'a name that stands for a command runs that command': 'images are what the registry has',
    'a pod may say more than its image does': 'images are what the registry has',
    'a name that stands for a folder runs in that folder as its root':
      'images are what the registry has',
    'what a container writes to its root is not in the folder, nor seen by the next':
      'images are what the registry has',
    'a name that stands for nothing is told with the way to map it':
      'nothing can be mapped; recordings.cluster.ts holds the words of a pull that fails',
  },
  stop: {
    'a container that asks for another signal gets that one':
      'containerd 2.1 takes no signal from whoever makes a container: it is that of the image',
  },
  web: {
    'a port of it is forwarded to this machine':
      'the example listens at the address of its pod alone, and containerd forwards to the loopback ' +
      'interface of the pod; streaming.cluster.ts forwards ports',
  },
};
