/**
 * Which controllers run, said in the way of kube-controller-manager: `*` is all of them, a name is that
 * one, and a name behind a dash is left out.
 */
import { defineError } from '../../lib/errors.ts';
import { CONTROLLER_NAMES } from './controllers.ts';

/** Those that the embedded server runs beside the others. */
const OTHERS = ['certificate-signer', 'cluster-role-aggregation'];

export const controllerUnknown = defineError<{ name: string; known: readonly string[] }>({
  code: 'CONTROLLER_UNKNOWN',
  retry: 'never',
  message: ({ name }) => `there is no controller ${JSON.stringify(name)}`,
  hint: ({ known }) =>
    `Choose from ${known.join(', ')}; "*" is all of them, and "-NAME" leaves one out.`,
});

/** Throws CONTROLLER_UNKNOWN. */
export function chooseControllers(text: string): ReadonlySet<string> {
  const known = [...CONTROLLER_NAMES, ...OTHERS];
  const words = text.split(',').map((word) => word.trim());
  const chosen = new Set(words.includes('*') ? known : []);
  for (const word of words) {
    if (word === '*' || word === '') continue;
    const name = word.replace(/^-/, '');
    if (!known.includes(name)) throw controllerUnknown({ name, known });
    if (word.startsWith('-')) chosen.delete(name);
    else chosen.add(name);
  }
  return chosen;
}
