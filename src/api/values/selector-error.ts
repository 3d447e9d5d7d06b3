/** The error for an invalid label or field selector. */
import { defineError } from '../../lib/errors.ts';

const EXAMPLES = {
  label: 'app=web,tier in (front,back),!legacy',
  field: 'metadata.name=web,status.phase!=Running',
};

/** The reason is Kubernetes' own message, which people search for. It may quote all of a long selector. */
export const selectorInvalid = defineError<{
  kind: 'label' | 'field';
  text: string;
  reason: string;
}>({
  code: 'SELECTOR_INVALID',
  retry: 'never',
  message: ({ kind, text, reason }) =>
    `${kind} selector ${JSON.stringify(text.slice(0, 200))} is not valid: ${reason.slice(0, 2000)}`,
  hint: ({ kind }) => `Join the conditions with commas, as in "${EXAMPLES[kind]}".`,
});
