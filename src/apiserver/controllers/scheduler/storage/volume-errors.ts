/** Why the claims of a pod could not be bound on the node that was chosen for it. */
import { defineError } from '../../../../lib/errors.ts';

export const volumeBindingFailed = defineError<{ why: string }>({
  code: 'VOLUME_BINDING_FAILED',
  retry: 'backoff',
  message: ({ why }) => `binding volumes: ${why}`,
  hint: () => 'Check the claims of the pod, their StorageClass and its provisioner.',
});
