/** What all attacks together have left behind: checked after them. */
import type { Target } from '../harness/target.ts';
import { breached, held, MODES } from '../harness/types.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'aftermath';

function after(
  id: string,
  tries: string,
  look: (target: Target) => readonly string[] | Promise<readonly string[]>,
): Attack {
  return {
    id: `${KIND}/${id}`,
    class: KIND,
    tries,
    modes: MODES,
    isHeavy: true,
    run: async (target) => {
      const found = await look(target);
      return found.length === 0 ? held() : breached(found.join('; '));
    },
  };
}

export const AFTERMATH: readonly Attack[] = [
  after('settings', 'Settings of the kernel have changed.', ({ machine }) =>
    machine.restoreSettings(),
  ),
  after('files', 'Files of the machine have changed.', ({ machine }) => machine.changedFiles()),
  after('canaries', 'Canary files have changed.', ({ canaries }) => canaries.changes()),
  after(
    'processes',
    'Processes of the machine were harmed.',
    ({ bystanders }) => bystanders.harmed,
  ),
  after('podkeep', 'podkeep does not answer any more.', async (target) =>
    (await target.answers()) ? [] : ['no answer'],
  ),
];
