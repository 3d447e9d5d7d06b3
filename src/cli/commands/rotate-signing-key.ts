/** `podkeep rotate-signing-key`: creates a new key for service account tokens; earlier keys still verify. */
import { Command } from 'commander';
import type { Io } from '../io.ts';

export function describeRotateSigningKey(io: Io, finish: (code: number) => void): Command {
  return new Command('rotate-signing-key')
    .description(
      'Make a new key that signs service account tokens. Earlier keys still verify them. Podkeep uses ' +
        'the new key from its next start on.',
    )
    .option(
      '--data-dir <folder>',
      'the data folder of podkeep up; by default the same as for podkeep up',
    )
    .option(
      '--remove-old',
      'make no key, and remove earlier keys, so that they no longer verify',
      false,
    )
    .helpOption('-h, --help', 'print this help and exit')
    .action(async ({ dataDir, removeOld }: { dataDir?: string; removeOld: boolean }) => {
      const [{ attempt }, keys, { locateDataFolder }] = await Promise.all([
        import('./attempt.ts'),
        import('../at-rest/signing-keys.ts'),
        import('../data-folder.ts'),
      ]);
      const rotate = async (): Promise<number> => {
        const { pki } = locateDataFolder(dataDir, io.env);
        const { signing, verifying } = removeOld
          ? keys.removeEarlierKeys(pki)
          : keys.rotateSigningKey(pki);
        io.out(`key that signs: ${signing}\n`);
        io.out(`keys that verify: ${verifying.join(', ')}\n`);
        io.out('podkeep uses these keys from its next start on\n');
        return 0;
      };
      finish(await attempt(io, rotate));
    });
}
