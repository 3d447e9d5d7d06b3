/** Converts seccomp and AppArmor profiles, SELinux labels and namespace sharing to CRI messages. */
import type { SeLinuxLabel } from '../../../ports/runtime/container-config.ts';
import type {
  NamespaceOption,
  SecurityProfile,
  SelinuxOption,
} from '../messages/common-messages.ts';
import type { ToSend } from '../messages/message.ts';

const LOCALHOST = 'localhost/';

/** Undefined: the runtime decides. */
export function profileMessage(
  profile: string | undefined,
): ToSend<typeof SecurityProfile> | undefined {
  switch (profile) {
    case undefined:
    case '':
      return undefined;
    case 'unconfined':
      return { profileType: 'Unconfined' };
    case 'runtime/default':
      return { profileType: 'RuntimeDefault' };
    default: {
      const isLocal = profile.startsWith(LOCALHOST);
      const localhostRef = isLocal ? profile.slice(LOCALHOST.length) : profile;
      return { profileType: 'Localhost', localhostRef };
    }
  }
}

export function seLinuxMessage(
  label: SeLinuxLabel | undefined,
): ToSend<typeof SelinuxOption> | undefined {
  if (!label) return undefined;
  const { user, role, type, level } = label;
  return { user, role, type, level };
}

interface Sharing {
  readonly hostNetwork: boolean;
  readonly hostPid: boolean;
  readonly hostIpc: boolean;
  readonly sharesProcesses: boolean;
}

/** Whose namespaces the sandbox uses; its containers use the same. */
export function namespacesMessage(sharing: Sharing): ToSend<typeof NamespaceOption> {
  const { hostNetwork, hostPid, hostIpc, sharesProcesses } = sharing;
  return {
    network: hostNetwork ? 'NODE' : 'POD',
    ipc: hostIpc ? 'NODE' : 'POD',
    pid: hostPid ? 'NODE' : sharesProcesses ? 'POD' : 'CONTAINER',
  };
}

export function valueMessage(value: number | undefined): { readonly value: number } | undefined {
  return value === undefined ? undefined : { value };
}
