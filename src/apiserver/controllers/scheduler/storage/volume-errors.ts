/** The error of a pod whose claims could not be bound on the chosen node. */
import { defineError } from '../../../../lib/errors.ts';

export const volumeBindingFailed = defineError<{ why: string }>({
  code: 'VOLUME_BINDING_FAILED',
  retry: 'backoff',
  message: ({ why }) => `binding volumes: ${why}`,
  hint: () => 'Check the claims of the pod, their StorageClass and its provisioner.',
});
